//! The weights of models that this site serves itself: large files, in parts, never whole in memory.

use super::isolated;
use super::range::Part;
use crate::problem::Problem;
use crate::site::Site;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use std::fs::Metadata;
use std::io::SeekFrom;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio_util::io::ReaderStream;

/// Read and sent at once.
const PIECE: usize = 256 * 1024;
const FOR_A_YEAR: &str = "public, max-age=31536000";

/// A folder with weights.
#[derive(Debug, Clone)]
pub struct Weights {
    folder: PathBuf,
}

impl Weights {
    /// The weights in a folder. Files may come and go.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Whether a file is there and would be sent.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).and_then(|path| file_itself(path.symlink_metadata())).is_some()
    }

    /// Where a file is. Nothing but a plain name of weights leads anywhere.
    fn path(&self, name: &str) -> Option<PathBuf> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let is_plain = name.len() <= 200
            && name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
            && name.bytes().all(plain);
        (is_plain && name.strip_suffix(".gguf").is_some()).then(|| self.folder.join(name))
    }
}

/// What is known of a file that is one itself. A link could lead anywhere.
fn file_itself(found: std::io::Result<Metadata>) -> Option<Metadata> {
    found.ok().filter(Metadata::is_file)
}

/// A file, or the part of it that was asked for.
pub async fn file(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let none = || Problem::NotFound("This site does not have these weights.".to_owned());
    let path = site.quiz.weights.as_ref().and_then(|weights| weights.path(&name)).ok_or_else(none)?;
    let metadata = file_itself(tokio::fs::symlink_metadata(&path).await).ok_or_else(none)?;
    let file = File::open(&path).await.map_err(|_| none())?;
    let written = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let tag = format!("\"{:x}-{:x}\"", metadata.len(), written.map_or(0, |age| age.as_nanos()));
    answer(&headers, &tag, metadata.len(), file).await
}

async fn answer(headers: &HeaderMap, tag: &str, length: u64, mut file: File) -> Result<Response, Problem> {
    let broken = |error: std::io::Error| Problem::Failed(format!("failed to read weights: {error}"));
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    if known.flat_map(|value| value.split(',')).any(|one| matches!(one.trim(), "*") || one.trim() == tag) {
        return Ok(described(StatusCode::NOT_MODIFIED.into_response(), tag));
    }
    let (status, first, count) = match Part::asked(headers, tag, length) {
        Part::Whole => (StatusCode::OK, 0, length),
        Part::Bytes(first, last) => (StatusCode::PARTIAL_CONTENT, first, last + 1 - first),
        Part::Nothing => {
            let mut response = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
            set(&mut response, CONTENT_RANGE, &format!("bytes */{length}"));
            return Ok(described(response, tag));
        }
    };
    file.seek(SeekFrom::Start(first)).await.map_err(broken)?;
    let body = Body::from_stream(ReaderStream::with_capacity(file.take(count), PIECE));
    let mut response = (status, body).into_response();
    set(&mut response, CONTENT_LENGTH, &count.to_string());
    set(&mut response, CONTENT_TYPE, "application/octet-stream");
    if status == StatusCode::PARTIAL_CONTENT {
        set(&mut response, CONTENT_RANGE, &format!("bytes {first}-{}/{length}", first + count - 1));
    }
    Ok(described(response, tag))
}

fn described(mut response: Response, tag: &str) -> Response {
    set(&mut response, ETAG, tag);
    set(&mut response, CACHE_CONTROL, FOR_A_YEAR);
    set(&mut response, ACCEPT_RANGES, "bytes");
    isolated(&mut response);
    response
}

fn set(response: &mut Response, name: axum::http::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
