//! The site, running from the release binary.

use crate::failure::{Failure, Naming};
use crate::project;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A site that ends with this.
pub struct SiteProcess {
    child: Child,
    /// Where it listens, with a slash at the end.
    pub address: String,
}

impl SiteProcess {
    /// Serves a data folder on a free port.
    pub fn start(data: &Path, more: &[&str]) -> Result<Self, Failure> {
        let mut child = Command::new(project::release_binary())
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .naming("start the site")?;
        let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
        let address = lines.map_while(Result::ok).find_map(|line| Some(line.split_once(" on ")?.1.to_owned()));
        let address = address.ok_or_else(|| Failure::check("the site did not say where it listens"))?;
        Ok(Self { child, address })
    }
}

impl Drop for SiteProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
