//! Screenshots of a walk: each picture stands in a file once, and a mark shows where an action hit.

use crate::{Blobs, text};
use benchwright_domain::BlobId;
use std::collections::BTreeMap;

/// Pictures of one file, in bytes as they stand in it. What is beyond is left out, and the file says so.
const MOST_BYTES: usize = 24 << 20;

/// The pictures that pages ask for.
pub struct Film<'a> {
    blobs: &'a dyn Blobs,
    found: BTreeMap<BlobId, Option<usize>>,
    pictures: Vec<Picture>,
    room: usize,
    /// Pictures that did not fit.
    pub left_out: usize,
}

/// A picture of a window.
pub struct Picture {
    pub anchor: String,
    pub href: String,
    /// Whether its bytes are in the page.
    pub is_embedded: bool,
    pub width: u32,
    pub height: u32,
}

/// A look at a picture, with a mark where something was hit.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    pub anchor: String,
    pub href: String,
    pub is_embedded: bool,
    pub width: u32,
    pub height: u32,
    pub mark: Option<(String, String)>,
    /// What it shows.
    pub words: String,
}

impl<'a> Film<'a> {
    pub fn new(blobs: &'a dyn Blobs) -> Self {
        Self { blobs, found: BTreeMap::new(), pictures: Vec::new(), room: MOST_BYTES, left_out: 0 }
    }

    /// The picture behind `id` of a window so large; none when it is not at hand or there is no room.
    pub fn shot(&mut self, id: &BlobId, window: (u32, u32), point: Option<(f64, f64)>, words: &str) -> Option<Shot> {
        let place = match self.found.get(id) {
            Some(known) => *known,
            None => self.develop(id, window),
        };
        let picture = &self.pictures[place?];
        Some(Shot {
            anchor: picture.anchor.clone(),
            href: picture.href.clone(),
            is_embedded: picture.is_embedded,
            width: picture.width,
            height: picture.height,
            mark: point.and_then(|point| mark(point, window)),
            words: text::line_within(words, 200),
        })
    }

    fn develop(&mut self, id: &BlobId, window: (u32, u32)) -> Option<usize> {
        let href = self.blobs.address(id);
        let fits = href.as_ref().is_some_and(|href| href.len() <= self.room);
        self.left_out += usize::from(href.is_some() && !fits);
        let place = href.filter(|_| fits && window.0 > 0 && window.1 > 0).map(|href| {
            self.room -= href.len();
            let is_embedded = href.starts_with("data:");
            let anchor = format!("picture-{}", self.pictures.len());
            self.pictures.push(Picture { anchor, href, is_embedded, width: window.0, height: window.1 });
            self.pictures.len() - 1
        });
        self.found.insert(id.clone(), place);
        place
    }

    /// The pictures that must stand in the page itself.
    pub fn into_embedded(self) -> Vec<Picture> {
        self.pictures.into_iter().filter(|picture| picture.is_embedded).collect()
    }
}

/// Where to draw the mark; none for a point outside the window.
fn mark((x, y): (f64, f64), (width, height): (u32, u32)) -> Option<(String, String)> {
    let is_inside = (0.0..=f64::from(width)).contains(&x) && (0.0..=f64::from(height)).contains(&y);
    is_inside.then(|| (format!("{x:.1}"), format!("{y:.1}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    #[test]
    fn a_picture_stands_in_the_file_once_however_often_it_is_shown() {
        let blobs = |id: &BlobId| (id.0 == "a").then(|| PNG.to_vec());
        let mut film = Film::new(&blobs);
        let id = BlobId("a".into());
        let first = film.shot(&id, (100, 50), Some((10.0, 20.0)), "before").unwrap();
        let second = film.shot(&id, (100, 50), Some((f64::NAN, 20.0)), "again").unwrap();
        assert_eq!((first.anchor, first.mark), (second.anchor.clone(), Some(("10.0".into(), "20.0".into()))));
        assert_eq!(second.mark, None);
        assert_eq!(film.shot(&BlobId("b".into()), (100, 50), None, ""), None);
        assert_eq!((film.left_out, film.into_embedded().len()), (0, 1));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let blobs = |id: &BlobId| Some([PNG, id.0.repeat(9 << 20).as_bytes()].concat());
        let mut film = Film::new(&blobs);
        assert!(film.shot(&BlobId("a".into()), (9, 9), None, "").is_some());
        for id in ["b", "c", "b"] {
            assert!(film.shot(&BlobId(id.into()), (9, 9), None, "").is_none());
        }
        assert_eq!(film.left_out, 2, "each picture is counted once");
    }
}
