//! What can be read from a screenshot without the page: its size and how much of it is empty background.
//!
//! Whitespace is measured on a grid of 20 × 20 CSS pixel cells. A cell is whitespace when it is *flat* (no channel varies by more than
//! 8 of 255 within it) and what lies on top of the backdrop there is a *background*: the canvas, or an element's background
//! colour or gradient. Where the colour of that background is known, the cell must have it (within 12 of 255), so that the inside of
//! a huge letter does not count. Pictures are content, however flat: a full-bleed image leaves no whitespace, while a section
//! with a background colour of its own does.

use crate::evidence::design::{Backdrop, Surface};
use image::{ImageFormat, ImageReader, Limits, RgbImage};
use std::io::Cursor;

const CELL: f64 = 20.0;
const FLAT_RANGE: u8 = 8;
const COLOR_TOLERANCE: f64 = 12.0;
const MAX_SIDE: u32 = 16_384;

/// Why a screenshot says nothing. The message completes "failed to …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PixelError {
    /// It is no picture, or one over the limits.
    #[error("read the screenshot: {0}")]
    Unreadable(String),
    /// It is smaller than one cell of the grid.
    #[error("measure a screenshot smaller than one cell")]
    TooSmall,
}

/// Width and height of a PNG in pixels, read from its header; nothing when it is not a PNG.
pub fn png_size(png: &[u8]) -> Option<(u32, u32)> {
    let header = png.get(..24)?;
    let side = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    (header.starts_with(b"\x89PNG\r\n\x1a\n") && &header[12..16] == b"IHDR").then_some(())?;
    Some((side(16)?, side(20)?))
}

/// Share of the viewport that is empty background, 0 to 1. `png` is the screenshot of the viewport that `backdrop` describes, at
/// any device scale.
pub fn whitespace_share(png: &[u8], backdrop: &Backdrop) -> Result<f64, PixelError> {
    let picture = decode(png)?;
    let scale = f64::from(picture.width()) / backdrop.width.max(1.0);
    let columns = (backdrop.width / CELL).floor() as u32;
    let rows = (f64::from(picture.height()) / scale / CELL).floor() as u32;
    if columns == 0 || rows == 0 || !scale.is_finite() {
        return Err(PixelError::TooSmall);
    }
    let mut empty = 0_u32;
    for row in 0..rows {
        for column in 0..columns {
            empty += u32::from(is_whitespace(&picture, backdrop, scale, column, row));
        }
    }
    Ok(f64::from(empty) / f64::from(rows * columns))
}

fn decode(png: &[u8]) -> Result<RgbImage, PixelError> {
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    Ok(reader.decode().map_err(|error| PixelError::Unreadable(error.to_string()))?.to_rgb8())
}

fn is_whitespace(picture: &RgbImage, backdrop: &Backdrop, scale: f64, column: u32, row: u32) -> bool {
    let (x, y) = ((f64::from(column) + 0.5) * CELL, (f64::from(row) + 0.5) * CELL);
    // Paint order: the last surface that holds the point is the one on top.
    let Some(surface) = backdrop.surfaces.iter().rev().find(|surface| holds(surface, x, y)) else { return false };
    if surface.picture {
        return false;
    }
    let Some(cell) = flat_color(picture, scale, column, row) else { return false };
    surface.color.is_none_or(|color| color.iter().zip(cell).all(|(a, b)| (a - b).abs() <= COLOR_TOLERANCE))
}

fn holds(surface: &Surface, x: f64, y: f64) -> bool {
    let rect = &surface.rect;
    x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height
}

