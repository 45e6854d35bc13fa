//! What a compose file asks for, as far as it may: every value typed, every path inside of the app.

use super::file::{WrittenFile, WrittenService};
use super::likeness;
use super::parts;
use super::values::{self, Variables};
use benchwright_domain::yaml::{self, Problem, Severity};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const MAX_SERVICES: usize = 6;
const MAX_ENV_BYTES: u64 = 256 * 1024;

/// The services of an app.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In the order of the file.
    pub services: Vec<Service>,
    /// The one that is looked at.
    pub front: usize,
}

impl Plan {
    /// The number of the copy of the app that a mount is taken from. Docker follows links when it starts a container, and a service that may
    /// write to a folder could by then have put one in the place of what another service mounts from below it. So that comes from another copy.
    pub fn copy_of(&self, source: &Path) -> usize {
        let mounting =
            self.services.iter().filter(|service| service.mounts.iter().any(|mount| mount.source().is_some()));
        if mounting.count() < 2 {
            return 0;
        }
        let mounts = self.services.iter().flat_map(|service| &service.mounts).filter(|mount| mount.is_written_to());
        let above: BTreeSet<&Path> =
            mounts.filter_map(Mount::source).filter(|folder| *folder != source && source.starts_with(folder)).collect();
        above.len()
    }

    /// All that is mounted of the app, with the number of its copy.
    pub fn sources(&self) -> impl Iterator<Item = (usize, &Path)> {
        let mounts = self.services.iter().flat_map(|service| &service.mounts);
        mounts.filter_map(Mount::source).map(|source| (self.copy_of(source), source))
    }
}

/// One service.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    pub name: String,
    pub source: Source,
    pub command: Option<Value>,
    pub entrypoint: Option<Value>,
    pub environment: Variables,
    /// Ports inside of the container that it wants to be reached at.
    pub ports: Vec<u16>,
    /// Services it waits for, with the condition.
    pub waits_for: BTreeMap<String, String>,
    pub healthcheck: Option<Value>,
    pub mounts: Vec<Mount>,
    pub working_dir: Option<String>,
    pub user: Option<String>,
}

impl Service {
    /// Whether nothing is said of it but where its image comes from and where it listens.
    pub fn only_runs_its_image(&self) -> bool {
        let is_silent = |command: &Option<Value>| command.as_ref().is_none_or(Value::is_null);
        is_silent(&self.command)
            && is_silent(&self.entrypoint)
            && self.working_dir.is_none()
            && self.user.is_none()
            && self.mounts.is_empty()
            && self.environment.keys().all(|name| likeness::is_where_to_listen(name))
    }
}

/// Where a service's image comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Somebody else made it.
    Image(String),
    /// The app's own recipe; paths are relative to the app. It is built on images of others.
    Build {
        context: PathBuf,
        dockerfile: PathBuf,
        arguments: Vec<(String, String)>,
        target: Option<String>,
        bases: Vec<String>,
    },
}

/// What a container finds in its file system besides its image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mount {
    /// A file or folder of the app, relative to it.
    OfTheApp { source: PathBuf, target: String, read_only: bool },
    /// A volume that is empty at first.
    Volume { name: Option<String>, target: String },
}

impl Mount {
    /// What it shows of the app.
    pub fn source(&self) -> Option<&Path> {
        match self {
            Self::OfTheApp { source, .. } => Some(source),
            Self::Volume { .. } => None,
        }
    }

    fn is_written_to(&self) -> bool {
        matches!(self, Self::OfTheApp { read_only: false, .. })
    }
}

/// Whatever is being read, and where.
pub struct Reader<'a> {
    /// The name of the file, for messages.
    pub file: &'a str,
    /// A copy of the app.
    pub root: &'a Path,
    /// Values of variables.
    pub variables: Variables,
}

