use super::*;
use std::io::Write;
use zip::write::{SimpleFileOptions, ZipWriter};

struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn zip(&self, fill: impl FnOnce(&mut ZipWriter<File>)) -> PathBuf {
        let path = self.folder.path().join("app.zip");
        let mut writer = ZipWriter::new(File::create(&path).unwrap());
        fill(&mut writer);
        writer.finish().unwrap();
        path
    }

    fn zip_bytes(&self, fill: impl FnOnce(&mut ZipWriter<File>)) -> Vec<u8> {
        fs::read(self.zip(fill)).unwrap()
    }

    fn unpack(&self, path: &Path, limits: ArchiveLimits) -> Result<Unpacked, ArchiveError> {
        let into = self.folder.path().join("out");
        fs::create_dir(&into).unwrap();
        unpack(path, &into, limits)
    }

    /// Everything that lies outside the folder that was unpacked into, the archive aside.
    fn strays(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "app.zip" && name != "out").collect()
    }
}

fn put(writer: &mut ZipWriter<File>, name: &str, bytes: &[u8]) {
    writer.start_file(name, SimpleFileOptions::default()).unwrap();
    writer.write_all(bytes).unwrap();
}

#[test]
fn the_one_folder_everything_lies_in_becomes_the_root() {
    let desk = Desk::new();
    let path = desk.zip(|zip| {
        put(zip, "my-app/src/main.ts", b"let a = 1;");
        put(zip, "my-app/package.json", b"{}");
        put(zip, "my-app/node_modules/left/index.js", b"no");
        put(zip, "__MACOSX/my-app/._package.json", b"no");
    });
    let unpacked = desk.unpack(&path, ArchiveLimits::default()).unwrap();
    assert!(unpacked.root.ends_with("out/my-app"));
    assert_eq!((unpacked.files, unpacked.bytes), (2, 12));
    assert_eq!(fs::read_to_string(unpacked.root.join("src/main.ts")).unwrap(), "let a = 1;");
    assert!(!unpacked.root.join("node_modules").exists());
}

