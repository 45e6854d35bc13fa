//! The files of a run, each under the type it really has.

use super::{report, shown, tar};
use crate::downloads::{Held, Place};
use crate::encoding::{Effort, Encoded};
use crate::pages::{blocking, kept};
use crate::problem::Problem;
use crate::site::Site;
use crate::view;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use benchwright_domain::BlobId;
use image::{ImageFormat, ImageReader, Limits};
use std::io::Cursor;
use std::sync::Arc;

/// The content of a name never changes, but a run may be taken down.
pub const A_DAY: &str = "public, max-age=86400";
const JSON: &str = "application/json";
const THUMBNAIL: (u32, u32) = (480, 300);
const LARGEST_PICTURE: u32 = 8192;
const PICTURE_MEMORY: u64 = 256 << 20;
/// A downloaded report brings its own style and pictures; nothing else may act in it.
const OFFLINE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                              form-action 'none'; frame-ancestors 'none'; sandbox";

/// A screenshot.
pub async fn picture(
    State(site): State<Arc<Site>>,
    Path((run, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    shown(&site, &run).await?;
    let none = || Problem::NotFound("The run keeps no such picture.".to_owned());
    let id = BlobId(name.strip_suffix(".png").ok_or_else(none)?.to_owned());
    let bytes = blocking(move || site.pictures.get(&run, id, |id| Ok(site.storage.blob(&run, id)?))).await?;
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err(none());
    }
    let mut response = Response::new(Body::from(bytes));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(A_DAY));
    Ok(response)
}

/// The picture that stands for a run in lists, small.
pub async fn thumbnail(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = format!("{}/thumbnail.jpg", view::run_address(&run));
    kept(&site, &headers, path, async {
        let none = || Problem::NotFound("The run has no picture.".to_owned());
        let id = shown(&site, &run).await?.record.thumbnail.ok_or_else(none)?;
        let site = Arc::clone(&site);
        let small = blocking(move || shrink(&site.storage.blob(&run, &id)?).ok_or_else(none)).await?;
        Ok(Encoded::new("image/jpeg", A_DAY, Effort::Finished, small))
    })
    .await
}

/// Decoded within limits: the picture was made by our browser, but the file may have been written by anybody.
fn shrink(png: &[u8]) -> Option<Vec<u8>> {
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_PICTURE);
    limits.max_image_height = Some(LARGEST_PICTURE);
    limits.max_alloc = Some(PICTURE_MEMORY);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let small = picture.resize_to_fill(THUMBNAIL.0, THUMBNAIL.1, image::imageops::FilterType::Triangle).into_rgb8();
    let mut bytes = Vec::new();
    let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 82);
    encoder.encode_image(&small).ok()?;
    Some(bytes)
}

/// `report.json`.
pub async fn report_json(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = format!("{}/report.json", view::run_address(&run));
    kept(&site, &headers, path, async {
        let record = shown(&site, &run).await?.record;
        let text = benchwright_report::json::render(&report(&site, &record).await?);
        Ok(Encoded::new(JSON, "no-cache", Effort::Page, text))
    })
    .await
}

/// `report.html`: the one file that works offline. It is made anew for everybody who asks, so it takes a place among downloads.
pub async fn offline(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    place: Result<Place, Problem>,
) -> Result<Response, Problem> {
    let record = shown(&site, &run).await?.record;
    let place = place?;
    let report = report(&site, &record).await?;
    let name = format!("{}.html", record.run);
    let page = blocking(move || {
        let blobs = |id: &BlobId| site.storage.blob(&record.run, id).ok();
        Ok(Held::new(benchwright_report::html::render(&report, &blobs), place))
    })
    .await?;
    file(page, &name)
}

/// A report as a file to be saved.
pub fn file(page: Held, name: &str) -> Result<Response, Problem> {
    let mut response = Response::new(Body::new(page));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(OFFLINE_POLICY));
    headers.insert(CONTENT_DISPOSITION, attachment(name)?);
    Ok(response)
}

