//! A folder that is served for as long as a run takes.

use crate::exit::Failure;
use crate::interruption::Interruption;
use crate::progress::Display;
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::request::Request;
use benchwright_scoring::serve::Serving;
use std::path::Path;
use url::Url;

/// Kept beside the evidence: the end of what a package wrote while it was looked at.
const LOG_FILE: &str = "app.log";

/// Serves the folder of a request, if it names one, until it answers or the user presses ctrl-C.
pub async fn open(
    request: &Request,
    port: Option<u16>,
    bench: &Workbench,
    display: &Display,
    interruption: &mut Interruption,
) -> Result<Option<Serving>, Failure> {
    let Some(serve) = &request.serve else { return Ok(None) };
    let listener = |event| display.show(&event);
    let outcome = tokio::select! {
        result = Serving::begin(serve, port, bench, &listener) => Some(result),
        () = interruption.arrives() => None,
    };
    match outcome {
        Some(Ok(serving)) => Ok(Some(serving)),
        Some(Err(error)) => {
            display.clear();
            Err(error.into())
        }
        None => {
            display.clear();
            Err(Failure::Interrupted("interrupted before the app answered; nothing was gathered".to_owned()))
        }
    }
}

/// The request with the address of what is served.
pub fn address(request: &Request, serving: Option<&Serving>) -> Request {
    let url = serving.map_or(request.url.as_str(), Serving::url);
    Request { url: url.to_owned(), ..request.clone() }
}

/// The port a folder was served at.
pub fn port(request: &Request) -> Option<u16> {
    Url::parse(&request.url).ok()?.port()
}

/// Ends what is served and keeps its log with the run.
pub async fn close(serving: Option<Serving>, run: &Path) {
    let Some(serving) = serving else { return };
    if let Some(log) = serving.log() {
        // A log that cannot be kept is no reason to lose the run.
        let _ = std::fs::write(run.join(LOG_FILE), log);
    }
    serving.stop().await;
}