#[test]
fn names_that_leave_the_folder_refuse_the_whole_archive_before_anything_is_written() {
    let cases = [
        ("../evil.txt", Refusal::Climbs),
        ("a/../../evil.txt", Refusal::Climbs),
        ("a\\..\\..\\evil.txt", Refusal::Climbs),
        ("/etc/evil.txt", Refusal::Absolute),
        ("\\\\server\\evil.txt", Refusal::Absolute),
        ("C:\\evil.txt", Refusal::Absolute),
        ("a\u{1b}[2Jb", Refusal::Unprintable),
    ];
    for (name, expected) in cases {
        let desk = Desk::new();
        let path = desk.zip(|zip| {
            put(zip, "fine.txt", b"fine");
            put(zip, name, b"evil");
        });
        match desk.unpack(&path, ArchiveLimits::default()) {
            Err(ArchiveError::HostileEntry { problem, entry, .. }) => {
                assert_eq!(problem, expected, "{name}");
                assert!(!entry.chars().any(char::is_control));
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(desk.strays(), Vec::<String>::new());
        assert!(!desk.folder.path().join("out/fine.txt").exists(), "nothing is unpacked from a hostile archive");
    }
}

#[test]
fn links_are_left_out_and_named() {
    let desk = Desk::new();
    let path = desk.zip(|zip| {
        zip.add_symlink("passwords", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        put(zip, "passwords/inside.txt", b"must not follow");
        put(zip, "a.txt", b"a");
    });
    let unpacked = desk.unpack(&path, ArchiveLimits::default()).unwrap();
    assert_eq!(unpacked.left_out, ["passwords"]);
    assert_eq!(unpacked.files, 2);
    assert!(!fs::symlink_metadata(unpacked.root.join("passwords")).unwrap().is_symlink());
}

/// Says in the list of contents that a file is behind a password.
fn lock(path: &Path, name: &str) {
    let mut bytes = fs::read(path).unwrap();
    let listed = bytes.windows(name.len()).rposition(|window| window == name.as_bytes()).unwrap();
    bytes[listed - 46 + 8] |= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_is_behind_a_password_is_left_out_and_named() {
    let desk = Desk::new();
    let path = desk.zip(|zip| ["a.txt", "locked.txt"].iter().for_each(|name| put(zip, name, b"text")));
    lock(&path, "locked.txt");
    let unpacked = desk.unpack(&path, ArchiveLimits::default()).unwrap();
    assert_eq!((unpacked.files, unpacked.left_out), (1, vec!["locked.txt".to_owned()]));
}

#[test]
fn an_archive_of_which_everything_is_left_out_is_refused_and_not_an_empty_tree() {
    let desk = Desk::new();
    let path = desk.zip(|zip| {
        zip.add_directory("app", SimpleFileOptions::default()).unwrap();
        zip.add_symlink("app/link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        put(zip, "app/locked.txt", b"text");
    });
    assert_eq!(inspect(&path, ArchiveLimits::default()).unwrap(), 3, "one of three can be read");
    lock(&path, "app/locked.txt");
    let error = inspect(&path, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, ArchiveError::NothingToRead { .. }), "{error}");
    assert!(error.to_string().contains("behind a password"), "{error}");
}

#[test]
fn a_bomb_stops_at_the_limit_whatever_sizes_it_declares() {
    let desk = Desk::new();
    let path = desk.zip(|zip| put(zip, "zeros", &vec![0; 4 * 1024 * 1024]));
    assert!(fs::metadata(&path).unwrap().len() < 64 * 1024, "it is small on the outside");
    let limits = ArchiveLimits { file_bytes: 1024 * 1024, ..ArchiveLimits::default() };
    let error = desk.unpack(&path, limits).unwrap_err();
    assert!(matches!(error, ArchiveError::TooMuch { unit: "bytes in one file", .. }), "{error}");
    let written = fs::metadata(desk.folder.path().join("out/zeros")).unwrap().len();
    assert!(written <= limits.file_bytes + 1, "{written}");
}

#[test]
fn many_small_files_stop_at_the_limit_of_all_together() {
    let desk = Desk::new();
    let path = desk.zip(|zip| (0..20).for_each(|i| put(zip, &format!("{i}.txt"), &[b'x'; 1000])));
    let limits = ArchiveLimits { total_bytes: 5_500, ..ArchiveLimits::default() };
    let error = desk.unpack(&path, limits).unwrap_err();
    assert!(matches!(error, ArchiveError::TooMuch { unit: "unpacked bytes", .. }), "{error}");
}

/// A list of contents in which every entry shares the data of the first: small, quick to make, and legal. So many entries need ZIP64.
fn crowded(entries: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let short = |bytes: &mut Vec<u8>, values: &[u16]| values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    let long = |bytes: &mut Vec<u8>, values: &[u64]| values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes.extend(b"PK\x03\x04");
    short(&mut bytes, &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0]);
    bytes.extend(b"000000");
    let start = bytes.len() as u64;
    for index in 0..entries {
        bytes.extend(b"PK\x01\x02");
        short(&mut bytes, &[20, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(format!("{index:06}").as_bytes());
    }
    let end = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    long(&mut bytes, &[44]);
    short(&mut bytes, &[45, 45, 0, 0, 0, 0]);
    long(&mut bytes, &[u64::from(entries), u64::from(entries), end - start, start]);
    bytes.extend(b"PK\x06\x07");
    short(&mut bytes, &[0, 0]);
    long(&mut bytes, &[end]);
    short(&mut bytes, &[1, 0]);
    bytes.extend(b"PK\x05\x06");
    short(&mut bytes, &[0, 0, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0]);
    bytes
}

#[test]
fn a_hundred_thousand_entries_are_refused() {
    let desk = Desk::new();
    let path = desk.folder.path().join("app.zip");
    fs::write(&path, crowded(15_000)).unwrap();
    assert_eq!(inspect(&path, ArchiveLimits::default()).unwrap(), 15_000, "the archive itself is sound");
    fs::write(&path, crowded(100_000)).unwrap();
    let error = desk.unpack(&path, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, ArchiveError::TooMuch { unit: "entries", limit: 20_000, .. }), "{error}");
    assert_eq!(fs::read_dir(desk.folder.path().join("out")).unwrap().count(), 0, "nothing was unpacked");
}

#[test]
fn an_archive_in_an_archive_stays_a_file() {
    let inner = Desk::new().zip_bytes(|zip| {
        put(zip, "../evil.txt", b"evil");
        put(zip, "zeros", &vec![0; 4 * 1024 * 1024]);
    });
    let desk = Desk::new();
    let path = desk.zip(|zip| put(zip, "inner.zip", &inner));
    let limits = ArchiveLimits { file_bytes: 1024 * 1024, ..ArchiveLimits::default() };
    let unpacked = desk.unpack(&path, limits).unwrap();
    assert_eq!(fs::read(unpacked.root.join("inner.zip")).unwrap(), inner);
    assert_eq!((unpacked.files, unpacked.bytes), (1, inner.len() as u64));
    assert_eq!(fs::read_dir(&unpacked.root).unwrap().count(), 1, "nothing came out of the inner archive");
}

#[test]
fn a_name_that_is_not_utf8_is_unpacked_under_a_readable_one() {
    let desk = Desk::new();
    let path = desk.zip(|zip| put(zip, "caf_.txt", b"x"));
    let mut bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() - 8 {
        if &bytes[at..at + 8] == b"caf_.txt" {
            bytes[at + 3] = 0xe9;
        }
    }
    fs::write(&path, bytes).unwrap();
    let unpacked = desk.unpack(&path, ArchiveLimits::default()).unwrap();
    assert_eq!(unpacked.files, 1);
    let name = fs::read_dir(&unpacked.root).unwrap().next().unwrap().unwrap().file_name();
    assert!(name.to_str().is_some_and(|name| name.starts_with("caf")), "{name:?}");
}

#[test]
fn a_file_that_is_no_archive_is_refused_with_what_to_do() {
    let desk = Desk::new();
    let path = desk.folder.path().join("app.zip");
    for bytes in [&b""[..], b"<!doctype html>", b"PK\x03\x04 broken"] {
        fs::write(&path, bytes).unwrap();
        let message = inspect(&path, ArchiveLimits::default()).unwrap_err().to_string();
        assert!(message.contains("as a ZIP archive") && message.contains("zip -r"), "{message}");
    }
}

#[test]
fn a_truncated_archive_is_an_error_and_not_a_short_tree() {
    let desk = Desk::new();
    let path = desk.zip(|zip| put(zip, "a.txt", &vec![7; 100_000]));
    let mut bytes = fs::read(&path).unwrap();
    // The data of the only file is damaged; its list of contents is whole.
    for byte in &mut bytes[60..90] {
        *byte ^= 0xff;
    }
    fs::write(&path, bytes).unwrap();
    assert!(matches!(desk.unpack(&path, ArchiveLimits::default()), Err(ArchiveError::NotAnArchive { .. })));
}
