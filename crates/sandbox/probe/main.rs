//! Holds what a crashed run would have held, until it is killed. For the tests of this crate only.
//!
//! Reads one JSON line from stdin: `{"base": folder, "browser": program or null, "lock": file or null}`. Takes the lock
//! exclusively, or starts a browser, or else a program that does not care whether we live; writes `{"pid": …,
//! "scratch": …}` to stdout and waits.

use benchwright_sandbox::process::{Foreign, Program, Stream, is_root};
use benchwright_sandbox::{Launch, QuietLock, Scratch, chromium};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let order: Value = serde_json::from_str(&line)?;
    let base = order["base"].as_str().ok_or("no base")?;
    let scratch = Scratch::new(Path::new(base), "probe")?;
    if let Some(lock) = order["lock"].as_str() {
        let _held = QuietLock::exclusive(Path::new(lock), Duration::from_mins(1)).await?;
        hold(std::process::id(), &scratch).await
    } else if let Some(browser) = order["browser"].as_str() {
        let launch = Launch {
            program: Path::new(browser),
            scratch: &scratch,
            debugging_port: true,
            as_root: is_root(),
            extra_args: Vec::new(),
            start_limit: Duration::from_mins(1),
        };
        let running = chromium::launch(launch).await?;
        hold(running.pid(), &scratch).await
    } else {
        let sleeper = Program::new("/bin/sleep").args(["600"]);
        let foreign = Foreign::spawn(&sleeper, Stream::Null, Stream::Null, Some(scratch.ledger()))?;
        hold(foreign.identity().pid, &scratch).await
    }
}

async fn hold(pid: u32, scratch: &Scratch) -> Result<(), Box<dyn std::error::Error>> {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", json!({"pid": pid, "scratch": scratch.path()}))?;
    stdout.flush()?;
    std::future::pending().await
}