/// The mean colour of a cell, if it is flat.
fn flat_color(picture: &RgbImage, scale: f64, column: u32, row: u32) -> Option<[f64; 3]> {
    let edge = |index: u32, side: u32| ((f64::from(index) * CELL * scale).round() as u32).min(side);
    let (left, right) = (edge(column, picture.width()), edge(column + 1, picture.width()));
    let (top, bottom) = (edge(row, picture.height()), edge(row + 1, picture.height()));
    let (mut low, mut high, mut sum) = ([u8::MAX; 3], [u8::MIN; 3], [0_u64; 3]);
    for y in top..bottom {
        for x in left..right {
            for (channel, value) in picture.get_pixel(x, y).0.into_iter().enumerate() {
                low[channel] = low[channel].min(value);
                high[channel] = high[channel].max(value);
                sum[channel] += u64::from(value);
            }
        }
        if low.iter().zip(high).any(|(low, high)| high.saturating_sub(*low) > FLAT_RANGE) {
            return None;
        }
    }
    let pixels = f64::from(right - left) * f64::from(bottom - top);
    (pixels > 0.0).then(|| sum.map(|channel| channel as f64 / pixels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_domain::Rect;
    use image::Rgb;

    const WHITE: [u8; 3] = [255, 255, 255];

    fn png(width: u32, height: u32, paint: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let picture = RgbImage::from_fn(width, height, |x, y| Rgb(paint(x, y)));
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn surface(x: f64, y: f64, width: f64, height: f64) -> Surface {
        Surface { rect: Rect { x, y, width, height }, picture: false, color: None }
    }

    fn backdrop(surfaces: Vec<Surface>) -> Backdrop {
        Backdrop { width: 200.0, height: 100.0, surfaces }
    }

    fn canvas(color: [u8; 3]) -> Surface {
        Surface { color: Some(color.map(f64::from)), ..surface(0.0, 0.0, 200.0, 100.0) }
    }

    #[test]
    fn an_empty_white_page_is_all_whitespace() {
        assert_eq!(whitespace_share(&png(200, 100, |_, _| WHITE), &backdrop(vec![canvas(WHITE)])), Ok(1.0));
    }

    #[test]
    fn peer_defect_a_full_bleed_flat_image_is_not_whitespace() {
        let red = [200, 0, 0];
        let page = backdrop(vec![canvas(WHITE), Surface { picture: true, ..surface(0.0, 0.0, 200.0, 100.0) }]);
        assert_eq!(whitespace_share(&png(200, 100, |_, _| red), &page), Ok(0.0));
    }

    #[test]
    fn a_section_with_its_own_background_colour_is_whitespace() {
        let red = [200, 0, 0];
        let section = Surface { color: Some(red.map(f64::from)), ..surface(0.0, 0.0, 200.0, 60.0) };
        let shot = png(200, 100, |_, y| if y < 60 { red } else { WHITE });
        assert_eq!(whitespace_share(&shot, &backdrop(vec![canvas(WHITE), section])), Ok(1.0));
    }

    #[test]
    fn text_and_texture_are_not_whitespace() {
        let shot = png(200, 100, |x, y| if x < 100 && (x + y) % 3 == 0 { [0, 0, 0] } else { WHITE });
        assert_eq!(whitespace_share(&shot, &backdrop(vec![canvas(WHITE)])), Ok(0.5));
    }

    #[test]
    fn a_flat_area_of_another_colour_than_its_background_is_content() {
        let shot = png(200, 100, |x, _| if x < 100 { [0, 0, 0] } else { WHITE });
        assert_eq!(whitespace_share(&shot, &backdrop(vec![canvas(WHITE)])), Ok(0.5));
    }

    #[test]
    fn a_gentle_gradient_is_whitespace_where_the_surface_has_no_single_colour() {
        let shot = png(200, 100, |x, _| [100 + (x / 4) as u8, 80, 80]);
        assert_eq!(whitespace_share(&shot, &backdrop(vec![surface(0.0, 0.0, 200.0, 100.0)])), Ok(1.0));
    }

    #[test]
    fn a_card_over_a_picture_is_judged_by_the_card() {
        let photo = Surface { picture: true, ..surface(0.0, 0.0, 200.0, 100.0) };
        let card = Surface { color: Some([255.0; 3]), ..surface(0.0, 0.0, 100.0, 100.0) };
        let shot = png(200, 100, |x, _| if x < 100 { WHITE } else { [9, 90, 9] });
        assert_eq!(whitespace_share(&shot, &backdrop(vec![canvas(WHITE), photo, card])), Ok(0.5));
    }

    #[test]
    fn the_device_scale_does_not_change_the_share() {
        let shot = png(400, 200, |x, y| if x < 200 && (x + y) % 3 == 0 { [0, 0, 0] } else { WHITE });
        assert_eq!(whitespace_share(&shot, &backdrop(vec![canvas(WHITE)])), Ok(0.5));
    }

    #[test]
    fn garbage_is_no_picture() {
        assert!(matches!(
            whitespace_share(b"not a picture", &backdrop(vec![canvas(WHITE)])),
            Err(PixelError::Unreadable(_))
        ));
        assert_eq!(whitespace_share(&png(200, 100, |_, _| WHITE), &Backdrop::default()), Err(PixelError::TooSmall));
        assert_eq!(png_size(b"not a picture"), None);
    }

    #[test]
    fn the_size_of_a_png_is_read_from_its_header() {
        assert_eq!(png_size(&png(200, 100, |_, _| WHITE)), Some((200, 100)));
    }
}
