use super::ServeError;
use crate::packages::lockfile::manifest;
use serde_json::Value;
use std::path::Path;

/// Scripts that start an app, in the order in which they are looked for.
const START_SCRIPTS: [&str; 3] = ["start", "preview", "serve"];
const BUILD_SCRIPT: &str = "build";
/// Where builds go.
const OUTPUTS: [&str; 4] = ["dist", "build", "out", "public"];

/// What a folder that is to be served holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Files to be served as they are.
    Files,
    /// A package with a script that starts it.
    Package {
        /// That script.
        script: &'static str,
        /// Whether there is a script `build`, which is run before.
        builds: bool,
    },
}

impl Content {
    /// Looks at a folder. A script that starts the app goes before files: what such an app serves is rarely what lies there.
    pub fn of(folder: &Path) -> Result<Self, ServeError> {
        if !folder.is_dir() {
            return Err(nothing(folder, "it is not a folder".to_owned()));
        }
        let manifest = manifest(folder);
        let scripts = manifest.as_ref().and_then(|manifest| manifest.get("scripts"));
        let has =
            |name: &str| scripts.and_then(|list| list.get(name)?.as_str()).is_some_and(|text| !text.trim().is_empty());
        if let Some(script) = START_SCRIPTS.into_iter().find(|name| has(name)) {
            return Ok(Self::Package { script, builds: has(BUILD_SCRIPT) });
        }
        if folder.join("index.html").is_file() {
            return Ok(Self::Files);
        }
        Err(nothing(folder, advice(folder, manifest.as_ref())))
    }
}

fn nothing(folder: &Path, why: String) -> ServeError {
    ServeError::Nothing { folder: folder.to_owned(), why }
}

/// What a user can do about a folder with neither a page nor a script to start.
fn advice(folder: &Path, manifest: Option<&Value>) -> String {
    let built = OUTPUTS.into_iter().map(|name| folder.join(name)).find(|output| output.join("index.html").is_file());
    match (built, manifest) {
        (Some(built), _) => {
            format!("it has no index.html, but {0} has; serve that: --serve {0}", built.display())
        }
        (None, Some(_)) => {
            "its package.json has no script `start`, `preview` or `serve`, and there is no index.html; add one, \
                            or build the app and serve what it builds"
                .to_owned()
        }
        (None, None) => {
            "it has neither an index.html nor a package.json with a script `start`, `preview` or `serve`".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn content(files: &[(&str, &str)]) -> Result<Content, String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Content::of(folder.path()).map_err(|error| {
            assert!(!error.is_environment());
            error.to_string()
        })
    }

    #[test]
    fn a_script_that_starts_goes_before_files_and_start_before_the_others() {
        let page = ("index.html", "<h1>Source of an app</h1>");
        let scripts = |text| ("package.json", text);
        let all = scripts(r#"{"scripts":{"serve":"c","preview":"b","start":"a"}}"#);
        assert_eq!(content(&[page, all]).unwrap(), Content::Package { script: "start", builds: false });
        let vite = scripts(r#"{"scripts":{"dev":"vite","build":"vite build","preview":"vite preview"}}"#);
        assert_eq!(content(&[page, vite]).unwrap(), Content::Package { script: "preview", builds: true });
        assert_eq!(content(&[page, scripts(r#"{"scripts":{"start":" ","dev":"x"}}"#)]).unwrap(), Content::Files);
        assert_eq!(content(&[page, scripts("{,}")]).unwrap(), Content::Files);
        assert_eq!(content(&[page]).unwrap(), Content::Files);
    }

    #[test]
    fn a_folder_with_nothing_to_serve_gets_advice() {
        assert!(content(&[("dist/index.html", "")]).unwrap_err().contains("/dist"));
        assert!(content(&[("package.json", "{}")]).unwrap_err().contains("`start`"));
        assert!(content(&[("a.txt", "")]).unwrap_err().contains("neither an index.html nor"));
        let error = Content::of(Path::new("/no/such/folder")).unwrap_err().to_string();
        assert!(error.contains("/no/such/folder: it is not a folder"), "{error}");
    }
}
