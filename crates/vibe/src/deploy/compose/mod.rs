//! The backend with containers: the app's compose file is read against a list of what is allowed, and a new one is written from what
//! was understood. The app's own file is never run.

mod dockerfile;
mod file;
mod likeness;
mod parts;
mod plan;
mod render;
#[cfg(test)]
mod tests;
mod values;

use super::{Allowance, DeployError, Enforced, Settings, Tell, Workshop};
use crate::bundle::Bundle;
use benchwright_domain::yaml::{Problem, Severity};
use benchwright_sandbox::containers::{self, Base, Build, Docker, Images, Project};
use benchwright_sandbox::packages::install;
use benchwright_sandbox::serve::{Content, Listening, listen, tree};
use benchwright_sandbox::{SandboxError, Scratch};
use likeness::Started;
use plan::{Plan, Reader, Service, Source};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const MAX_FILE_BYTES: u64 = 256 * 1024;
const LEFT_OUT: [&str; 2] = ["node_modules", ".git"];
const COPY: &str = "app";

/// An app whose images are built.
#[derive(Debug)]
pub struct Template {
    plan: Plan,
    // The images go before the folder in which the programs that remove them keep their settings.
    images: Images,
    copy: PathBuf,
    scratch_base: PathBuf,
    start_limit: Duration,
    allowance: Allowance,
    scratch: Arc<Scratch>,
}

/// Its containers, running.
#[derive(Debug)]
pub struct Running {
    containers: containers::Running,
    enforced: Enforced,
    scratch: Arc<Scratch>,
}

pub async fn prepare(
    bundle: &Bundle,
    file: &Path,
    settings: &Settings,
    tell: Tell<'_>,
) -> Result<Template, DeployError> {
    let workshop = &settings.workshop;
    let scratch = Arc::new(Scratch::new(&workshop.scratch_base, "template")?);
    let copy = scratch.path().join(COPY);
    copy_tree(bundle.root(), &copy).await?;
    let plan = read(&copy, file)?;
    let docker = Docker::find(workshop.docker_host.clone(), Arc::clone(&scratch)).await?;
    let images = Images::begin(docker, unique_name(&scratch))?;
    for service in &plan.services {
        match &service.source {
            Source::Image(image) => {
                tell(format!("fetching the image {image}"));
                images.fetch(&Base(image.clone()), settings.build_limit()).await?;
            }
            Source::Build { bases, .. } => {
                fetch_bases(&images, bases, settings.build_limit(), tell).await?;
                tell(format!("building the image of the service `{}`", service.name));
                build(&images, service, &copy, settings).await?;
            }
        }
    }
    let (start_limit, allowance) = (settings.start_limit(), settings.allowance);
    Ok(Template { plan, images, copy, scratch_base: workshop.scratch_base.clone(), start_limit, allowance, scratch })
}

/// Fetches what the app's own images are built on: a builder that cannot do so would say that the build failed. What those images add to the
/// build is looked at as the app's recipe is.
async fn fetch_bases(images: &Images, bases: &[String], limit: Duration, tell: Tell<'_>) -> Result<(), DeployError> {
    for image in bases {
        tell(format!("fetching the image {image}"));
        let base = Base(image.clone());
        images.fetch(&base, limit).await?;
        let refused =
            |why| DeployError::Bundle(format!("build on the image {image}, which adds a step (`ONBUILD`): {why}"));
        images.triggers(&base).await?.iter().try_for_each(|step| dockerfile::check_trigger(step)).map_err(refused)?;
    }
    Ok(())
}

async fn build(images: &Images, service: &Service, copy: &Path, settings: &Settings) -> Result<(), DeployError> {
    let Source::Build { context, dockerfile, arguments, target, .. } = &service.source else { return Ok(()) };
    let build = Build {
        service: service.name.clone(),
        context: copy.join(context),
        dockerfile: copy.join(dockerfile),
        arguments: arguments.clone(),
        target: target.clone(),
    };
    let Workshop { instruments, registry, .. } = &settings.workshop;
    let registries = install::registries(instruments, registry);
    Ok(images.build(&build, registry, &registries, &settings.allowance, settings.build_limit()).await?)
}

/// Where the app listens if its compose file asks for nothing but what is done without containers; none if it asks for more, or cannot be
/// accepted.
pub fn like_native(root: &Path, file: &Path, content: Content) -> Option<Listening> {
    // Every server of files has its own way with addresses that are no file.
    let Content::Package { script, builds } = content else { return None };
    let plan = read(root, file).ok()?;
    let [service] = &plan.services[..] else { return None };
    let Source::Build { context, dockerfile, arguments, target: None, .. } = &service.source else { return None };
    let is_plain = context.as_os_str().is_empty() && arguments.is_empty() && service.only_runs_its_image();
    let recipe = own_text(&root.join(dockerfile), MAX_FILE_BYTES).filter(|_| is_plain)?;
    let mut variables = Started { root, script, builds }.done_by(&recipe)?;
    variables.extend(service.environment.clone());
    Some(Listening { ports: service.ports.clone(), variables })
}

