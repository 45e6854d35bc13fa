//! The apps that are scored again and again, and the call that scores them.

use super::Soak;
use crate::bench::Sample;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::project;
use benchwright_fixtures::{NodeServer, Server, Site, app_folder};
use std::path::{Path, PathBuf};

/// A running app with all that can be handed in with it.
pub(super) struct Subject {
    pub name: &'static str,
    /// Everything that needs neither a judge nor a stopwatch.
    pub scorers: &'static str,
    url: String,
    prompt: PathBuf,
    source: PathBuf,
    accounts: Option<PathBuf>,
    served: Served,
}

/// What keeps the app running.
enum Served {
    Files(#[allow(dead_code, reason = "it is dropped, which is all that is asked of it")] Server),
    /// None only while it is started anew.
    Node(Option<NodeServer>),
}

impl Subject {
    /// The sample app with its source as a ZIP: types, packages, advisories.
    pub fn with_packages(soak: &Soak) -> Result<Self, Failure> {
        let sample = Sample::build(&soak.scratch.path().join("sample"))?;
        let server = Server::start(Site::folder(&sample.built)).naming("serve the sample app")?;
        Ok(Self {
            name: "slipway",
            scorers: "f1,f2,f5,f6,c1,c2,c3,c5,c6,c8,c9,v2,v4,s1,s2,s3",
            url: server.url(),
            prompt: sample.prompt,
            source: sample.zip,
            accounts: None,
            served: Served::Files(server),
        })
    }

    /// An app of the corpus with a server and two accounts.
    pub fn with_accounts() -> Result<Self, Failure> {
        let name = "workshop-orders";
        let server = NodeServer::start(&app_folder(name)).naming("start the app with accounts")?;
        Ok(Self {
            name,
            scorers: "f1,f2,f5,f6,f7,f8,c1,c3,c5,c6,c9,v2,v4,s1,s2,s4",
            url: server.url(),
            prompt: project::root().join(format!("corpus/prompts/{name}.yaml")),
            source: app_folder(name),
            accounts: Some(app_folder("shared").join("accounts.yaml")),
            served: Served::Node(Some(server)),
        })
    }

    /// Takes an app that keeps records back to those it begins with, at the same address.
    pub fn begin_anew(&mut self) -> Result<(), Failure> {
        if let Served::Node(server) = &mut self.served {
            let port = server.take().map_or(0, |server| server.port());
            *server = Some(NodeServer::start_at(&app_folder(self.name), port).naming("start the app anew")?);
        }
        Ok(())
    }

    /// The call that scores the app into a folder, with temporary files kept where they can be counted.
    pub fn score(&self, out: &Path, temporary: &Path) -> Call {
        let call = Call::new(project::release_binary())
            .arg("score")
            .arg(&self.url)
            .words("--quiet --no-judges --only")
            .arg(self.scorers)
            .arg("--prompt")
            .arg(&self.prompt)
            .arg("--source")
            .arg(&self.source)
            .arg("--out")
            .arg(out)
            .env("TMPDIR", temporary);
        match &self.accounts {
            Some(accounts) => call.arg("--accounts").arg(accounts),
            None => call,
        }
    }
}
