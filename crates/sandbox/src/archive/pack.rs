use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// An archive in the making. The same entries in the same order give the same bytes: it holds no time and no owner.
pub struct Packing<W: Write + Seek> {
    writer: ZipWriter<W>,
}

impl<W: Write + Seek> Packing<W> {
    /// Begins one.
    pub fn new(into: W) -> Self {
        Self { writer: ZipWriter::new(into) }
    }

    /// Adds a file under a name with forward slashes. What is packed already is stored as it is.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let method = if is_packed(bytes) { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(bytes.len() as u64 > u64::from(u32::MAX) / 2);
        self.writer.start_file(name, options).map_err(io::Error::other)?;
        self.writer.write_all(bytes)
    }

    /// Ends it.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish().map_err(io::Error::other)
    }
}

/// ZIP, PNG, JPEG, gzip: packing them again only takes time.
fn is_packed(bytes: &[u8]) -> bool {
    [&b"PK\x03\x04"[..], b"\x89PNG", b"\xff\xd8\xff", b"\x1f\x8b"].iter().any(|start| bytes.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{ArchiveLimits, unpack};
    use std::io::Cursor;

    #[test]
    fn what_is_packed_is_unpacked_again_and_equal_contents_are_equal_bytes() {
        let pack = || {
            let mut packing = Packing::new(Cursor::new(Vec::new()));
            packing.add("a.txt", b"hello").unwrap();
            packing.add("b/c.png", b"\x89PNG...").unwrap();
            packing.finish().unwrap().into_inner()
        };
        assert_eq!(pack(), pack());
        let folder = tempfile::tempdir().unwrap();
        let (file, into) = (folder.path().join("x.zip"), folder.path().join("out"));
        std::fs::write(&file, pack()).unwrap();
        std::fs::create_dir(&into).unwrap();
        assert_eq!(unpack(&file, &into, ArchiveLimits::default()).unwrap().files, 2);
        assert_eq!(std::fs::read(into.join("b/c.png")).unwrap(), b"\x89PNG...");
    }
}
