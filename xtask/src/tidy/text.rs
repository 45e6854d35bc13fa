//! What no file may hold: unfinished work, a machine's own paths, registry addresses, too many lines.

use super::Violation;
use super::source::Tree;

const MAX_LINES: usize = 800;
const SOURCE_ENDINGS: [&str; 6] = [".rs", ".mjs", ".js", ".ts", ".css", ".html"];
/// Lock files of our own; those of fixtures may name what they like.
const LOCKS: [&str; 2] = ["instruments/package-lock.json", "site/package-lock.json"];
/// Written by tools, not by hand.
const GENERATED: [&str; 4] = ["Cargo.lock", "package-lock.json", ".snap", ".schema.json"];

// In two halves each, so that this file does not complain about itself.
const UNFINISHED: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("unimple", "mented!("), concat!("to", "do!(")];
/// npm's public registry is one of them: setup asks the pinned npm for it, so nobody has to write it down.
const OF_ONE_MACHINE: [&str; 5] = [
    concat!("/wo", "rk/main"),
    concat!("/wo", "rk/shared"),
    concat!("/ro", "ot/"),
    concat!("static.crates", ".io"),
    concat!("registry.npm", "js.org"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found: Vec<Violation> = tree.files().flat_map(|(path, text)| check_lines(path, text)).collect();
    found.extend(tree.files().filter_map(|(path, text)| check_length(path, text)));
    for (path, lock) in LOCKS.iter().filter_map(|path| Some((*path, tree.get(path)?))) {
        let addresses = (1..).zip(lock.lines()).filter(|(_, line)| line.contains("\"resolved\""));
        found.extend(
            addresses.map(|(number, _)| Violation::new(path, number, "the lock file names a download address")),
        );
    }
    found
}

fn check_lines(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let by_hand = is_source(path) && !is_generated(path);
    for (number, line) in (1..).zip(text.lines()) {
        for token in UNFINISHED.iter().filter(|token| by_hand && line.contains(**token)) {
            found.push(Violation::new(path, number, format!("`{}` is unfinished work", token.trim_end_matches('('))));
        }
        for token in OF_ONE_MACHINE.iter().filter(|token| line.contains(**token)) {
            found.push(Violation::new(path, number, format!("`{token}` belongs to one machine")));
        }
    }
    found
}

fn check_length(path: &str, text: &str) -> Option<Violation> {
    let lines = text.lines().count();
    let too_long = is_source(path) && !is_generated(path) && lines > MAX_LINES;
    too_long.then(|| Violation::new(path, lines, format!("{lines} lines; {MAX_LINES} are the most a file may have")))
}

fn is_source(path: &str) -> bool {
    SOURCE_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

fn is_generated(path: &str) -> bool {
    GENERATED.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn unfinished_work_is_found_in_sources_with_its_line() {
        let text = format!("fn f() {{\n    {}\n}}\n", UNFINISHED[3]);
        assert_eq!(complaints("src/a.rs", &text).len(), 1);
        assert!(complaints("src/a.rs", &text)[0].starts_with("src/a.rs:2: "));
        assert!(complaints("notes.md", UNFINISHED[0]).is_empty());
    }

    #[test]
    fn paths_of_one_machine_are_found_everywhere() {
        for token in OF_ONE_MACHINE {
            assert_eq!(complaints("README.md", &format!("see {token}")).len(), 1, "{token}");
        }
    }

    #[test]
    fn long_files_and_locks_with_addresses_are_found() {
        assert_eq!(complaints("a.rs", &"x\n".repeat(801)).len(), 1);
        assert!(complaints("a.rs", &"x\n".repeat(800)).is_empty());
        assert!(complaints("Cargo.lock", &"x\n".repeat(9000)).is_empty());
        for lock in LOCKS {
            assert_eq!(complaints(lock, "{\n\"resolved\": \"\"}\n").len(), 1, "{lock}");
        }
    }
}
