//! What scripts of a package find behind their walls: the pinned programs under their usual names, and the few files of `/etc`
//! without which nobody knows what `localhost` is.

use crate::instrument::Instruments;
use crate::packages::Manager;
use crate::process::is_root;
use crate::walls::NOBODY;
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Files of `/etc` that are put there.
pub const ETC: [&str; 4] = ["hosts", "passwd", "group", "nsswitch.conf"];

/// Lays everything out in a folder: `bin` and `etc`.
pub fn lay_out(folder: &Path, instruments: &Instruments, home: &Path) -> io::Result<()> {
    let (bin, etc) = (folder.join("bin"), folder.join("etc"));
    for folder in [folder, &bin, &etc] {
        fs::create_dir_all(folder)?;
        // Nobody must be able to look, whatever the user's umask says.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    }
    symlink(&instruments.node, bin.join("node"))?;
    for (name, words) in programs(instruments) {
        let command: Vec<String> = words.iter().map(|word| in_quotes(&word.to_string_lossy())).collect();
        put(&bin.join(name), &format!("#!/bin/sh\nexec {} \"$@\"\n", command.join(" ")))?;
    }
    let user = if is_root() { NOBODY } else { rustix::process::geteuid().as_raw() };
    put(&etc.join("hosts"), "127.0.0.1 localhost\n::1 localhost\n")?;
    put(&etc.join("passwd"), &format!("nobody:x:{user}:{NOBODY}:nobody:{}:/bin/sh\n", home.display()))?;
    put(&etc.join("group"), &format!("nogroup:x:{NOBODY}:\n"))?;
    put(&etc.join("nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files\n")
}

/// Managers by the names scripts call them by. One that is not there for this platform is not there for scripts either.
fn programs(instruments: &Instruments) -> Vec<(&'static str, Vec<OsString>)> {
    let npm = Manager::Npm.words(instruments);
    let npx = npm.as_ref().ok().map(|words| {
        let script = words.last().map(PathBuf::from).unwrap_or_default();
        vec![words[0].clone(), script.with_file_name("npx-cli.js").into()]
    });
    let bun = Manager::Bun.words(instruments);
    let bunx = bun.as_ref().ok().map(|words| words.iter().cloned().chain(["x".into()]).collect());
    [
        ("npm", npm.ok()),
        ("npx", npx),
        ("pnpm", Manager::Pnpm.words(instruments).ok()),
        ("yarn", Manager::YarnClassic.words(instruments).ok()),
        ("bun", bun.ok()),
        ("bunx", bunx),
    ]
    .into_iter()
    .filter_map(|(name, words)| Some((name, words?)))
    .collect()
}

fn in_quotes(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::in_quotes;

    #[test]
    fn a_path_stays_one_word_whatever_is_in_it() {
        assert_eq!(in_quotes("/a b/it's $x"), r"'/a b/it'\''s $x'");
    }
}
