//! Screenshots as models get them: smaller, and made anew, so that nothing travels in them but pixels.

use benchwright_llm::Part;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

const QUALITY: u8 = 80;
const MAX_SIDE: u32 = 16_384;

/// A screenshot whose long side has at most that many pixels; none when it cannot be read.
pub fn small(png: &[u8], long_side: u32) -> Option<Part> {
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let is_large = picture.width().max(picture.height()) > long_side;
    let picture = if is_large { picture.resize(long_side, long_side, FilterType::Triangle) } else { picture };
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, QUALITY);
    DynamicImage::ImageRgb8(picture.to_rgb8()).write_with_encoder(encoder).ok()?;
    Some(Part::Image { media_type: "image/jpeg", bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;

    #[test]
    fn a_large_screenshot_shrinks_and_nonsense_is_none() {
        let mut png = Cursor::new(Vec::new());
        RgbImage::new(1_920, 1_200).write_to(&mut png, ImageFormat::Png).unwrap();
        let Some(Part::Image { media_type, bytes }) = small(png.get_ref(), 1_280) else { panic!() };
        let read = image::load_from_memory(&bytes).unwrap();
        assert_eq!((media_type, read.width(), read.height()), ("image/jpeg", 1_280, 800));
        assert_eq!(small(b"no picture", 1_280), None);
    }
}
