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

use super::{Allowance, DeployError, Enforced, Settings, Tell};
use crate::bundle::Bundle;
use benchwright_domain::yaml::{Problem, Severity};
use benchwright_sandbox::containers::{self, Base, Build, Docker, Images, Project};
use benchwright_sandbox::serve::{Content, Listening, listen, tree};
use benchwright_sandbox::{SandboxError, Scratch};
use likeness::Started;
use plan::{Mount, Plan, Reader, Source};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const MAX_FILE_BYTES: usize = 256 * 1024;
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
            Source::Build { context, dockerfile, arguments, target } => {
                tell(format!("building the image of the service `{}`", service.name));
                let build = Build {
                    service: service.name.clone(),
                    context: copy.join(context),
                    dockerfile: copy.join(dockerfile),
                    arguments: arguments.clone(),
                    target: target.clone(),
                };
                images.build(&build, &workshop.registry, &settings.allowance, settings.build_limit()).await?;
            }
        }
    }
    let (start_limit, allowance) = (settings.start_limit(), settings.allowance);
    Ok(Template { plan, images, copy, scratch_base: workshop.scratch_base.clone(), start_limit, allowance, scratch })
}

/// Where the app listens if its compose file asks for nothing but what is done without containers; none if it asks for more, or cannot be
/// accepted.
pub fn like_native(root: &Path, file: &Path, content: Content) -> Option<Listening> {
    // Every server of files has its own way with addresses that are no file.
    let Content::Package { script, builds } = content else { return None };
    let plan = read(root, file).ok()?;
    let [service] = &plan.services[..] else { return None };
    let Source::Build { context, dockerfile, arguments, target: None } = &service.source else { return None };
    let is_plain = context.as_os_str().is_empty() && arguments.is_empty() && service.only_runs_its_image();
    let recipe = fs::read_to_string(root.join(dockerfile)).ok().filter(|_| is_plain)?;
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
    let text = fs::read_to_string(copy.join(&name)).map_err(|_| refused("it cannot be read as text"))?;
    if text.len() > MAX_FILE_BYTES {
        return Err(refused("it is longer than any compose file"));
    }
    let written = file::read(&name, &text).map_err(DeployError::Refused)?;
    let variables = fs::read_to_string(copy.join(".env")).map(|text| values::of_file(&text)).unwrap_or_default();
    Reader { file: &name, root: copy, variables }.plan(&written).map_err(DeployError::Refused)
}

/// The name of a scratch folder is like no other; Docker wants it in small letters.
fn unique_name(scratch: &Scratch) -> String {
    scratch.path().file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

async fn copy_tree(from: &Path, to: &Path) -> Result<(), SandboxError> {
    let (from, to, path) = (from.to_owned(), to.to_owned(), to.to_owned());
    let copying = tokio::task::spawn_blocking(move || tree::copy(&from, &to, Path::new(""), &LEFT_OUT));
    let copied = copying.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    copied.map(|_| ()).map_err(|source| SandboxError::Scratch { path, source })
}

impl Template {
    pub async fn start(&self) -> Result<Running, DeployError> {
        let listener = listen(None).await?;
        let scratch = Arc::new(Scratch::new(&self.scratch_base, "instance")?);
        let folder = scratch.path().join(COPY);
        let used = |path: &Path, source| SandboxError::Scratch { path: path.to_owned(), source };
        if self.mounts().next().is_some() {
            copy_tree(&self.copy, &folder).await?;
            for missing in self.mounts().map(|source| folder.join(source)).filter(|source| !source.exists()) {
                fs::create_dir_all(&missing).map_err(|source| used(&missing, source))?;
            }
        }
        let file = scratch.path().join("compose.json");
        let text = render::render(&self.plan, &|service| self.images.name_of(service), &folder, &self.allowance);
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

    fn mounts(&self) -> impl Iterator<Item = &PathBuf> {
        self.plan.services.iter().flat_map(|service| &service.mounts).filter_map(|mount| match mount {
            Mount::OfTheApp { source, .. } => Some(source),
            Mount::Volume { .. } => None,
        })
    }

    /// Removes its images, and waits until they are gone.
    pub async fn remove(self) {
        let Self { images, scratch, .. } = self;
        images.remove().await;
        let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
    }
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
