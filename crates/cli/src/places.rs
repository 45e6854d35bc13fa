//! Where this machine has what a run was asked to look at.
//!
//! A run may be published, and paths of the machine it was made on are nobody's business. So its log has names only; the paths, which
//! `resume` needs, lie beside the log in a file that is no part of the run.

use crate::exit::Failure;
use crate::outputs;
use benchwright_scoring::request::Request;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "places.json";

/// Paths of one machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    source: Option<PathBuf>,
    served: Option<PathBuf>,
    /// Program and arguments of every added scorer, in order.
    commands: Vec<Vec<String>>,
}

impl Places {
    /// Takes the paths out of a request and leaves names.
    pub fn taken_from(request: &mut Request) -> Self {
        let places = Self {
            source: request.source.clone(),
            served: request.serve.as_ref().map(|serve| serve.folder.clone()),
            commands: request.commands.iter().map(|scorer| scorer.command.clone()).collect(),
        };
        request.source = request.source.as_deref().map(name_of);
        if let Some(serve) = &mut request.serve {
            serve.folder = name_of(&serve.folder);
        }
        for word in request.commands.iter_mut().flat_map(|scorer| &mut scorer.command) {
            if Path::new(word).is_absolute() {
                *word = name_of(Path::new(word)).to_string_lossy().into_owned();
            }
        }
        places
    }

    /// Puts the paths back.
    fn into_request(self, request: &mut Request) {
        request.source = self.source;
        if let (Some(serve), Some(folder)) = (&mut request.serve, self.served) {
            serve.folder = folder;
        }
        for (scorer, command) in request.commands.iter_mut().zip(self.commands) {
            scorer.command = command;
        }
    }

    /// Keeps the paths beside the log of a run.
    pub fn keep(&self, run: &Path) -> Result<(), Failure> {
        if *self == Self::default() {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::Bug(error.to_string()))?;
        outputs::replace(&run.join(FILE), text.as_bytes())
    }
}

/// Puts back what is known of the paths of a run. A run from elsewhere has names only.
pub fn restore(run: &Path, request: &mut Request) {
    let kept = fs::read(run.join(FILE)).ok().and_then(|bytes| serde_json::from_slice::<Places>(&bytes).ok());
    if let Some(places) = kept {
        places.into_request(request);
    }
}

fn name_of(path: &Path) -> PathBuf {
    PathBuf::from(path.file_name().unwrap_or(path.as_os_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_scoring::request::{CommandScorer, Serve};

    #[test]
    fn paths_leave_names_behind_and_come_back_from_beside_the_run() {
        let command = ["/home/ada/count.sh", "--in", "/home/ada/words", "plain"].map(str::to_owned).to_vec();
        let given = Request {
            source: Some("/home/ada/app.zip".into()),
            serve: Some(Serve { folder: "/home/ada/app".into(), start_seconds: 1.0 }),
            commands: vec![CommandScorer { id: "count".into(), command }],
            routes: vec!["/pricing/plans".into()],
            ..Request::new("https://app.example/")
        };
        let mut frozen = given.clone();
        let places = Places::taken_from(&mut frozen);
        assert!(!serde_json::to_string(&frozen).unwrap().contains("ada"));
        assert_eq!((frozen.source.as_deref(), &frozen.routes), (Some(Path::new("app.zip")), &given.routes));
        assert_eq!(frozen.commands[0].command, ["count.sh", "--in", "words", "plain"]);
        let run = tempfile::tempdir().unwrap();
        places.keep(run.path()).unwrap();
        restore(run.path(), &mut frozen);
        assert_eq!(frozen, given);
    }

    #[test]
    fn a_request_without_paths_keeps_no_file_and_a_broken_file_changes_nothing() {
        let run = tempfile::tempdir().unwrap();
        let mut request = Request::new("https://app.example/");
        Places::taken_from(&mut request).keep(run.path()).unwrap();
        assert!(!run.path().join(FILE).exists());
        fs::write(run.path().join(FILE), "{").unwrap();
        restore(run.path(), &mut request);
        assert_eq!(request, Request::new("https://app.example/"));
    }
}
