//! Screenshots: each picture stands in the file once, and every crop of it is a small window onto that one copy.

use crate::{Blobs, Report, number, text};
use base64::Engine as _;
use benchwright_domain::report::Screenshot;
use benchwright_domain::{Place, Rect};

/// Larger pictures are left out: the report has to open on a phone.
const LARGEST_PICTURE: usize = 12 << 20;
const LARGEST_SIDE: u32 = 65_535;
/// The three viewports side by side, in the order of their names here.
pub const VIEWPORTS: [(&str, &str); 3] = [("desktop", "Desktop"), ("tablet", "Tablet"), ("mobile", "Mobile")];
/// Width of the row of viewports and the gaps in it, in CSS pixels; the style sheet knows the same numbers.
const ROW: (f64, f64) = (976.0, 24.0);
const TALLEST_IN_ROW: f64 = 400.0;
/// Room around an element, and the smallest and largest window, in CSS pixels of the page.
const MARGIN: f64 = 32.0;
const SMALLEST_WINDOW: (f64, f64) = (360.0, 120.0);
const TALLEST_WINDOW: f64 = 480.0;
/// Between an element and the outline around it.
const GAP: f64 = 4.0;

/// The pictures of a report whose bytes are at hand.
pub struct Album(Vec<Source>);

/// One picture, and where the page finds it.
pub struct Source {
    pub anchor: String,
    pub name: String,
    pub width: u32,
    pub height: u32,
    pub href: String,
}

/// One viewport in the row of screenshots.
pub struct Picture {
    pub anchor: String,
    pub title: &'static str,
    pub width: u32,
    pub height: u32,
    pub shown_width: String,
    pub shown_height: String,
}

/// A window onto a picture with an element in its middle.
pub struct Crop {
    pub anchor: String,
    pub name: String,
    /// Too wide to stand beside text.
    pub is_wide: bool,
    pub view: Frame,
    pub mark: Frame,
}

/// A rectangle, ready for SVG attributes.
pub struct Frame {
    pub x: String,
    pub y: String,
    pub width: String,
    pub height: String,
}

impl Album {
    pub fn of(report: &Report, blobs: &dyn Blobs) -> Self {
        let wanted = report.screenshots.iter().filter(|shot| is_viewport(shot) || is_cropped(report, shot));
        let sources = wanted
            .enumerate()
            .filter_map(|(position, shot)| Source::of(format!("shot-{position}"), shot, blobs))
            .collect();
        Self(sources)
    }

    pub fn pictures(&self) -> Vec<Picture> {
        let shown: Vec<_> = VIEWPORTS
            .iter()
            .filter_map(|(name, title)| Some((*title, self.0.iter().find(|source| source.name == *name)?)))
            .collect();
        let ratio = |source: &Source| f64::from(source.width) / f64::from(source.height);
        let ratios: f64 = shown.iter().map(|(_, source)| ratio(source)).sum();
        let gaps = ROW.1 * shown.len().saturating_sub(1) as f64;
        let height = ((ROW.0 - gaps) / ratios).min(TALLEST_IN_ROW).floor();
        shown
            .into_iter()
            .map(|(title, source)| Picture {
                anchor: source.anchor.clone(),
                title,
                width: source.width,
                height: source.height,
                shown_width: format!("{:.0}", (height * ratio(source)).floor()),
                shown_height: format!("{height:.0}"),
            })
            .collect()
    }

    /// The window in which `rect` can be seen on the picture `name`; none when the picture is missing or the element is off it.
    pub fn crop(&self, name: &str, rect: Rect) -> Option<Crop> {
        let source = self.0.iter().find(|source| source.name == name)?;
        let picture = (f64::from(source.width), f64::from(source.height));
        let (left, right) = visible(rect.x, rect.width, picture.0)?;
        let (top, bottom) = visible(rect.y, rect.height, picture.1)?;
        let (x, width) = window(left, right, SMALLEST_WINDOW.0, picture.0, picture.0);
        let (y, height) = window(top, bottom, SMALLEST_WINDOW.1, TALLEST_WINDOW, picture.1);
        Some(Crop {
            anchor: source.anchor.clone(),
            name: text::line_within(&source.name, 40),
            is_wide: width > 400.0,
            view: Frame::of(x, y, width, height),
            mark: Frame::of(left - GAP, top - GAP, right - left + 2.0 * GAP, bottom - top + 2.0 * GAP),
        })
    }

    pub fn into_sources(self) -> Vec<Source> {
        self.0
    }
}

