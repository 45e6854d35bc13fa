use super::Docker;
use crate::{Result, SandboxError};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};

const SCRIPT: &str = include_str!("janitor.sh");
const LIMIT: Duration = Duration::from_mins(2);

/// Removes everything with a label when this value goes, also when it goes because we were killed.
#[derive(Debug)]
pub struct Janitor {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Janitor {
    /// Lets it wait. It has a group of its own and is no child that ends with us: that is what it is for.
    pub fn wait_for_the_end(docker: &Docker, label: &str) -> Result<Self> {
        let program = docker.program("/bin/sh");
        let mut child = Command::new(&program.path)
            .args(["-c", SCRIPT, "janitor"])
            .arg(&docker.program)
            .arg(label)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|source| SandboxError::Spawn { program: program.path, source })?;
        let pipe = child.stdin.take();
        Ok(Self { child, pipe })
    }

    /// Has everything removed now. Whether nothing is left.
    pub async fn clear(mut self) -> bool {
        if let Some(mut pipe) = self.pipe.take() {
            let _ = pipe.write_all(b"peace").await;
        }
        matches!(tokio::time::timeout(LIMIT, self.child.wait()).await, Ok(Ok(status)) if status.success())
    }
}
