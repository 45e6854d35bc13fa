//! The script of the quiz page and what its engines load: a folder that `cargo xtask setup` makes, found when the site starts.

use super::isolated;
use crate::encoding::{Effort, Encoded};
use crate::pages::blocking;
use crate::problem::Problem;
use crate::site::Site;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// The page's script; a folder without it is no bundle.
const SCRIPT: &str = "page.js";
/// Larger files are not compressed as hard: somebody waits.
const LARGE: u64 = 512 * 1024;
const LARGEST: u64 = 64 * 1024 * 1024;
const MOST_FILES: usize = 500;

/// The files of the page, under an address that changes with their content.
pub struct Bundle {
    hash: String,
    files: BTreeMap<String, Arc<BundledFile>>,
}

struct BundledFile {
    path: PathBuf,
    bytes: u64,
    content_type: &'static str,
    /// Read when somebody first asks for it.
    body: OnceLock<Encoded>,
}

impl Bundle {
    /// The bundle in a folder; nothing if there is none.
    pub fn in_folder(folder: &std::path::Path) -> io::Result<Option<Self>> {
        if !folder.join(SCRIPT).is_file() {
            return Ok(None);
        }
        let mut files = BTreeMap::new();
        let mut hasher = Sha256::new();
        let mut names: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        names.sort_by_key(std::fs::DirEntry::file_name);
        for entry in names.into_iter().take(MOST_FILES) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let metadata = entry.metadata()?;
            if !entry.file_type()?.is_file() || metadata.len() > LARGEST {
                continue;
            }
            let path = entry.path();
            hasher.update(name.as_bytes());
            hasher.update(Sha256::digest(std::fs::read(&path)?));
            let content_type = content_type(&name);
            let file = BundledFile { path, bytes: metadata.len(), content_type, body: OnceLock::new() };
            files.insert(name, Arc::new(file));
        }
        let hash = hasher.finalize()[..8].iter().fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        Ok(Some(Self { hash, files }))
    }

    /// Where the files are, without a slash at the end.
    pub fn base(&self) -> String {
        format!("/quiz/assets/{}", self.hash)
    }

    /// Where the page's script is.
    pub fn script(&self) -> String {
        format!("{}/{SCRIPT}", self.base())
    }
}

impl BundledFile {
    fn answer(&self, headers: &HeaderMap) -> Result<Response, Problem> {
        if self.body.get().is_none() {
            let failed = |error: io::Error| Problem::Failed(format!("failed to read {}: {error}", self.path.display()));
            let mut bytes = Vec::new();
            std::fs::File::open(&self.path)
                .and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
                .map_err(failed)?;
            let effort = if self.bytes > LARGE { Effort::Page } else { Effort::Asset };
            let _ = self.body.set(Encoded::new(self.content_type, FOR_EVER, effort, bytes));
        }
        let body = self.body.get().ok_or_else(|| Problem::Failed("failed to keep a file".to_owned()))?;
        let mut response = body.answer(headers);
        isolated(&mut response);
        Ok(response)
    }
}

/// A file of the page. An old hash leads nowhere: whoever has it has an old page.
pub async fn file(
    State(site): State<Arc<Site>>,
    Path((hash, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let bundle = site.quiz.bundle.as_ref().filter(|bundle| bundle.hash == hash);
    let found = bundle.and_then(|bundle| bundle.files.get(&name)).cloned();
    let found = found.ok_or_else(|| Problem::NotFound("There is no such file. Load the page again.".to_owned()))?;
    // Reading and compressing megabytes is no work for a thread that serves others.
    blocking(move || found.answer(&headers)).await
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_the_script_is_no_bundle() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("quiz.wasm"), b"\0asm").unwrap();
        assert!(Bundle::in_folder(folder.path()).unwrap().is_none());
        assert!(Bundle::in_folder(&folder.path().join("nowhere")).unwrap().is_none());
    }

    #[test]
    fn the_address_changes_with_the_content() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(SCRIPT), "one").unwrap();
        std::fs::write(folder.path().join("quiz.wasm"), b"\0asm").unwrap();
        let one = Bundle::in_folder(folder.path()).unwrap().unwrap();
        assert_eq!(one.files["quiz.wasm"].content_type, "application/wasm");
        std::fs::write(folder.path().join("quiz.wasm"), b"\0asn").unwrap();
        assert_ne!(Bundle::in_folder(folder.path()).unwrap().unwrap().hash, one.hash);
    }
}