impl Source {
    /// The picture, if it is at hand and fit for a page.
    pub fn of(anchor: String, shot: &Screenshot, blobs: &dyn Blobs) -> Option<Self> {
        let sides = 1..=LARGEST_SIDE;
        if !sides.contains(&shot.width) || !sides.contains(&shot.height) {
            return None;
        }
        let href = blobs.address(&shot.blob)?;
        Some(Self { anchor, name: shot.name.clone(), width: shot.width, height: shot.height, href })
    }
}

impl Frame {
    fn of(x: f64, y: f64, width: f64, height: f64) -> Self {
        let [x, y, width, height] = [x, y, width, height].map(|side| format!("{side:.1}"));
        Self { x, y, width, height }
    }
}

/// The picture as part of the page, if it is one and fit for a page.
pub fn embedded(bytes: &[u8]) -> Option<String> {
    const KINDS: [(&[u8], &str); 2] = [(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg")];
    let (_, kind) = KINDS.iter().find(|(start, _)| bytes.starts_with(start))?;
    let encode = || base64::engine::general_purpose::STANDARD.encode(bytes);
    (bytes.len() <= LARGEST_PICTURE).then(|| format!("data:image/{kind};base64,{}", encode()))
}

fn is_viewport(shot: &Screenshot) -> bool {
    VIEWPORTS.iter().any(|(name, _)| shot.name == *name)
}

fn is_cropped(report: &Report, shot: &Screenshot) -> bool {
    let items = report.scorers.values().flat_map(|scorer| &scorer.details.items);
    items
        .flat_map(|item| &item.places)
        .any(|place| matches!(place, Place::Element { shot: Some(name), rect: Some(_), .. } if *name == shot.name))
}

/// The part of a side that lies on the picture, if any does.
fn visible(start: f64, length: f64, limit: f64) -> Option<(f64, f64)> {
    let (start, length) = (start.is_finite().then_some(start)?, number::finite(length));
    let (from, to) = (start.max(0.0), (start + length).min(limit));
    (to - from >= 1.0).then_some((from, to))
}

/// Start and length of a window around `from..to`, at least `smallest` and at most `largest` long, moved to lie on the picture.
fn window(from: f64, to: f64, smallest: f64, largest: f64, limit: f64) -> (f64, f64) {
    let wanted = (to - from + 2.0 * MARGIN).max(smallest).min(largest).min(limit);
    let centred = from - ((wanted - (to - from)) / 2.0).max(MARGIN);
    (centred.min(limit - wanted).max(0.0), wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn album() -> Album {
        let source =
            Source { anchor: "shot-0".into(), name: "full".into(), width: 1440, height: 3000, href: String::new() };
        Album(vec![source])
    }

    fn view(rect: Rect) -> Option<[String; 4]> {
        album().crop("full", rect).map(|crop| [crop.view.x, crop.view.y, crop.view.width, crop.view.height])
    }

    fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn a_small_element_stands_in_the_middle_of_the_smallest_window() {
        assert_eq!(view(rect(700.0, 1000.0, 40.0, 20.0)).unwrap(), ["540.0", "950.0", "360.0", "120.0"]);
    }

    #[test]
    fn a_window_never_leaves_the_picture() {
        assert_eq!(view(rect(0.0, 0.0, 40.0, 20.0)).unwrap(), ["0.0", "0.0", "360.0", "120.0"]);
        assert_eq!(view(rect(1430.0, 2990.0, 100.0, 100.0)).unwrap(), ["1080.0", "2880.0", "360.0", "120.0"]);
    }

    #[test]
    fn a_tall_element_shows_its_top() {
        assert_eq!(view(rect(0.0, 500.0, 1440.0, 2400.0)).unwrap(), ["0.0", "468.0", "1440.0", "480.0"]);
    }

    #[test]
    fn what_is_not_on_the_picture_has_no_crop() {
        for off in [rect(-500.0, 0.0, 400.0, 20.0), rect(0.0, 3000.0, 40.0, 20.0), rect(5.0, 5.0, 0.0, 10.0)] {
            assert!(view(off).is_none(), "{off:?}");
        }
        assert!(view(rect(f64::NAN, 0.0, 10.0, 10.0)).is_none());
        assert!(view(rect(0.0, 0.0, f64::INFINITY, 10.0)).is_none());
        assert!(album().crop("mobile", rect(0.0, 0.0, 10.0, 10.0)).is_none());
    }
}
