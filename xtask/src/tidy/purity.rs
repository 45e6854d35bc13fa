//! What is absent: files, clocks and randomness in the pure crates, foreign programs outside `sandbox`, the environment outside `cli`.

use super::Violation;
use super::source::Tree;

const PURE_CRATES: [&str; 3] = ["domain", "quiz", "report"];
const IMPURE: [(&str, &str); 10] = [
    ("std::fs", "touches the file system"),
    ("std::net", "opens sockets"),
    ("std::process", "starts processes"),
    ("SystemTime", "reads the clock"),
    ("Instant::", "reads the clock"),
    ("Timestamp::now", "reads the clock"),
    ("tokio::", "is asynchronous"),
    ("async fn", "is asynchronous"),
    (".await", "is asynchronous"),
    ("rand::", "is random"),
];
const SPAWNS: [&str; 2] = ["Command::new(", "process::Command"];
const READS_ENVIRONMENT: [&str; 3] = ["std::env::", "use std::env", "env::var"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for name in tree.crates() {
        for (path, number, line) in tree.code_of(name) {
            found.extend(complaint(name, line).map(|what| Violation::new(path, number, what)));
        }
    }
    found
}

fn complaint(crate_name: &str, line: &str) -> Option<String> {
    if PURE_CRATES.contains(&crate_name)
        && let Some((token, why)) = IMPURE.iter().find(|(token, _)| line.contains(token))
    {
        return Some(format!("`{token}` {why}, and `{crate_name}` is pure"));
    }
    if crate_name != "sandbox" && SPAWNS.iter().any(|token| line.contains(token)) {
        return Some("only `sandbox` starts foreign programs".to_owned());
    }
    if crate_name != "cli" && READS_ENVIRONMENT.iter().any(|token| line.contains(token)) {
        return Some("only `cli` reads the environment".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_is_held_to_its_own_rules() {
        for (name, line, wrong) in [
            ("domain", "use std::fs;", true),
            ("store", "use std::fs;", false),
            ("report", "let now = SystemTime::now();", true),
            ("scoring", "Command::new(\"node\")", true),
            ("sandbox", "tokio::process::Command::new(program)", false),
            ("cli", "std::env::var(\"HOME\")", false),
            ("browser", "std::env::temp_dir()", true),
            ("browser", "env!(\"CARGO_PKG_VERSION\")", false),
            ("cli", "#[derive(clap::Subcommand)] enum Command {", false),
        ] {
            assert_eq!(complaint(name, line).is_some(), wrong, "{name}: {line}");
        }
    }

    #[test]
    fn tests_may_do_what_code_may_not() {
        let tree = Tree::of(&[
            ("crates/domain/Cargo.toml", ""),
            ("crates/domain/src/lib.rs", "fn pure() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"),
            ("crates/domain/tests/golden.rs", "use std::fs;\n"),
        ]);
        assert_eq!(check(&tree), []);
    }
}
