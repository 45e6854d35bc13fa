use super::door::Door;
use super::{App, Hold, ServeError, Served, tools};
use crate::allowance::{Allowance, Group, Watch, over_the_disk};
use crate::instrument::Instruments;
use crate::packages::Manager;
use crate::process::{self, Finished, Foreign, Limits, Program, SYSTEM_FOLDERS, Stream};
use crate::scratch::Scratch;
use crate::walls::{self, Walls, bounds};
use crate::{Result, SandboxError};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

const RELAY: &str = include_str!("relay.mjs");
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Sends what a program says to where our process keeps the end of it.
pub(crate) const SAY_ALL_TO_STDERR: [&str; 4] = ["/bin/sh", "-c", "exec \"$@\" >&2", "sh"];
/// Where Debian says which of several programs a name means.
const ALTERNATIVES: &str = "/etc/alternatives";

/// A package whose scripts can be run behind walls: no network, a read-only system, one writable folder.
#[derive(Debug)]
pub struct Package<'a> {
    work: &'a Path,
    folder: &'a Path,
    instruments: &'a Instruments,
    scratch: &'a Scratch,
    tools: PathBuf,
    home: Option<PathBuf>,
    shared: Vec<Shared>,
    allowance: Option<Allowance>,
    listening: Option<Listening>,
}

/// Where an app has to listen that is made for a container: there is nobody who would look for it elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// The ports that are published.
    pub ports: Vec<u16>,
    /// What it is told of where to listen, and nothing else.
    pub variables: BTreeMap<String, String>,
}

/// Installed packages that several copies of an app share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Where they are.
    pub outside: PathBuf,
    /// Where they are seen, relative to the folder of the app.
    pub inside: PathBuf,
    /// Folders in them that each copy of the app has for itself, by name: where tools keep what they make as they run.
    pub own: Vec<String>,
}

impl<'a> Package<'a> {
    /// A copy of a package in `folder`, which is in `work`, the only folder its scripts may write to.
    pub fn new(work: &'a Path, folder: &'a Path, instruments: &'a Instruments, scratch: &'a Scratch) -> Result<Self> {
        let tools = scratch.fresh_folder("tools")?;
        tools::lay_out(&tools, instruments, work)
            .map_err(|source| SandboxError::Scratch { path: tools.clone(), source })?;
        Ok(Self {
            work,
            folder,
            instruments,
            scratch,
            tools,
            home: None,
            shared: Vec::new(),
            allowance: None,
            listening: None,
        })
    }

