//! Files that a walker makes up to upload them.

use std::io::Cursor;

/// A file name without anything that leads elsewhere.
pub(super) fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String =
        last.chars().filter(|character| character.is_alphanumeric() || " .-_".contains(*character)).take(100).collect();
    let plain = plain.trim_matches(['.', ' ']).to_owned();
    if plain.is_empty() { "file.txt".to_owned() } else { plain }
}

/// What a file of this name holds.
pub(super) fn content(name: &str) -> Vec<u8> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    match ending.as_str() {
        "png" => picture(image::ImageFormat::Png),
        "jpg" | "jpeg" => picture(image::ImageFormat::Jpeg),
        "csv" => b"name,number\nfirst,1\nsecond,2\n".to_vec(),
        "json" => b"{\"name\": \"first\", \"number\": 1}\n".to_vec(),
        "pdf" => b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n".to_vec(),
        _ => format!("This is {}.\n", plain_name(name)).into_bytes(),
    }
}

fn picture(format: image::ImageFormat) -> Vec<u8> {
    let pixels = image::RgbImage::from_fn(64, 64, |x, y| image::Rgb([40, (x * 4 % 256) as u8, (y * 4 % 256) as u8]));
    let mut bytes = Cursor::new(Vec::new());
    // Writing into memory cannot fail for a format that is compiled in; without one the file is empty.
    let _ = image::DynamicImage::ImageRgb8(pixels).write_to(&mut bytes, format);
    bytes.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        assert_eq!(plain_name("../../etc/passwd"), "passwd");
        assert_eq!(plain_name("a b.png"), "a b.png");
        assert_eq!(plain_name("..\\..\\x<y>.csv"), "xy.csv");
        assert_eq!(plain_name("../.."), "file.txt");
    }

    #[test]
    fn contents_fit_their_names() {
        assert!(content("a.png").starts_with(b"\x89PNG"));
        assert!(content("a.csv").starts_with(b"name,"));
        assert_eq!(content("notes.txt"), b"This is notes.txt.\n");
    }
}
