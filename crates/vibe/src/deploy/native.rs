//! The backend without containers: a package behind walls, or files served by our own process.

use super::{Allowance, DeployError, Enforced, Settings, Tell, Workshop};
use crate::bundle::Bundle;
use benchwright_sandbox::packages::install::CHECKOUT;
use benchwright_sandbox::serve::{self, Content, Listening, Package, Served, Shared, Shop, tree};
use benchwright_sandbox::{SandboxError, Scratch};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where every copy of an app finds itself, so that no copy can be told from another by a path that a build wrote down.
const HOME: &str = "/benchwright";
const MODULES: &str = "node_modules";
/// Folders among installed packages that tools write to while they run.
const OWN: [&str; 3] = [".cache", ".vite", ".vite-temp"];

/// An app that is installed and built.
#[derive(Debug)]
pub struct Template(Kind);

#[derive(Debug)]
enum Kind {
    Files(PathBuf),
    Package(Arc<Built>),
}

#[derive(Debug)]
struct Built {
    copy: PathBuf,
    script: &'static str,
    /// Where it has to listen, if it is made for a container.
    listening: Option<Listening>,
    workshop: Workshop,
    start_limit: Duration,
    allowance: Allowance,
    _scratch: Scratch,
}

/// One running copy. The app goes before the folder it works in.
#[derive(Debug)]
pub struct Running {
    served: Served,
    scratch: Option<Scratch>,
    /// What is shared with other copies must stay as long as any of them.
    _built: Option<Arc<Built>>,
}

pub async fn prepare(
    bundle: &Bundle,
    content: Content,
    listening: Option<Listening>,
    settings: &Settings,
    tell: Tell<'_>,
) -> Result<Template, DeployError> {
    let Content::Package { script, builds } = content else {
        return Ok(Template(Kind::Files(bundle.root().to_owned())));
    };
    let workshop = &settings.workshop;
    let scratch = Scratch::new(&workshop.scratch_base, "template")?;
    Package::prove_walls(&scratch).await?;
    let shop = Shop {
        instruments: &workshop.instruments,
        registry: &workshop.registry,
        takes_modules: false,
        scratch: &scratch,
        tell,
    };
    let copy = shop.copy(bundle.root()).await?;
    if builds {
        tell("running its script `build`".to_owned());
        let work = copy.parent().unwrap_or(&copy);
        let package = Package::new(work, &copy, &workshop.instruments, &scratch)?;
        let package = package.seen_at(Path::new(HOME)).allowed(build_allowance(settings.allowance));
        serve::build(&package, settings.build_limit()).await?;
    }
    make_room(&copy).map_err(|source| SandboxError::Scratch { path: copy.clone(), source })?;
    Ok(Template(Kind::Package(Arc::new(Built {
        copy,
        script,
        listening,
        workshop: workshop.clone(),
        start_limit: settings.start_limit(),
        allowance: settings.allowance,
        _scratch: scratch,
    }))))
}

/// A build has the installed packages on its disk, too, and what it makes may be larger than what the app writes later.
fn build_allowance(allowance: Allowance) -> Allowance {
    const PACKAGES: u64 = 4 * 1024 * 1024 * 1024;
    Allowance { disk_bytes: allowance.disk_bytes + PACKAGES, ..allowance }
}

/// Makes the folders that each copy of the app will have for itself.
fn make_room(copy: &Path) -> io::Result<()> {
    let mut folders = vec![copy.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            if entry.file_name() == MODULES {
                OWN.iter().try_for_each(|name| make_folder(&entry.path().join(name)))?;
            } else {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

/// A build could have left a link in the place of a folder; what it leads to is not ours to lend.
fn make_folder(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => fs::remove_file(path).and_then(|()| fs::create_dir(path)),
        Err(_) => fs::create_dir(path),
    }
}

impl Template {
    pub async fn start(&self) -> Result<Running, DeployError> {
        let listener = serve::listen(None).await?;
        match &self.0 {
            Kind::Files(folder) => {
                let served = serve::files(folder, listener).await?;
                Ok(Running { served, scratch: None, _built: None })
            }
            Kind::Package(built) => {
                let scratch = Scratch::new(&built.workshop.scratch_base, "instance")?;
                let work = scratch.folder("work")?;
                let shared = built.copy_into(&work).await?;
                let copy = work.join(CHECKOUT);
                let served = Package::new(&work, &copy, &built.workshop.instruments, &scratch)?
                    .seen_at(Path::new(HOME))
                    .sharing(shared)
                    .allowed(built.allowance)
                    .listening_at(built.listening.clone())
                    .start(built.script, built.start_limit, listener)
                    .await?;
                Ok(Running { served, scratch: Some(scratch), _built: Some(Arc::clone(built)) })
            }
        }
    }
}

impl Built {
    /// Copies everything but the installed packages, which are the same for all.
    async fn copy_into(&self, work: &Path) -> Result<Vec<Shared>, SandboxError> {
        let (from, to) = (self.copy.clone(), work.join(CHECKOUT));
        let path = to.clone();
        let copying = tokio::task::spawn_blocking(move || {
            let modules = tree::copy(&from, &to, Path::new(""), &[MODULES])?;
            modules.iter().try_for_each(|inside| fs::create_dir(to.join(inside)))?;
            Ok(modules)
        });
        let copied = copying.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        let modules = copied.map_err(|source| SandboxError::Scratch { path, source })?;
        let own = OWN.map(str::to_owned).to_vec();
        Ok(modules
            .into_iter()
            .map(|inside| Shared { outside: self.copy.join(&inside), inside, own: own.clone() })
            .collect())
    }
}

impl Running {
    pub fn origin(&self) -> &str {
        self.served.url()
    }

    pub fn log(&self) -> Option<String> {
        self.served.log()
    }

    pub fn is_running(&self) -> bool {
        self.served.is_running()
    }

    pub fn enforced(&self) -> Enforced {
        self.served.enforced()
    }

    /// Its data are thrown away, so nothing it could still save matters: it is not asked to end.
    pub async fn end(self) {
        self.served.end().await;
        let scratch = self.scratch;
        let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
    }
}
