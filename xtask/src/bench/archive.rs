//! A folder as a ZIP, its files stored as they are: enough for both systems to unpack, and the same bytes on every machine.

use crate::failure::{Done, Failure, Naming};
use std::fs;
use std::path::Path;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// Version 2.0 of the format, names in UTF-8, stored, on 1 January 2026.
const HEAD: [u16; 5] = [20, 0x0800, 0, 0, 0x5c21];

pub(super) fn write(folder: &Path, file: &Path) -> Done {
    let mut names = Vec::new();
    list(folder, "", &mut names)?;
    names.sort();
    let (mut archive, mut central) = (Vec::new(), Vec::new());
    for name in &names {
        let bytes = fs::read(folder.join(name)).naming("read a file for the archive")?;
        let offset = size(archive.len())?;
        let entry = Entry { name, crc: crc32(&bytes), size: size(bytes.len())? };
        put(&mut archive, &[LOCAL]);
        entry.head(&mut archive)?;
        archive.extend(name.as_bytes());
        archive.extend(bytes);
        put(&mut central, &[CENTRAL]);
        put_short(&mut central, &[20]);
        entry.head(&mut central)?;
        put_short(&mut central, &[0, 0, 0]);
        put(&mut central, &[0, offset]);
        central.extend(name.as_bytes());
    }
    let count = u16::try_from(names.len()).naming("archive so many files")?;
    let (start, length) = (size(archive.len())?, size(central.len())?);
    archive.extend(central);
    put(&mut archive, &[END]);
    put_short(&mut archive, &[0, 0, count, count]);
    put(&mut archive, &[length, start]);
    put_short(&mut archive, &[0]);
    fs::write(file, archive).naming("write the archive")
}

struct Entry<'a> {
    name: &'a str,
    crc: u32,
    size: u32,
}

impl Entry<'_> {
    /// What the local and the central header have in common.
    fn head(&self, out: &mut Vec<u8>) -> Done {
        put_short(out, &HEAD);
        put(out, &[self.crc, self.size, self.size]);
        put_short(out, &[u16::try_from(self.name.len()).naming("archive so long a name")?, 0]);
        Ok(())
    }
}

fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) -> Done {
    for entry in fs::read_dir(folder).naming("list a folder for the archive")?.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            list(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

fn size(length: usize) -> Result<u32, Failure> {
    u32::try_from(length).naming("archive so many bytes")
}

fn put(out: &mut Vec<u8>, numbers: &[u32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_short(out: &mut Vec<u8>, numbers: &[u16]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            let lowest = crc & 1;
            crc = (crc >> 1) ^ (0xedb8_8320 * lowest);
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Scratch;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn an_archive_names_its_files_twice_and_ends_as_it_must() {
        let scratch = Scratch::new("archive").unwrap();
        let folder = scratch.path().join("app");
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/a.ts"), "let a = 1;").unwrap();
        fs::write(folder.join("b.txt"), "b").unwrap();
        let file = scratch.path().join("app.zip");
        write(&folder, &file).unwrap();
        let bytes = fs::read(file).unwrap();
        let count = |text: &[u8]| bytes.windows(text.len()).filter(|window| *window == text).count();
        assert_eq!((count(b"src/a.ts"), count(b"b.txt"), count(b"let a = 1;")), (2, 2, 1));
        assert_eq!((count(b"PK\x03\x04"), count(b"PK\x01\x02"), count(b"PK\x05\x06")), (2, 2, 1));
        assert_eq!(&bytes[bytes.len() - 22..][..4], b"PK\x05\x06");
    }
}
