//! Serves a folder that the user wants scored: files as they are, a package by starting it behind walls, from a copy.
//!
//! See `docs/decisions/0011-serving-a-folder.md`.

pub use benchwright_sandbox::serve::{Content, ServeError};

use crate::conduct::{LOCK_LIMIT, Workbench};
use crate::record::{Lane, Listener, Progress};
use crate::request::{Serve, seconds};
use benchwright_sandbox::Scratch;
use benchwright_sandbox::quiet::QuietLock;
use benchwright_sandbox::serve::{self, Package, Served, Shop};
use std::time::Duration;

const BUILD_LIMIT: Duration = Duration::from_mins(10);

/// A folder that is being served. It ends with this value, and so does the copy it is served from.
#[derive(Debug)]
pub struct Serving {
    // The app goes before the folder it works in.
    served: Served,
    _scratch: Option<Scratch>,
}

impl Serving {
    /// Serves a folder, at a free port unless one is named.
    pub async fn begin(
        serve: &Serve,
        port: Option<u16>,
        bench: &Workbench,
        listener: Listener<'_>,
    ) -> Result<Self, ServeError> {
        let tell = |what: String| listener(Progress::Step { lane: Lane::App, what });
        let sockets = serve::listen(port).await?;
        let begun = match Content::of(&serve.folder)? {
            Content::Files => {
                tell("serving the files as they are".to_owned());
                Self { served: serve::files(&serve.folder, sockets).await?, _scratch: None }
            }
            Content::Package { script, builds } => {
                // Whoever measures in silence must not hear us install and build.
                let _busy = QuietLock::shared(&bench.quiet_lock, LOCK_LIMIT).await?;
                let scratch = Scratch::new(&bench.scratch_base, "serve")?;
                Package::prove_walls(&scratch).await?;
                let shop = Shop {
                    instruments: &bench.instruments,
                    registry: &bench.registry,
                    takes_modules: true,
                    scratch: &scratch,
                    tell: &tell,
                };
                let copy = shop.copy(&serve.folder).await?;
                let work = copy.parent().unwrap_or(&copy);
                let package = Package::new(work, &copy, &bench.instruments, &scratch)?;
                if builds {
                    tell("running its script `build`".to_owned());
                    serve::build(&package, BUILD_LIMIT).await?;
                }
                tell(format!("starting it with its script `{script}`"));
                let served = package.start(script, seconds(serve.start_seconds), sockets).await?;
                Self { served, _scratch: Some(scratch) }
            }
        };
        tell(begun.whereabouts());
        Ok(begun)
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        self.served.url()
    }

    /// The end of what a package wrote.
    pub fn log(&self) -> Option<String> {
        self.served.log()
    }

    /// Ends it and waits until it is gone.
    pub async fn stop(self) {
        self.served.stop().await;
    }

    fn whereabouts(&self) -> String {
        let url = self.url();
        match self.served.inner_port() {
            Some(port) if !url.ends_with(&format!(":{port}/")) => {
                format!("it answers at {url} (it ignores PORT and listens on {port} inside)")
            }
            _ => format!("it answers at {url}"),
        }
    }
}
