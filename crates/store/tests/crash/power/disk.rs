//! A disk that keeps only what it was told to sync: contents by the file, names by their folder. It follows what strace wrote down.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Number = usize;

/// What is there, and what would be left.
#[derive(Default)]
pub struct Disk {
    files: Vec<File>,
    names: BTreeMap<PathBuf, Number>,
    synced_names: BTreeMap<PathBuf, Number>,
    /// Syncs that have begun, by the thread that waits for them.
    syncing: BTreeMap<String, PathBuf>,
}

#[derive(Default, Clone)]
struct File {
    bytes: Vec<u8>,
    synced: Vec<u8>,
    is_folder: bool,
}

impl Disk {
    /// Follows one line of a trace. Returns the file if it was written to.
    pub fn follow(&mut self, line: &str) -> Option<PathBuf> {
        let (thread, call) = line.split_once(' ')?;
        let call = call.trim_start();
        if call.starts_with("<... f") && call.contains("sync resumed>") && call.ends_with("= 0") {
            let path = self.syncing.remove(thread)?;
            self.sync(&path);
            return None;
        }
        let (name, rest) = call.split_once('(')?;
        if call.contains(" = -1 ") {
            return None;
        }
        let path = named(rest);
        match name {
            "openat" if rest.contains("O_CREAT") => {
                let path = opened(call)?;
                let file = self.file(&path);
                if rest.contains("O_TRUNC") {
                    file.bytes.clear();
                }
            }
            "write" => {
                let (path, bytes) = (path?, quoted(rest).next()?);
                self.file(&path).bytes.extend(bytes);
                return Some(path);
            }
            "pwrite64" => {
                let (path, bytes) = (path?, quoted(rest).next()?);
                let at = number_after(rest, bytes.len())?;
                let file = &mut self.file(&path).bytes;
                file.resize(file.len().max(at + bytes.len()), 0);
                file[at..at + bytes.len()].copy_from_slice(&bytes);
                return Some(path);
            }
            "ftruncate" => {
                let length = rest.rsplit_once(')')?.0.rsplit(", ").next()?.trim().parse().ok()?;
                self.file(&path?).bytes.resize(length, 0);
            }
            "mkdir" => {
                self.file(&text(quoted(rest).next()?)).is_folder = true;
            }
            "unlink" => {
                self.names.remove(&text(quoted(rest).next()?));
            }
            "rename" => {
                let mut paths = quoted(rest).map(text);
                let number = self.names.remove(&paths.next()?)?;
                self.names.insert(paths.next()?, number);
            }
            "link" | "linkat" => {
                let mut paths = quoted(rest).map(text);
                let number = *self.names.get(&paths.next()?)?;
                self.names.insert(paths.next()?, number);
            }
            "fsync" | "fdatasync" if call.ends_with("<unfinished ...>") => {
                self.syncing.insert(thread.to_owned(), path?);
            }
            "fsync" | "fdatasync" => self.sync(&path?),
            _ => {}
        }
        None
    }

    fn file(&mut self, path: &Path) -> &mut File {
        let next = self.files.len();
        let number = *self.names.entry(path.to_owned()).or_insert(next);
        if number == next {
            self.files.push(File::default());
        }
        &mut self.files[number]
    }

    /// A file's content, or the names in a folder.
    fn sync(&mut self, path: &Path) {
        if let Some(number) = self.names.get(path) {
            let file = &mut self.files[*number];
            file.synced.clone_from(&file.bytes);
        }
        let is_in = |name: &Path| name.parent() == Some(path);
        self.synced_names.retain(|name, _| !is_in(name));
        let names = self.names.iter().filter(|(name, _)| is_in(name));
        self.synced_names.extend(names.map(|(name, number)| (name.clone(), *number)));
    }

    /// Makes what is left of `folder` in another place. A name counts only where the names of all folders above it were kept.
    pub fn restore(&self, folder: &Path, place: &Path) {
        for (name, number) in &self.synced_names {
            let Ok(inside) = name.strip_prefix(folder) else { continue };
            let above = name.ancestors().skip(1).take_while(|above| *above != folder);
            if !above.into_iter().all(|above| self.synced_names.contains_key(above)) {
                continue;
            }
            let target = place.join(inside);
            let file = &self.files[*number];
            if file.is_folder {
                std::fs::create_dir_all(target).unwrap();
            } else {
                std::fs::create_dir_all(target.parent().unwrap()).unwrap();
                std::fs::write(target, &file.synced).unwrap();
            }
        }
    }
}

/// The file of the first argument: `5</tmp/x/log>, …`. With `-xx`, strace writes paths in hexadecimal too.
fn named(arguments: &str) -> Option<PathBuf> {
    let path = arguments.split_once('<')?.1.split_once('>')?.0;
    Some(text(unescaped(path)))
}

/// The file that a call opened: what it returned.
fn opened(call: &str) -> Option<PathBuf> {
    named(call.rsplit_once(" = ")?.1)
}

/// The texts in quotation marks. In hexadecimal, no text has a quotation mark inside.
fn quoted(arguments: &str) -> impl Iterator<Item = Vec<u8>> {
    arguments.split('"').skip(1).step_by(2).map(unescaped)
}

fn unescaped(text: &str) -> Vec<u8> {
    if !text.starts_with("\\x") {
        return text.as_bytes().to_vec();
    }
    text.split("\\x").skip(1).filter_map(|hex| u8::from_str_radix(hex.get(..2)?, 16).ok()).collect()
}

fn text(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8(bytes).unwrap())
}

/// The argument after the number of bytes: `…", 4096, 8192) = 4096`.
fn number_after(arguments: &str, length: usize) -> Option<usize> {
    let after = arguments.rsplit_once('"')?.1.strip_prefix(&format!(", {length}, "))?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