    /// Shows the work folder at another place, the same for every copy of an app.
    pub fn seen_at(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    /// Lays installed packages over the copy, which are not part of it and cannot be changed.
    pub fn sharing(mut self, shared: Vec<Shared>) -> Self {
        self.shared = shared;
        self
    }

    /// Holds what is run to an allowance, instead of to bounds that no decent program comes near.
    pub fn allowed(mut self, allowance: Allowance) -> Self {
        self.allowance = Some(allowance);
        self
    }

    /// Looks for what it serves only where a container's would be found.
    pub fn listening_at(mut self, listening: Option<Listening>) -> Self {
        self.listening = listening;
        self
    }

    /// Finds out whether scripts can be run on this machine at all.
    pub async fn prove_walls(scratch: &Scratch) -> Result<()> {
        walls::prove(scratch).await
    }

    /// Runs a script to its end. What it says is at the end of its stderr.
    pub async fn run(&self, script: &str, limit: Duration) -> Result<Finished> {
        let group = self.group();
        let mut words = self.bounds(&group);
        words.extend(SAY_ALL_TO_STDERR.map(Into::into));
        words.extend(self.npm_run(script)?);
        let folder = self.seen(self.folder);
        let program = self.surroundings(self.walls()?.start_in(&folder).program(words)?);
        let program = self.held(program, &group);
        let limits = Limits { time: limit, ..Limits::default() };
        let running = process::run(&program, b"", limits, Some(self.scratch));
        let Some(allowance) = self.allowance else { return running.await };
        tokio::select! {
            finished = running => finished,
            // Whoever is no longer waited for is killed.
            stderr_tail = over_the_disk(self.work, allowance.disk_bytes) => {
                Ok(Finished { status: None, stdout: Vec::new(), stderr_tail, timed_out: false, truncated: true })
            }
        }
    }

    /// Starts a script that serves, and waits until it answers. The app is told the listener's port, so that addresses it makes of
    /// it are right outside, too.
    pub async fn start(&self, script: &str, limit: Duration, listener: TcpListener) -> Result<Served, ServeError> {
        let address = listener.local_addr().map_err(|source| ServeError::Listen { port: 0, source })?;
        let shared = self.scratch.fresh_folder("door")?;
        let group = self.group();
        let program = self.held(self.serving(script, &shared, address.port(), &group)?, &group);
        let ledger = Some(self.scratch.ledger());
        let mut program = Foreign::spawn(&program, Stream::Null, Stream::Null, ledger)?;
        let hold = self.hold(&program, group);
        let door = wait_for_door(&mut program, &shared, script, limit).await;
        let door = door.map_err(|error| error.with_log(|log| hold.explained(log)))?;
        let port = door.port;
        let task = tokio::spawn(door.carry(listener));
        Ok(Served::new(format!("http://{address}/"), task, Some(App { program, port, hold })))
    }

    /// The command that runs the relay, which runs the script.
    fn serving(&self, script: &str, shared: &Path, port: u16, group: &Group) -> Result<Program> {
        let folder = self.seen(self.folder);
        let ports = self.listening.as_ref().map(|listening| &listening.ports);
        let settings = serde_json::json!({"door": shared, "folder": folder, "port": port, "ports": ports}).to_string();
        let mut words = self.bounds(group);
        words.push(self.instruments.node.clone().into());
        words.extend(["--input-type=module", "-e", RELAY, "--", &settings].map(Into::into));
        words.extend(self.npm_run(script)?);
        let program = self.surroundings(self.walls()?.writable(shared)?.program(words)?);
        // Some servers end with their standard input, unless somebody says that nobody is there to type.
        let program = program.env("CI", "true");
        Ok(match &self.listening {
            Some(listening) => {
                listening.variables.iter().fold(program, |program, (name, value)| program.env(name, value))
            }
            None => program.env("PORT", port.to_string()).env("HOST", "127.0.0.1"),
        })
    }

    fn group(&self) -> Group {
        self.allowance.as_ref().map(Group::make).unwrap_or_default()
    }

    fn bounds(&self, group: &Group) -> Vec<OsString> {
        self.allowance.map_or_else(bounds, |allowance| allowance.bounds(group))
    }

    fn held(&self, program: Program, group: &Group) -> Program {
        match &self.allowance {
            Some(allowance) => allowance.held(program, group),
            None => program,
        }
    }

    fn hold(&self, program: &Foreign, group: Group) -> Hold {
        let Some(allowance) = self.allowance else { return Hold::default() };
        let watch = Watch::over(program.identity(), self.scratch.path().to_owned(), allowance, &group);
        Hold { watch: Some(watch), enforced: allowance.held_by(&group), _group: group }
    }

    /// A path in the work folder as it is seen behind the walls.
    fn seen(&self, path: &Path) -> PathBuf {
        match (&self.home, path.strip_prefix(self.work)) {
            (Some(home), Ok(rest)) => home.join(rest),
            _ => path.to_owned(),
        }
    }

    /// npm runs the scripts whoever installed: managers differ in how they install, not in what a script is.
    fn npm_run(&self, script: &str) -> Result<Vec<OsString>> {
        let mut words = Manager::Npm.words(self.instruments)?;
        words.extend(["run", script].map(Into::into));
        Ok(words)
    }

    fn walls(&self) -> Result<Walls> {
        let walls = Walls::around(self.work)?
            .read_only(&self.instruments.root)
            .read_only(&self.instruments.node)
            .read_only(&self.tools)
            .open_tmp();
        let alternatives = Path::new(ALTERNATIVES);
        let mut walls = if alternatives.is_dir() { walls.read_only(alternatives) } else { walls };
        if let Some(home) = &self.home {
            walls = walls.seen_at(home);
        }
        for shared in &self.shared {
            walls = self.share(walls, shared)?;
        }
        let etc = self.tools.join("etc");
        Ok(tools::ETC
            .iter()
            .fold(walls, |walls, name| walls.read_only_at(&etc.join(name), &Path::new("/etc").join(name))))
    }

    fn share(&self, walls: Walls, shared: &Shared) -> Result<Walls> {
        let inside = self.seen(self.folder).join(&shared.inside);
        let walls = walls.read_only_on_top(&shared.outside, &inside);
        shared.own.iter().try_fold(walls, |walls, name| {
            let own = self.scratch.fresh_folder("own")?;
            walls.writable_on_top(&own, &inside.join(name))
        })
    }

    fn surroundings(&self, program: Program) -> Program {
        let mut path = self.tools.join("bin").into_os_string();
        path.push(":");
        path.push(SYSTEM_FOLDERS.join(":"));
        program
            .env("PATH", path)
            .env("BROWSER", "none")
            .env("NO_COLOR", "1")
            .env("DO_NOT_TRACK", "1")
            .env("NEXT_TELEMETRY_DISABLED", "1")
            .env("ASTRO_TELEMETRY_DISABLED", "1")
            .env("npm_config_offline", "true")
            .env("npm_config_update_notifier", "false")
            .env("npm_config_logs_max", "0")
            .env("pnpm_config_verify_deps_before_run", "false")
            .env("SKIP_YARN_COREPACK_CHECK", "1")
            .env("YARN_IGNORE_PATH", "1")
    }
}

/// Waits until the relay has found the app and opened the door to it.
async fn wait_for_door(
    program: &mut Foreign,
    shared: &Path,
    script: &str,
    limit: Duration,
) -> Result<Door, ServeError> {
    let deadline = Instant::now() + limit;
    let script = script.to_owned();
    loop {
        if let Some(door) = Door::find(shared) {
            return Ok(door);
        }
        if let Some(status) = program.exit_status() {
            // Whoever ended has said its last words; they may still be on their way to us.
            program.kill_now().await;
            return Err(ServeError::Ended { script, status: status.to_string(), log: program.stderr_tail() });
        }
        if Instant::now() >= deadline {
            program.kill().await;
            let log = program.stderr_tail();
            return Err(ServeError::Silent { script, seconds: limit.as_secs_f64(), log });
        }
        sleep(LOOK_EVERY).await;
    }
}
