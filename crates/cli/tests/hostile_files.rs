//! Files from outside that were not written to be helpful: each ends with exit code 2, and with line, column and what was expected.

#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use std::fs;
use support::Corner;

const PROMPT: &str = "id: a-page\ntier: 1\nprompt: Build a page about lighthouses.\n";
const RUN: &str = "tool: kiln, prompt: todo, url: 'http://127.0.0.1:9/'";
const PASSWORD: &str = "hunter2hunter2";

/// Gives the text as one kind of file and expects these words, and no password, in what is said of it.
fn refused(kind: &str, text: &str, words: &[&str]) {
    let corner = Corner::new();
    fs::write(corner.path(&format!("work/{kind}")), text).unwrap();
    let score = |option| vec!["score", "http://127.0.0.1:9/", option, kind];
    let arguments = match kind {
        "prompt.yaml" => score("--prompt"),
        "accounts.yaml" => score("--accounts"),
        "settings.toml" => score("--config"),
        _ => vec!["batch", kind],
    };
    let said = corner.run(&arguments).expect_code(2).expect_error(words);
    assert!(!said.stderr.contains(PASSWORD), "{}", said.stderr);
    assert!(!corner.out().exists() && !corner.path("work/benchwright-batch").exists(), "nothing is written");
}

/// A long list under an anchor, and many places that repeat it.
fn bomb(first: impl Fn(&str) -> String, list: &str, times: usize) -> String {
    let anchored = first(&format!("&bomb [{list}]"));
    let repeated: String = (0..times).map(|_| first("*bomb")).collect();
    anchored + &repeated
}

#[test]
fn alias_bombs() {
    let probe = |statuses: &str| format!("  - {{ kind: unauth_get, id: a, path: /a, expect_status: {statuses} }}\n");
    let text = format!("{PROMPT}backend_probes:\n{}", bomb(probe, &"401, ".repeat(500), 60));
    refused("prompt.yaml", &text, &["prompt.yaml:", "too complex"]);
    let run = |routes: &str| format!("  - {{ {RUN}, routes: {routes} }}\n");
    refused(
        "submissions.yaml",
        &format!("runs:\n{}", bomb(run, &"/a, ".repeat(1_000), 60)),
        &["submissions.yaml:", "too complex"],
    );
    let mut nested = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, of) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d"), ("f", "e")] {
        let repeated = vec![format!("*{of}"); 9].join(", ");
        nested.extend([name, ": &", name, " [", &repeated, "]\n"]);
    }
    for (kind, field) in [("prompt.yaml", "must_have"), ("accounts.yaml", "user_a"), ("submissions.yaml", "runs")] {
        refused(kind, &format!("{nested}{field}: *f\n"), &[&format!("{kind}:1:1:"), "unknown field"]);
    }
}

#[test]
fn keys_that_stand_twice() {
    refused("prompt.yaml", &format!("{PROMPT}tier: 2\n"), &["prompt.yaml:4:1:", "tier"]);
    let accounts = format!("user_a: {{ email: a, password: {PASSWORD} }}\nuser_a: {{ email: b, password: c }}\n");
    refused("accounts.yaml", &accounts, &["accounts.yaml:2:1:", "user_a"]);
    refused("submissions.yaml", &format!("runs:\n  - {{ {RUN}, tool: forge }}\n"), &["submissions.yaml:2:", "tool"]);
    refused("settings.toml", "runs = 2\nruns = 3\n", &["settings.toml:2:1:", "duplicate key"]);
}

#[test]
fn wrong_types() {
    let accounts = format!("user_a: {PASSWORD}\nuser_b: {{ email: b, password: c }}\n");
    refused("accounts.yaml", &accounts, &["accounts.yaml:1:9:", "expected"]);
    let accounts = format!("user_a:\n  email: a\n  password: [{PASSWORD}]\n");
    refused("accounts.yaml", &accounts, &["accounts.yaml:3:13:", "expected"]);
    refused("prompt.yaml", &PROMPT.replace("tier: 1", "tier: one"), &["prompt.yaml:2:7:", "expected"]);
    refused("prompt.yaml", &format!("{PROMPT}must_have: many\n"), &["prompt.yaml:4:12:", "expected"]);
    refused(
        "submissions.yaml",
        &format!("runs:\n  - {{ {RUN}, runIdx: two }}\n"),
        &["submissions.yaml:2:", "expected"],
    );
    for user in [PASSWORD.to_owned(), format!("{{ email: a, password: [{PASSWORD}] }}"), format!("[{PASSWORD}]")] {
        let backend = format!("{{ user_a: {user}, user_b: {{ email: b, password: c }} }}");
        let text = format!("runs:\n  - {{ {RUN}, backend: {backend} }}\n");
        refused("submissions.yaml", &text, &["submissions.yaml:2:", "expected"]);
    }
    refused("settings.toml", "url = 7\n", &["settings.toml:1:7:", "expected a string"]);
    refused(
        "settings.toml",
        &format!("runs = 2\nheader = \"X-Key: {PASSWORD}\"\n"),
        &["settings.toml:2:10:", "expected a sequence"],
    );
    refused("settings.toml", &format!("basic-auth = \"me:{PASSWORD}\ncolour = 1\n"), &["settings.toml:1:"]);
}

/// A ZIP archive with one empty file of this name.
fn zip_with(name: &str) -> Vec<u8> {
    let length = u16::try_from(name.len()).unwrap().to_le_bytes();
    // From the version to the lengths of name and extra field, equal in both kinds of header: stored, empty, so its checksum is 0.
    let shared = [[20_u8, 0].as_slice(), &[0; 20], &length, &[0; 2]].concat();
    let local = [b"PK\x03\x04".as_slice(), &shared, name.as_bytes()].concat();
    let central = [b"PK\x01\x02".as_slice(), &[20, 0], &shared, &[0; 14], name.as_bytes()].concat();
    let at = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let end = [b"PK\x05\x06".as_slice(), &[0, 0, 0, 0, 1, 0, 1, 0], &at(&central), &at(&local), &[0; 2]].concat();
    [local, central, end].concat()
}

#[test]
fn a_zip_whose_names_lead_out_of_its_folder() {
    for (name, words) in [("../evil.txt", "`../evil.txt`"), ("/etc/evil.txt", "`/etc/evil.txt`")] {
        let corner = Corner::new();
        fs::write(corner.path("work/evil.zip"), zip_with(name)).unwrap();
        let score = ["score", "http://127.0.0.1:9/", "--source", "evil.zip"];
        corner.run(&score).expect_code(2).expect_error(&["failed to unpack evil.zip: the entry", words]);
        assert!(!corner.out().exists(), "nothing is written");
        let left: Vec<_> = fs::read_dir(corner.path("work")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["evil.zip"]);
        assert!(!corner.path("evil.txt").exists() && !std::path::Path::new("/etc/evil.txt").exists());
        corner.assert_left_clean();
    }
    let corner = Corner::new();
    fs::write(corner.path("work/fine.zip"), zip_with("index.html")).unwrap();
    let said = corner.run(&["score", "http://127.0.0.1:9/", "--source", "fine.zip", "--only", "f1", "--timeout", "3"]);
    assert!(!said.stderr.contains("fine.zip"), "the archive is well made: {}", said.stderr);
}