impl Reader<'_> {
    /// Reads what the file asks for, or says which line may not be followed.
    pub fn plan(&self, written: &WrittenFile) -> Result<Plan, Problem> {
        let mut order: Vec<_> = written.services.iter().collect();
        order.sort_by_key(|(_, service)| yaml::place(service));
        if order.is_empty() || order.len() > MAX_SERVICES {
            return Err(
                self.problem((1, 1), &format!("an app has 1 to {MAX_SERVICES} services, and here are {}", order.len()))
            );
        }
        let services =
            order.iter().map(|(name, service)| self.service(name, service, written)).collect::<Result<Vec<_>, _>>()?;
        let published = order.iter().position(|(_, service)| service.value.ports.is_some());
        let front = published.or_else(|| services.iter().position(|service| !service.ports.is_empty()));
        let nobody = "no service has `ports`, so nobody could look at the app";
        let front = front.ok_or_else(|| self.problem((1, 1), nobody))?;
        if services[front].ports.is_empty() {
            return Err(self.problem(yaml::place(order[front].1), "it publishes no TCP port"));
        }
        Ok(Plan { services, front })
    }

    fn problem(&self, (line, column): (u64, u64), problem: &str) -> Problem {
        let problem = yaml::readable(problem);
        Problem { file: self.file.to_owned(), line, column, severity: Severity::Error, problem }
    }

    /// Takes a value apart, with its place in whatever is said against it.
    fn part<T>(
        &self,
        value: Option<&Spanned<Value>>,
        take: impl FnOnce(&Value) -> Result<T, String>,
    ) -> Result<Option<T>, Problem> {
        let Some(spanned) = value else { return Ok(None) };
        let filled = parts::filled(&spanned.value, &self.variables);
        let taken = filled.and_then(|value| take(&value));
        taken.map(Some).map_err(|problem| self.problem(yaml::place(spanned), &problem))
    }

    fn service(&self, name: &str, spanned: &Spanned<WrittenService>, file: &WrittenFile) -> Result<Service, Problem> {
        let written = &spanned.value;
        if !parts::is_name(name) {
            return Err(
                self.problem(yaml::place(spanned), "a service has a short name of letters, digits, `-` and `_`")
            );
        }
        let is_volume = |name: &str| file.volumes.contains_key(name);
        let mut ports = self.part(written.ports.as_ref(), parts::ports)?.unwrap_or_default();
        ports.extend(self.part(written.expose.as_ref(), parts::ports)?.unwrap_or_default());
        let text = |text: &Option<Spanned<String>>| match text {
            Some(text) => values::filled(&text.value, &self.variables)
                .map(Some)
                .map_err(|why| self.problem(yaml::place(text), &why)),
            None => Ok(None),
        };
        Ok(Service {
            name: name.to_owned(),
            source: self.source(spanned)?,
            command: self.part(written.command.as_ref(), parts::command)?,
            entrypoint: self.part(written.entrypoint.as_ref(), parts::command)?,
            environment: self.environment(written)?,
            ports,
            waits_for: self.part(written.depends_on.as_ref(), parts::waits_for)?.unwrap_or_default(),
            healthcheck: self.part(written.healthcheck.as_ref(), parts::healthcheck)?,
            mounts: self.part(written.volumes.as_ref(), |value| self.mounts(value, &is_volume))?.unwrap_or_default(),
            working_dir: text(&written.working_dir)?,
            user: self.part(written.user.as_ref(), parts::scalar)?,
        })
    }

    fn source(&self, spanned: &Spanned<WrittenService>) -> Result<Source, Problem> {
        let written = &spanned.value;
        if let Some(build) = self.part(written.build.as_ref(), |value| self.build(value))? {
            return Ok(build);
        }
        let Some(image) = &written.image else {
            return Err(self.problem(yaml::place(spanned), "a service has an `image` or a `build`"));
        };
        let wrong = |problem: String| self.problem(yaml::place(image), &problem);
        let name = values::filled(&image.value, &self.variables).map_err(wrong)?;
        if parts::is_image(&name) {
            Ok(Source::Image(name))
        } else {
            Err(wrong("this is no name of an image".to_owned()))
        }
    }

    fn build(&self, value: &Value) -> Result<Source, String> {
        let parts::Build { context, dockerfile, arguments, target } = parts::build(value)?;
        let context = self.inside("build context", &context)?;
        let dockerfile = self.inside("Dockerfile", &context.join(dockerfile).to_string_lossy())?;
        let text = self.read(&dockerfile)?;
        let refused = |(line, why)| format!("{}:{line}: {why}", dockerfile.display());
        let bases = super::dockerfile::read(&text, &arguments).map_err(refused)?.images(target.as_deref());
        Ok(Source::Build { context, dockerfile, arguments, target, bases })
    }

    /// Variables of its files, then its own.
    fn environment(&self, written: &WrittenService) -> Result<Variables, Problem> {
        let read = |value: &Value| {
            let mut all = Variables::new();
            for (path, required) in parts::env_files(value)? {
                match self.inside("env_file", &path) {
                    Ok(inside) => all.extend(values::of_file(&self.read(&inside)?)),
                    Err(_) if !required && parts::stays_inside(&path) => {}
                    Err(problem) => return Err(problem),
                }
            }
            Ok(all)
        };
        let mut all = self.part(written.env_file.as_ref(), read)?.unwrap_or_default();
        all.extend(self.part(written.environment.as_ref(), parts::environment)?.unwrap_or_default());
        Ok(all)
    }

    fn mounts(&self, value: &Value, is_volume: &dyn Fn(&str) -> bool) -> Result<Vec<Mount>, String> {
        let mounts = parts::mounts(value)?.into_iter();
        mounts
            .map(|parts::Mount { source, target, read_only }| match source {
                None => Ok(Mount::Volume { name: None, target }),
                Some(name) if parts::is_name(&name) && is_volume(&name) => {
                    Ok(Mount::Volume { name: Some(name), target })
                }
                Some(source) if parts::is_name(&source) => {
                    Err(format!("the volume `{source}` is not declared under `volumes`"))
                }
                Some(source) if source.contains("docker.sock") => {
                    Err("the socket of Docker is not the app's: whoever has it rules this machine".to_owned())
                }
                Some(source) => {
                    let source = self.place_inside(&source)?;
                    Ok(Mount::OfTheApp { source, target, read_only })
                }
            })
            .collect()
    }

    /// A place in the app that may be made only when it is used.
    fn place_inside(&self, path: &str) -> Result<PathBuf, String> {
        if !parts::stays_inside(path) {
            return Err(format!(
                "the mount `{path}` leads out of the app; only files and folders of the app can be mounted"
            ));
        }
        let relative = parts::tidied(path);
        // What is missing is made below whatever is there, so that has to be the app's.
        let is_there = |place: &&Path| self.root.join(place).symlink_metadata().is_ok();
        let there = relative.ancestors().find(is_there).unwrap_or(Path::new(""));
        self.inside("mount", &there.to_string_lossy())?;
        Ok(relative)
    }

    /// A path that is there, and inside of the app whatever links say.
    fn inside(&self, what: &str, path: &str) -> Result<PathBuf, String> {
        if !parts::stays_inside(path) {
            return Err(format!("the {what} `{path}` is not in the app's folder"));
        }
        let relative = parts::tidied(path);
        let missing = |_| format!("the {what} `{path}` is not there");
        let found = fs::canonicalize(self.root.join(&relative)).map_err(missing)?;
        let root = fs::canonicalize(self.root).map_err(missing)?;
        if found.starts_with(root) {
            Ok(relative)
        } else {
            Err(format!("the {what} `{path}` is a link that leads out of the app"))
        }
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        let unreadable = || format!("`{}` cannot be read", path.display());
        super::own_text(&self.root.join(path), MAX_ENV_BYTES).ok_or_else(unreadable)
    }
}