/// Reads the compose file of a copy of the app.
fn read(copy: &Path, file: &Path) -> Result<Plan, DeployError> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let refused = |problem: &str| {
        let problem = problem.to_owned();
        DeployError::Refused(Problem { file: name.clone(), line: 1, column: 1, severity: Severity::Error, problem })
    };
    if copy.join(&name).symlink_metadata().is_ok_and(|found| found.len() > MAX_FILE_BYTES) {
        return Err(refused("it is longer than any compose file"));
    }
    let text = own_text(&copy.join(&name), MAX_FILE_BYTES).ok_or_else(|| refused("it cannot be read as text"))?;
    let written = file::read(&name, &text).map_err(DeployError::Refused)?;
    let variables = own_text(&copy.join(".env"), MAX_FILE_BYTES).map(|text| values::of_file(&text)).unwrap_or_default();
    Reader { file: &name, root: copy, variables }.plan(&written).map_err(DeployError::Refused)
}

/// The text of a file of the app. Where a link leads is no part of it, and a pipe has no end.
fn own_text(file: &Path, most_bytes: u64) -> Option<String> {
    let found = file.symlink_metadata().ok()?;
    if found.is_file() && found.len() <= most_bytes { fs::read_to_string(file).ok() } else { None }
}

/// The name of a scratch folder is like no other; Docker wants it in small letters.
fn unique_name(scratch: &Scratch) -> String {
    scratch.path().file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Links are no part of a bundle: neither its hash nor what is kept of it knows them.
async fn copy_tree(from: &Path, to: &Path) -> Result<(), SandboxError> {
    let (from, to, path) = (from.to_owned(), to.to_owned(), to.to_owned());
    let copying = tokio::task::spawn_blocking(move || tree::copy_without_links(&from, &to, &LEFT_OUT));
    let copied = copying.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    copied.map_err(|source| SandboxError::Scratch { path, source })
}

impl Template {
    pub async fn start(&self) -> Result<Running, DeployError> {
        let listener = listen(None).await?;
        let scratch = Arc::new(Scratch::new(&self.scratch_base, "instance")?);
        let place_of = |source: &Path| copy_in(&scratch, self.plan.copy_of(source)).join(source);
        let used = |path: &Path, source| SandboxError::Scratch { path: path.to_owned(), source };
        let copies: BTreeSet<usize> = self.plan.sources().map(|(copy, _)| copy).collect();
        for copy in copies {
            copy_tree(&self.copy, &copy_in(&scratch, copy)).await?;
        }
        for missing in self.plan.sources().map(|(_, source)| place_of(source)).filter(|place| !place.exists()) {
            fs::create_dir_all(&missing).map_err(|source| used(&missing, source))?;
        }
        let file = scratch.path().join("compose.json");
        let text = render::render(&self.plan, &|service| self.images.name_of(service), &place_of, &self.allowance);
        fs::write(&file, text).map_err(|source| used(&file, source))?;
        let front = &self.plan.services[self.plan.front];
        let project = Project {
            name: unique_name(&scratch),
            file,
            service: front.name.clone(),
            ports: front.ports.clone(),
            folder: scratch.path().to_owned(),
            disk_bytes: self.allowance.disk_bytes,
            log_bytes: self.allowance.log_bytes,
        };
        let containers = project.start(self.images.docker().clone(), self.start_limit, listener).await?;
        Ok(Running { containers, enforced: enforced(&self.allowance), scratch })
    }

    /// Removes its images, and waits until they are gone.
    pub async fn remove(self) {
        let Self { images, scratch, .. } = self;
        images.remove().await;
        let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
    }
}

/// Where an instance has a copy of the app.
fn copy_in(scratch: &Scratch, number: usize) -> PathBuf {
    scratch.path().join(if number == 0 { COPY.to_owned() } else { format!("{COPY}-{number}") })
}

/// What holds each limit; it holds for every container.
fn enforced(allowance: &Allowance) -> Enforced {
    const MIB: u64 = 1024 * 1024;
    [
        ("cpus", allowance.cpus.to_string(), "each container"),
        ("memory", format!("{} MiB", allowance.memory_bytes / MIB), "each container"),
        ("processes", allowance.processes.to_string(), "each container"),
        ("disk", format!("{} MiB", allowance.disk_bytes / MIB), "watched, and per file"),
        ("log", format!("{} KiB", allowance.log_bytes / 1024), "only its end is kept"),
    ]
    .into_iter()
    .map(|(name, limit, means)| (name.to_owned(), format!("{limit} ({means})")))
    .collect()
}

impl Running {
    pub fn origin(&self) -> &str {
        self.containers.url()
    }

    pub fn log(&self) -> String {
        self.containers.log()
    }

    pub fn is_running(&self) -> bool {
        self.containers.is_running()
    }

    pub fn enforced(&self) -> Enforced {
        self.enforced.clone()
    }

    pub async fn end(self) {
        self.containers.end().await;
        let scratch = self.scratch;
        let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
    }
}
