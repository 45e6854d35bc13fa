//! Makes a folder reachable for a browser on this machine: files as they are, a package by running its scripts behind walls. See
//! `docs/decisions/0011-serving-a-folder.md`.

mod content;
mod door;
mod files;
mod package;
mod prepare;
mod tools;
pub mod tree;

pub use content::Content;
pub use files::files;
pub(crate) use package::SAY_ALL_TO_STDERR;
pub use package::{Listening, Package, Shared};
pub use prepare::{Shop, build};

use crate::SandboxError;
use crate::allowance::{Enforced, Group, Watch};
use crate::process::Foreign;
use std::io;
use std::path::PathBuf;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How much of an app's log is quoted when it does not start.
const QUOTED_LINES: usize = 30;

/// Why a folder cannot be served. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is nothing in a folder that could be served.
    #[error("serve {}: {why}", folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
        /// What is missing, and what to do.
        why: String,
    },
    /// An app's dependencies could not be installed.
    #[error("install what the app needs (`{command}`; a `node_modules` that is there is taken as it is): {said}")]
    Install {
        /// What a user would type.
        command: String,
        /// What the package manager said.
        said: String,
        /// Whether the app is to blame.
        is_the_apps: bool,
    },
    /// An app's build failed.
    #[error("build the app: its script `build` {how}{said}")]
    Build {
        /// How it ended.
        how: String,
        /// The end of what it said.
        said: String,
    },
    /// Something this machine lacks.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Nobody may listen there.
    #[error("listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port; 0 for any.
        port: u16,
        /// The cause.
        source: io::Error,
    },
    /// A link leads out of a folder of files.
    #[error("serve the link {}: it leads out of the folder; put a copy in its place", .0.display())]
    LeadsOut(PathBuf),
    /// A folder of files holds more than any site has.
    #[error("serve {}: it holds more than {most} files", folder.display())]
    Crowd {
        /// The folder.
        folder: PathBuf,
        /// How many are served at most.
        most: usize,
    },
    /// A folder of files cannot be looked through.
    #[error("read {}: {source}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The app ended instead of serving.
    #[error("start the app: its script `{script}` ended ({status}) before anything listened{}", quoted(log))]
    Ended {
        /// The script.
        script: String,
        /// How it ended.
        status: String,
        /// The end of what it wrote.
        log: String,
    },
    /// The app runs, but nothing answers.
    #[error(
        "reach the app: its script `{script}` runs, but nothing in it answered HTTP within {seconds:.0} s{}",
        quoted(log)
    )]
    Silent {
        /// The script.
        script: String,
        /// How long it was given.
        seconds: f64,
        /// The end of what it wrote.
        log: String,
    },
}

impl ServeError {
    /// Whether this machine is to blame, not the folder.
    pub fn is_environment(&self) -> bool {
        match self {
            Self::Sandbox(_) | Self::Listen { .. } => true,
            Self::Install { is_the_apps, .. } => !is_the_apps,
            _ => false,
        }
    }
}

impl ServeError {
    /// The same error with another log.
    fn with_log(mut self, change: impl FnOnce(String) -> String) -> Self {
        if let Self::Ended { log, .. } | Self::Silent { log, .. } = &mut self {
            *log = change(std::mem::take(log));
        }
        self
    }
}

/// The end of a log, for an error message.
pub fn quoted(log: &str) -> String {
    // A terminal must not follow orders from a log.
    let shown = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>();
    let lines: Vec<String> = log.lines().map(shown).filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return "; it wrote nothing".to_owned();
    }
    let last = &lines[lines.len().saturating_sub(QUOTED_LINES)..];
    format!("; the end of its log:\n  {}", last.join("\n  "))
}

/// Listens on this machine's own loopback interface, at a free port unless one is named.
pub async fn listen(port: Option<u16>) -> Result<TcpListener, ServeError> {
    let port = port.unwrap_or(0);
    TcpListener::bind(("127.0.0.1", port)).await.map_err(|source| ServeError::Listen { port, source })
}

/// An app that is being served. It ends with this value.
#[derive(Debug)]
pub struct Served {
    url: String,
    task: JoinHandle<()>,
    app: Option<App>,
}

/// A running package.
#[derive(Debug)]
struct App {
    program: Foreign,
    /// Where it listens behind its walls.
    port: u16,
    hold: Hold,
}

/// What holds a package to its allowance. The group goes last: it can only be removed when nobody is in it.
#[derive(Debug, Default)]
struct Hold {
    watch: Option<Watch>,
    enforced: Enforced,
    _group: Group,
}

impl Hold {
    /// A log, with the reason at its end if the package was ended for using too much.
    fn explained(&self, log: String) -> String {
        match self.watch.as_ref().and_then(Watch::found) {
            Some(why) => format!("{log}\n[{why}]\n"),
            None => log,
        }
    }
}

impl Served {
    fn new(url: String, task: JoinHandle<()>, app: Option<App>) -> Self {
        Self { url, task, app }
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The port a package listens on behind its walls.
    pub fn inner_port(&self) -> Option<u16> {
        self.app.as_ref().map(|app| app.port)
    }

    /// The end of what a package has written so far.
    pub fn log(&self) -> Option<String> {
        self.app.as_ref().map(|app| app.hold.explained(app.program.stderr_tail()))
    }

    /// Whether it can still answer.
    pub fn is_running(&self) -> bool {
        !self.task.is_finished() && self.app.as_ref().is_none_or(|app| app.program.identity().is_running())
    }

    /// What holds a package to its allowance.
    pub fn enforced(&self) -> Enforced {
        self.app.as_ref().map(|app| app.hold.enforced.clone()).unwrap_or_default()
    }

    /// Ends it without asking first, for when nothing it could still do matters.
    pub async fn end(mut self) {
        self.task.abort();
        if let Some(app) = &mut self.app {
            app.program.kill_now().await;
        }
    }

    /// Ends it and waits until it is gone.
    pub async fn stop(mut self) {
        self.task.abort();
        if let Some(app) = &mut self.app {
            app.program.kill().await;
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_log_is_quoted_and_it_cannot_steer_a_terminal() {
        let lines: Vec<String> = (1..=100).map(|number| format!("line {number}\u{1b}[2J\n")).collect();
        let quoted = quoted(&lines.join("\n"));
        assert!(quoted.contains("line 71[2J\n") && quoted.ends_with("line 100[2J"), "{quoted}");
        assert!(!quoted.contains("line 70[") && !quoted.contains('\u{1b}'));
        assert!(super::quoted(" \n").contains("wrote nothing"));
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_named() {
        let taken = listen(None).await.unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = listen(Some(port)).await.unwrap_err();
        assert!(error.is_environment() && error.to_string().contains(&port.to_string()), "{error}");
    }
}
