//! Bodies that are sent many times: compressed once for each encoding a client may ask for.

use axum::body::Body;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::OnceLock;

/// Shorter ones are not worth it.
const WORTH_COMPRESSING: usize = 1024;
const BROTLI_WINDOW: u32 = 22;

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For what is made anew now and then.
    Page,
    /// For what never changes.
    Asset,
    /// None: it is compressed already.
    Finished,
}

/// Bytes, their type, and their compressed forms as soon as somebody asked for them.
pub struct Encoded {
    content_type: HeaderValue,
    cache_control: HeaderValue,
    tag: HeaderValue,
    effort: Effort,
    plain: Bytes,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

/// How a body may be sent, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    Brotli,
    Gzip,
    Plain,
}

impl Encoded {
    pub fn new(
        content_type: &'static str,
        cache_control: &'static str,
        effort: Effort,
        bytes: impl Into<Bytes>,
    ) -> Self {
        let plain = bytes.into();
        let tag = HeaderValue::try_from(format!("W/\"{}\"", fingerprint(&plain)));
        Self {
            content_type: HeaderValue::from_static(content_type),
            cache_control: HeaderValue::from_static(cache_control),
            tag: tag.unwrap_or_else(|_| HeaderValue::from_static("")),
            effort,
            plain,
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }

    /// What it takes in memory, compressed forms included: they are at most as long.
    pub fn weight(&self) -> usize {
        2 * self.plain.len() + 512
    }

    /// The answer to a request with these headers.
    pub fn answer(&self, asked: &HeaderMap) -> Response<Body> {
        if is_known(asked, &self.tag) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            self.describe(response.headers_mut());
            return response;
        }
        let is_worth_it = self.plain.len() >= WORTH_COMPRESSING && self.effort != Effort::Finished;
        let coding = if is_worth_it { accepted(asked) } else { Coding::Plain };
        let (bytes, name) = match coding {
            Coding::Brotli => (self.brotli.get_or_init(|| brotli(&self.plain, self.effort)), Some("br")),
            Coding::Gzip => (self.gzip.get_or_init(|| gzip(&self.plain, self.effort)), Some("gzip")),
            Coding::Plain => (&self.plain, None),
        };
        let mut response = Response::new(Body::from(bytes.clone()));
        self.describe(response.headers_mut());
        response.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
        if let Some(name) = name {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        response
    }

    fn describe(&self, headers: &mut HeaderMap) {
        headers.insert(ETAG, self.tag.clone());
        headers.insert(CACHE_CONTROL, self.cache_control.clone());
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    }
}

/// The first 16 hexadecimal digits of the SHA-256.
pub fn fingerprint(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..8].iter().fold(String::with_capacity(16), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn is_known(asked: &HeaderMap, tag: &HeaderValue) -> bool {
    let opaque = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    let known = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let Ok(tag) = tag.to_str().map(opaque) else { return false };
    known.flat_map(|value| value.split(',')).any(|one| opaque(one) == tag || one.trim() == "*")
}

/// The best coding that a client accepts.
pub fn accepted(asked: &HeaderMap) -> Coding {
    let lines = asked.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut best = Coding::Plain;
    for entry in lines.flat_map(|line| line.split(',')) {
        let mut parts = entry.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let refused =
            parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q <= 0.0)));
        match name {
            "br" if !refused => return Coding::Brotli,
            "gzip" if !refused => best = Coding::Gzip,
            _ => {}
        }
    }
    best
}

fn brotli(plain: &[u8], effort: Effort) -> Bytes {
    let quality = if effort == Effort::Asset { 11 } else { 5 };
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 64 * 1024, quality, BROTLI_WINDOW);
    // Writing to memory cannot fail.
    let _ = writer.write_all(plain);
    Bytes::from(writer.into_inner())
}

fn gzip(plain: &[u8], effort: Effort) -> Bytes {
    let level = if effort == Effort::Asset { flate2::Compression::best() } else { flate2::Compression::new(6) };
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), level);
    let written = writer.write_all(plain).and_then(|()| writer.finish());
    written.map(Bytes::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: axum::http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn the_best_coding_a_client_accepts_is_chosen() {
        let coding = |value| accepted(&asked(ACCEPT_ENCODING, value));
        assert_eq!(coding("gzip, deflate, br, zstd"), Coding::Brotli);
        assert_eq!(coding("gzip;q=0.5, br;q=0"), Coding::Gzip);
        assert_eq!(coding("deflate"), Coding::Plain);
        assert_eq!(coding("gzip;q=0"), Coding::Plain);
    }

    #[test]
    fn a_client_that_has_the_page_is_told_so() {
        let page = Encoded::new("text/html", "no-cache", Effort::Page, "x".repeat(5000));
        let first = page.answer(&asked(ACCEPT_ENCODING, "gzip"));
        assert_eq!((first.status(), first.headers()[CONTENT_ENCODING].to_str().unwrap()), (StatusCode::OK, "gzip"));
        let tag = first.headers()[ETAG].clone();
        let again = page.answer(&HeaderMap::from_iter([(IF_NONE_MATCH, tag)]));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(page.answer(&asked(IF_NONE_MATCH, "\"other\"")).status(), StatusCode::OK);
    }
}
