//! Screenshots as judges get them: smaller, and made anew, so that nothing travels in them but pixels.

use super::super::StepError;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

const LONG_SIDE: u32 = 1024;
const QUALITY: u8 = 85;
const MAX_SIDE: u32 = 16_384;

/// A picture ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// JPEG.
    pub bytes: Vec<u8>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// Scales a PNG down so that its long side has at most 1024 pixels.
pub fn scaled(png: &[u8]) -> Result<Picture, StepError> {
    let wrong = |error: image::ImageError| StepError::Page(format!("a screenshot cannot be prepared: {error}"));
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let picture = reader.decode().map_err(wrong)?;
    let share = f64::from(LONG_SIDE) / f64::from(picture.width().max(picture.height()).max(1));
    let side = |pixels: u32| ((f64::from(pixels) * share).round() as u32).max(1);
    let picture = if share < 1.0 {
        picture.resize_exact(side(picture.width()), side(picture.height()), FilterType::Triangle)
    } else {
        picture
    };
    let picture = DynamicImage::ImageRgb8(picture.to_rgb8());
    let mut bytes = Vec::new();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY)).map_err(wrong)?;
    Ok(Picture { bytes, width: picture.width(), height: picture.height() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        RgbImage::from_pixel(width, height, Rgb([10, 200, 30])).write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn large_pictures_shrink_in_proportion_and_small_ones_stay() {
        let desktop = scaled(&png(1440, 90)).unwrap();
        assert_eq!((desktop.width, desktop.height), (1024, 64));
        assert!(desktop.bytes.starts_with(&[0xFF, 0xD8]), "a JPEG");
        let phone = scaled(&png(36, 800)).unwrap();
        assert_eq!((phone.width, phone.height), (36, 800));
        assert_eq!(desktop, scaled(&png(1440, 90)).unwrap(), "the same picture gives the same bytes");
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(scaled(b"not a picture").is_err());
        assert!(scaled(&png(4, 4)[..30]).is_err());
    }
}
