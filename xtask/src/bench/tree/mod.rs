//! A large source tree, the same on every machine: some megabytes that a team wrote, and twenty times as much that lies around
//! in a repository. Nothing of it is in a folder that scanners leave out.

mod scripts;
mod stuff;
mod words;

use crate::failure::{Done, Failure, Naming};
use std::fmt;
use std::fs;
use std::path::Path;
use words::Words;

const ALL_BYTES: usize = 100_000_000;
const SCRIPT_BYTES: usize = 5_000_000;

/// What was made.
#[derive(Debug, Default)]
pub(super) struct Made {
    files: usize,
    script_bytes: usize,
    other_bytes: usize,
}

impl Made {
    pub fn bytes(&self) -> usize {
        self.script_bytes + self.other_bytes
    }
}

impl fmt::Display for Made {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, scripts) = (self.bytes() as f64 / 1e6, self.script_bytes as f64 / 1e6);
        write!(out, "{all:.1} MB in {} files, {scripts:.1} MB of it first-party JavaScript and TypeScript", self.files)
    }
}

pub(super) fn make(folder: &Path) -> Result<Made, Failure> {
    make_of(folder, SCRIPT_BYTES, ALL_BYTES)
}

fn make_of(folder: &Path, script_bytes: usize, all_bytes: usize) -> Result<Made, Failure> {
    let mut made = Made::default();
    let mut words = Words::new(0x5eed);
    for (name, text) in scripts::entries() {
        made.script_bytes += text.len();
        made.files += 1;
        put(folder, name, &text)?;
    }
    let mut number = 0;
    while made.script_bytes < script_bytes {
        let (name, text) = scripts::file(number, &mut words);
        number += 1;
        made.script_bytes += text.len();
        made.files += 1;
        put(folder, &name, &text)?;
    }
    while made.bytes() < all_bytes {
        let (name, text) = stuff::file(made.files, &mut words);
        made.other_bytes += text.len();
        made.files += 1;
        put(folder, &name, &text)?;
    }
    Ok(made)
}

fn put(folder: &Path, name: &str, text: &str) -> Done {
    let file = folder.join(name);
    let parent = file.parent().unwrap_or(folder);
    fs::create_dir_all(parent).naming("make a folder of the tree")?;
    fs::write(&file, text).naming("write a file of the tree")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Scratch;

    #[test]
    fn a_tree_is_of_the_size_asked_for_and_the_same_every_time() {
        let scratch = Scratch::new("tree").unwrap();
        let (one, other) = (scratch.path().join("one"), scratch.path().join("other"));
        let made = make_of(&one, 40_000, 900_000).unwrap();
        make_of(&other, 40_000, 900_000).unwrap();
        assert!((40_000..60_000).contains(&made.script_bytes), "{made}");
        assert!((900_000..2_500_000).contains(&made.bytes()), "{made}");
        let first = "src/components/";
        let names = |root: &Path| {
            let mut names: Vec<_> = fs::read_dir(root.join(first)).unwrap().map(|e| e.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&one), names(&other));
        let name = names(&one).remove(0);
        let text = |root: &Path| fs::read_to_string(root.join(first).join(&name)).unwrap();
        assert_eq!(text(&one), text(&other));
    }
}
