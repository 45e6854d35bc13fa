use std::io;
use std::path::PathBuf;

/// What can go wrong at the boundary. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A scratch folder could not be made or written.
    #[error("use the scratch folder {}: {source}", path.display())]
    Scratch {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("start {}: {source}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Reading from, writing to or waiting for a program failed.
    #[error("talk to {}: {source}", program.display())]
    Talk {
        /// The program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An address that should be this machine's is not.
    #[error("listen on {address}, which should be this machine's end of a network of containers: {source}")]
    Listen {
        /// The address.
        address: std::net::IpAddr,
        /// The cause.
        source: io::Error,
    },
    /// No browser was found.
    #[error("{0}")]
    NoBrowser(String),
    /// The browser ended right after its start.
    #[error("start the browser {}: it ended at once ({status}){}", program.display(), said(stderr))]
    BrowserExited {
        /// The browser.
        program: PathBuf,
        /// Its exit status.
        status: String,
        /// The end of what it wrote to stderr.
        stderr: String,
    },
    /// The browser runs but does not answer.
    #[error("get an answer from the browser {} within {seconds:.0} s{}", program.display(), said(stderr))]
    BrowserSilent {
        /// The browser.
        program: PathBuf,
        /// How long it was given.
        seconds: f64,
        /// The end of what it wrote to stderr.
        stderr: String,
    },
    /// The pinned instruments are not there, or not complete.
    #[error("use the instruments in {}: {what}; run `cargo xtask setup`", root.display())]
    Instruments {
        /// The folder that was looked into.
        root: PathBuf,
        /// What is missing or wrong.
        what: String,
    },
    /// There is nothing on this machine to confine a program with.
    #[error(
        "confine a program that is not ours: bubblewrap (`bwrap`) was not found; \
         install it (Debian: `apt-get install bubblewrap`)"
    )]
    NoConfinement,
    /// Bubblewrap is there, but the system does not let it build its walls.
    #[error(
        "build walls around a program: bubblewrap is not allowed to on this machine{}; allow user namespaces (`sysctl \
         kernel.unprivileged_userns_clone=1`, on Ubuntu also `kernel.apparmor_restrict_unprivileged_userns=0`) or, in a \
         container, start it with `--security-opt seccomp=unconfined`",
        said_briefly(said)
    )]
    WallsRefused {
        /// What bubblewrap said.
        said: String,
    },
    /// The machine-wide lock could not be opened.
    #[error("open the quiet lock {}: {source}", path.display())]
    QuietLock {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Somebody else kept the machine-wide lock for too long.
    #[error("take the quiet lock {} within {seconds:.0} s: another run on this machine holds it", path.display())]
    QuietLockBusy {
        /// The lock file.
        path: PathBuf,
        /// How long was waited.
        seconds: f64,
    },
}

fn said_briefly(stderr: &str) -> String {
    stderr.lines().last().map(|line| format!(" (it says: {})", line.trim())).unwrap_or_default()
}

fn said(stderr: &str) -> String {
    let text = stderr.trim();
    if text.is_empty() { String::new() } else { format!("; it wrote: {text}") }
}
