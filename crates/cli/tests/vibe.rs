//! Trajectories on the command line.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use support::Corner;

fn trajectory() -> String {
    let action = |second: u32, kind: &str, tool: &str| {
        json!({
            "timestamp": format!("2026-03-01T10:00:{second:02}"), "source": "agent", "action": kind,
            "tool_call_metadata": { "function_name": tool },
        })
    };
    json!([
        action(0, "run", "execute_bash"),
        action(30, "browse_interactive", "browser"),
        action(40, "finish", "finish")
    ])
    .to_string()
}

fn write_packed(file: &Path, text: &[u8]) {
    let mut packer = GzEncoder::new(fs::File::create(file).unwrap(), Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap();
}

#[test]
fn packed_and_plain_files_are_counted() {
    let corner = Corner::new();
    fs::write(corner.path("work/plain.json"), trajectory()).unwrap();
    write_packed(&corner.path("work/m_trajectory.json.gz"), trajectory().as_bytes());
    let arguments = ["vibe", "trajectory", "plain.json", "m_trajectory.json.gz", "--json"];
    let said: Value = serde_json::from_str(&corner.run(&arguments).expect_code(0).stdout).unwrap();
    assert_eq!(said["format"], 1);
    assert_eq!(said["models"]["plain"], said["models"]["m"]);
    assert_eq!(said["models"]["m"]["category_counts"]["Browser"], 1);
    assert_eq!(said["models"]["m"]["first_browser_call_at_fraction_of_time"], 0.75);
    assert_eq!(said["models"]["m"]["accumulated_cost_usd"], Value::Null);
    let table = corner.run(&["vibe", "trajectory", "plain.json"]).expect_code(0).stdout;
    let row = table.lines().nth(1).unwrap();
    assert!(row.starts_with("plain") && row.ends_with("unknown"), "{table}");
}

#[test]
fn what_is_no_trajectory_is_bad_input_that_names_the_file() {
    let corner = Corner::new();
    fs::write(corner.path("work/note.txt"), "hello").unwrap();
    corner.run(&["vibe", "trajectory", "note.txt"]).expect_code(2).expect_error(&["note.txt", "JSON array"]);
    corner.run(&["vibe", "trajectory", "missing.json"]).expect_code(2).expect_error(&["missing.json"]);
    fs::write(corner.path("work/cut.json"), &trajectory()[..50]).unwrap();
    corner.run(&["vibe", "trajectory", "cut.json"]).expect_code(2).expect_error(&["cut.json", "line 1"]);
}

#[test]
fn a_small_file_that_unpacks_without_end_is_refused() {
    let corner = Corner::new();
    write_packed(&corner.path("work/part.gz"), &vec![b' '; 4 << 20]);
    // A file may have several packed parts, so one part many times is a file that unpacks to as much as one likes.
    fs::write(corner.path("work/bomb.json.gz"), fs::read(corner.path("work/part.gz")).unwrap().repeat(40)).unwrap();
    corner
        .run(&["vibe", "trajectory", "bomb.json.gz"])
        .expect_code(2)
        .expect_error(&["bomb.json.gz", "more than 128 MB"]);
}

/// Three published trajectories, and what was counted of them by other hands.
#[test]
fn every_counted_fact_is_met_on_the_command_line() {
    let Some(data) = std::env::var_os("BENCHWRIGHT_DATA") else {
        benchwright_fixtures::skip("BENCHWRIGHT_DATA is not set, so no real trajectory was counted");
        return;
    };
    let folder = Path::new(&data).join("vcb");
    let facts: Value = serde_json::from_slice(&fs::read(folder.join("facts.json")).unwrap()).unwrap();
    let files: Vec<String> = facts["models"]
        .as_object()
        .unwrap()
        .keys()
        .map(|model| folder.join(format!("{model}_trajectory.json.gz")).to_str().unwrap().to_owned())
        .collect();
    let mut arguments = vec!["vibe", "trajectory", "--json"];
    arguments.extend(files.iter().map(String::as_str));
    let said: Value = serde_json::from_str(&Corner::new().run(&arguments).expect_code(0).stdout).unwrap();
    assert_eq!(said["models"], facts["models"]);
}
