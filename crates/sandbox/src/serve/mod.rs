//! Makes a folder reachable for a browser on this machine.

mod files;

pub use files::files;

use tokio::task::JoinHandle;

/// An app that is being served. It ends with this value.
#[derive(Debug)]
pub struct Served {
    url: String,
    task: JoinHandle<()>,
}

impl Served {
    fn new(url: String, task: JoinHandle<()>) -> Self {
        Self { url, task }
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}
