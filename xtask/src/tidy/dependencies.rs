//! Which crate may know which, as the table in ARCHITECTURE.md says.

use super::Violation;
use super::source::Tree;

/// Naming a function in a wasm module is unsafe to the compiler, and the workspace forbids that.
const OWN_LINTS: &str = "quiz-wasm";
const PREFIX: &str = "benchwright-";

/// Crates of ours that each crate may depend on. A crate that is not listed here is not part of the map.
const MAY_KNOW: [(&str, &[&str]); 15] = [
    ("domain", &[]),
    ("quiz", &["domain"]),
    ("quiz-wasm", &["quiz"]),
    ("browser", &["domain"]),
    ("sandbox", &["domain"]),
    ("llm", &["domain"]),
    ("source", &[]),
    ("store", &["domain", "quiz"]),
    ("services", &["domain"]),
    ("report", &["domain", "quiz"]),
    ("scoring", &["domain", "browser", "sandbox", "llm", "source"]),
    ("vibe", &["domain", "browser", "sandbox", "llm", "services"]),
    ("server", &["domain", "quiz", "store", "report"]),
    ("intake", &["domain", "quiz", "store"]),
    (
        "cli",
        &[
            "domain", "quiz", "browser", "sandbox", "llm", "source", "store", "services", "scoring", "vibe", "report",
            "server", "intake",
        ],
    ),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.crates().into_iter().flat_map(|name| check_crate(tree, name)).collect()
}

fn check_crate(tree: &Tree, name: &str) -> Vec<Violation> {
    let path = format!("crates/{name}/Cargo.toml");
    let manifest = tree.get(&path).unwrap_or_default();
    let mut found = Vec::new();
    let Some((_, allowed)) = MAY_KNOW.iter().find(|(known, _)| *known == name) else {
        return vec![Violation::new(&path, 1, format!("crate `{name}` is not in the architecture's table"))];
    };
    for (line, section, dependency) in own_dependencies(manifest) {
        let fixture_of_tests = dependency == "fixtures" && section == "dev-dependencies";
        if !fixture_of_tests && !allowed.contains(&dependency) {
            found.push(Violation::new(&path, line, format!("`{name}` may not depend on `{dependency}`")));
        }
    }
    if name != OWN_LINTS && !inherits_lints(manifest) {
        found.push(Violation::new(&path, 1, "does not inherit the workspace's lints"));
    }
    found
}

/// Line, section and name of every dependency on a crate of ours.
fn own_dependencies(manifest: &str) -> Vec<(usize, &str, &str)> {
    let mut section = "";
    let mut found = Vec::new();
    for (number, line) in (1..).zip(manifest.lines()) {
        if let Some(header) = line.trim().strip_prefix('[') {
            section = header.trim_end_matches(']').rsplit('.').next().unwrap_or_default();
        } else if section.ends_with("dependencies") {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.extend(name.strip_prefix(PREFIX).map(|name| (number, section, name)));
        }
    }
    found
}

fn inherits_lints(manifest: &str) -> bool {
    let lines: Vec<&str> = manifest.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| pair == ["[lints]", "workspace = true"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(name: &str, manifest: &str) -> Vec<String> {
        let path = format!("crates/{name}/Cargo.toml");
        check(&Tree::of(&[(&path, manifest)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_store_may_not_know_the_browser() {
        let manifest = "[lints]\nworkspace = true\n[dependencies]\nbenchwright-domain.workspace = true\nbenchwright-browser = { path = \"x\" }\n";
        assert_eq!(complaints("store", manifest), ["crates/store/Cargo.toml:5: `store` may not depend on `browser`"]);
        assert!(complaints("scoring", manifest).is_empty());
    }

    #[test]
    fn fixtures_are_for_tests_only() {
        let fixtures = "benchwright-fixtures.workspace = true\n[lints]\nworkspace = true\n";
        assert!(complaints("browser", &format!("[dev-dependencies]\n{fixtures}")).is_empty());
        assert_eq!(complaints("browser", &format!("[dependencies]\n{fixtures}")).len(), 1);
        assert_eq!(complaints("browser", &format!("[target.'cfg(unix)'.dependencies]\n{fixtures}")).len(), 1);
    }

    #[test]
    fn an_unlisted_crate_and_missing_lints_are_named() {
        assert!(complaints("helpers", "")[0].contains("not in the architecture's table"));
        assert!(complaints("domain", "")[0].contains("lints"));
    }
}
