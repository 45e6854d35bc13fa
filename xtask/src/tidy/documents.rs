//! Documents that lead somewhere: relative links exist, and the change log knows the version.

use super::Violation;
use super::source::{Tree, has_extension};

const NEEDED: [&str; 7] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "METHODOLOGY.md", "LICENSE"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found: Vec<Violation> =
        NEEDED.iter().filter(|name| !tree.has(name)).map(|name| Violation::new(name, 1, "is missing")).collect();
    for (path, text) in tree.files().filter(|(path, _)| has_extension(path, "md")) {
        found.extend(dead_links(tree, path, text));
    }
    found.extend(check_version(tree));
    found
}

fn dead_links(tree: &Tree, path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        in_code ^= line.trim_start().starts_with("```");
        for target in line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next()) {
            let target = target.split('#').next().unwrap_or_default();
            let elsewhere = target.is_empty() || target.contains("://") || target.starts_with("mailto:");
            if !in_code && !elsewhere && !tree.has(&resolved(path, target)) {
                found.push(Violation::new(path, number, format!("the link to `{target}` leads nowhere")));
            }
        }
    }
    found
}

/// A relative link seen from the file it stands in.
fn resolved(from: &str, target: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn check_version(tree: &Tree) -> Option<Violation> {
    let manifest = tree.get("Cargo.toml")?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))?;
    let known = tree.get("CHANGELOG.md").is_some_and(|log| log.contains(version));
    (!known).then(|| Violation::new("CHANGELOG.md", 1, format!("does not mention version {version}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_from_where_they_stand() {
        let text =
            "[a](../README.md#top) [b](https://example.com) [c](gone.md)\n```\n[d](also-gone.md)\n```\n[e](#here)\n";
        let tree = Tree::of(&[("docs/a.md", text), ("README.md", "")]);
        let found: Vec<_> = dead_links(&tree, "docs/a.md", text);
        assert_eq!(found, [Violation::new("docs/a.md", 1, "the link to `gone.md` leads nowhere")]);
    }

    #[test]
    fn the_change_log_must_know_the_version() {
        let manifest = "[workspace.package]\nversion = \"1.2.3\"\n";
        assert!(check_version(&Tree::of(&[("Cargo.toml", manifest), ("CHANGELOG.md", "## 1.2.3")])).is_none());
        assert!(check_version(&Tree::of(&[("Cargo.toml", manifest), ("CHANGELOG.md", "## 1.2.2")])).is_some());
        assert!(check_version(&Tree::of(&[("Cargo.toml", manifest)])).is_some());
    }
}