/// The whole run as an archive, as it lies in the folder.
pub async fn download(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    place: Result<Place, Problem>,
) -> Result<Response, Problem> {
    let record = shown(&site, &run).await?.record;
    let name = format!("{}.tar", record.run);
    let place = place?;
    let (sender, receiver) = flume::bounded::<Result<Bytes, std::io::Error>>(8);
    tokio::task::spawn_blocking(move || {
        let sent = tar::send(&*site.storage, &record.run, |bytes| sender.send(Ok(bytes)).map_err(|_| tar::Broken));
        if let Err(Some(error)) = sent {
            // The client sees a download that breaks off, and not half of one that looks whole.
            let _ = sender.send(Err(std::io::Error::other(error.to_string())));
        }
        drop(place);
    });
    let mut response = Response::new(Body::from_stream(receiver.into_stream()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-tar"));
    response.headers_mut().insert(CONTENT_DISPOSITION, attachment(&name)?);
    Ok(response)
}

/// Ids of runs have no character that means something in a header.
fn attachment(name: &str) -> Result<HeaderValue, Problem> {
    let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    value.map_err(|_| Problem::NotFound("There is no such run.".to_owned()))
}

/// A badge for a README.
pub async fn badge(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = format!("{}/badge.svg", view::run_address(&run));
    kept(&site, &headers, path, async {
        let record = shown(&site, &run).await?.record;
        Ok(crate::badge::svg(record.composite, record.rankable))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::super::Linked;
    use super::*;
    use crate::site::sample;
    use axum::Router;
    use axum::body::to_bytes;
    use axum::http::header::CONTENT_LENGTH;
    use axum::http::{Request, StatusCode};
    use benchwright_report::Blobs as _;
    use benchwright_store::{Folder, Storage as _};
    use tower::ServiceExt as _;

    /// A visitor who takes nothing keeps a place, and not only a page in memory.
    #[tokio::test]
    async fn whoever_had_many_connections_had_as_many_reports_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let entries = sample::entries(&["20261116T020553Z-0000"], |run, record| {
            let kept = sample::fixture().join("blobs/df").join(&record.report.as_ref().unwrap().0);
            let report = Folder::at(folder.path()).put_blob(run, &std::fs::read(kept).unwrap()).unwrap();
            assert_eq!(record.report.as_ref(), Some(&report));
        });
        let site = sample::site(folder.path(), &entries).await;
        let router = crate::router::router(Arc::new(site), Router::new());
        let ask = async || {
            let request = Request::get("/runs/20261116T020553Z-0000/report.html").body(Body::empty()).unwrap();
            router.clone().oneshot(request).await.unwrap()
        };
        let (first, second) = (ask().await, ask().await);
        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
        assert_eq!(ask().await.status(), StatusCode::SERVICE_UNAVAILABLE, "both places of this visitor are taken");
        let length = first.headers()[CONTENT_LENGTH].to_str().unwrap().to_owned();
        let page = to_bytes(first.into_body(), usize::MAX).await.unwrap();
        assert_eq!(page.len().to_string(), length);
        assert!(page.starts_with(b"<!doctype html>") && page.trim_ascii_end().ends_with(b"</html>"));
        assert_eq!(ask().await.status(), StatusCode::OK, "it was sent to its end");
    }

    #[test]
    fn what_is_no_picture_has_no_thumbnail() {
        assert_eq!(shrink(b"<svg onload=alert(1)>"), None);
        assert_eq!(shrink(b"\x89PNG\r\n\x1a\nnonsense"), None);
    }

    #[test]
    fn a_picture_is_addressed_and_never_embedded() {
        let id = BlobId("ab".repeat(32));
        assert_eq!(Linked("a/b").address(&id), Some(format!("/runs/a%2Fb/pictures/{}.png", id.0)));
        assert_eq!(Linked("a").bytes(&id), None);
    }
}
