//! The files under version control, as text, with a notion of which lines are tests.

use crate::call::Call;
use crate::failure::Failure;
use crate::project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// All text files of the project by their path with forward slashes.
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

impl Tree {
    /// What git knows or would add; build products and ignored files are left out.
    pub fn of_project() -> Result<Self, Failure> {
        let listed = Call::new("git").words("ls-files --cached --others --exclude-standard -z").text()?;
        let mut tree = Self { files: BTreeMap::new(), paths: BTreeSet::new() };
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            let Ok(bytes) = fs::read(project::root().join(path)) else { continue };
            tree.paths.insert(path.to_owned());
            if let Ok(text) = String::from_utf8(bytes) {
                tree.files.insert(path.to_owned(), text);
            }
        }
        Ok(tree)
    }

    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { paths: files.keys().cloned().collect(), files }
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether a file or a folder of that path is under version control.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths.contains(path)
            || self.paths.range(format!("{path}/")..).next().is_some_and(|next| next.starts_with(&format!("{path}/")))
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The names of the crates under `crates/`.
    pub fn crates(&self) -> Vec<&str> {
        let manifests = self.files.keys().filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"));
        manifests.filter(|name| !name.contains('/')).collect()
    }

    /// The lines of a crate's own code, without tests and without comments: path, line number, line.
    pub fn code_of<'a>(&'a self, crate_name: &str) -> impl Iterator<Item = (&'a str, usize, &'a str)> {
        let source = format!("crates/{crate_name}/src/");
        self.files
            .iter()
            .filter(move |(path, _)| path.starts_with(&source) && has_extension(path, "rs") && !self.is_test_only(path))
            .flat_map(|(path, text)| code_lines(text).map(move |(number, line)| (path.as_str(), number, line)))
    }

    /// Whether a module is declared for tests only: `#[cfg(test)]` above `mod name;` in the file that owns it.
    fn is_test_only(&self, path: &str) -> bool {
        let Some((folder, file)) = path.rsplit_once('/') else { return false };
        let name = file.trim_end_matches(".rs");
        let owners = [
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
            format!("{folder}/mod.rs"),
            format!("{folder}.rs"),
        ];
        owners.iter().filter_map(|owner| self.get(owner)).any(|text| declares_for_tests(text, name))
            || self.is_folder_test_only(folder)
    }

    fn is_folder_test_only(&self, folder: &str) -> bool {
        !folder.ends_with("/src") && folder.contains("/src/") && self.is_test_only(&format!("{folder}.rs"))
    }
}

pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

fn declares_for_tests(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| {
        let declared = pair[1].trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        pair[0] == "#[cfg(test)]" && declared.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) == Some(name)
    })
}

/// Numbered lines up to the tests at the bottom of the file, comments left out.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let tests_begin = lines.windows(2).position(|pair| {
        pair[0].trim() == "#[cfg(test)]" && pair[1].contains("mod ") && pair[1].trim_end().ends_with('{')
    });
    let code_ends = tests_begin.unwrap_or(lines.len());
    (1..).zip(lines).take(code_ends).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_is_neither_comment_nor_test() {
        let text = "use a;\n// std::fs\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n    use std::fs;
use std::path::Path;\n}\n";
        let kept: Vec<_> = code_lines(text).filter(|(_, line)| !line.is_empty()).collect();
        assert_eq!(kept, [(1, "use a;"), (3, "fn f() {}")]);
    }

    #[test]
    fn a_module_declared_for_tests_is_no_code() {
        let tree = Tree::of(&[
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", "#[cfg(test)]\nmod sample;\nmod real;\n"),
            (
                "crates/a/src/sample.rs",
                "use std::fs;
use std::path::Path;\n",
            ),
            (
                "crates/a/src/sample/deep.rs",
                "use std::fs;
use std::path::Path;\n",
            ),
            ("crates/a/src/real.rs", "fn real() {}\n"),
        ]);
        assert_eq!(tree.crates(), ["a"]);
        let files: BTreeSet<_> = tree.code_of("a").map(|(path, ..)| path).collect();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), ["crates/a/src/lib.rs", "crates/a/src/real.rs"]);
    }

    #[test]
    fn folders_are_known_by_what_is_in_them() {
        let tree = Tree::of(&[("docs/decisions/0001-a.md", "x")]);
        assert!(tree.has("docs/decisions/") && tree.has("docs") && !tree.has("doc"));
    }
}
