//! Three published trajectories, and what was counted of them by other hands. The data are not part of the project:
//! `BENCHWRIGHT_DATA` names the folder that holds `vcb`.

use benchwright_domain::vibe::trajectory::Trajectory;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("BENCHWRIGHT_DATA").map(|data| PathBuf::from(data).join("vcb"));
    if folder.is_none() {
        eprintln!("SKIPPED: BENCHWRIGHT_DATA is not set, so no real trajectory was read");
    }
    folder
}

fn unpacked(file: PathBuf) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(file).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn every_counted_fact_is_met() {
    let Some(folder) = folder() else { return };
    let facts: Value = serde_json::from_slice(&fs::read(folder.join("facts.json")).unwrap()).unwrap();
    let models = facts["models"].as_object().unwrap();
    assert_eq!(models.len(), 3);
    for (model, counted) in models {
        let trajectory = Trajectory::read(&unpacked(folder.join(format!("{model}_trajectory.json.gz")))).unwrap();
        let ours = serde_json::to_value(trajectory.facts()).unwrap();
        for (name, value) in counted.as_object().unwrap() {
            assert_eq!(&ours[name], value, "{model}: {name}");
        }
        assert_eq!(ours.as_object().unwrap().len(), counted.as_object().unwrap().len(), "{model}");
    }
}

#[test]
fn what_the_analysis_keeps_of_a_real_run() {
    let Some(folder) = folder() else { return };
    let bytes = unpacked(folder.join("google_gemini_3_1_pro_preview_trajectory.json.gz"));
    let trajectory = Trajectory::read(&bytes).unwrap();
    let generation = trajectory.generation();
    assert_eq!(generation.cost_usd, Some(1.781_223_799_999_999_8));
    assert_eq!((generation.turns, generation.tokens.unwrap().cache_read), (Some(72), 3_764_159));
    assert_eq!(generation.calls.unwrap()["browser"], 6);
    let strip = trajectory.strip();
    assert_eq!(strip.iter().map(|segment| segment.calls).sum::<u64>(), 72);
    assert!(strip.windows(2).all(|pair| pair[0].to == pair[1].from && pair[0].category != pair[1].category));
    // A file that was cut off says where.
    let cut = Trajectory::read(&bytes[..bytes.len() / 2]).unwrap_err().to_string();
    assert!(cut.starts_with("read the trajectory: ") && cut.contains("line"), "{cut}");
}
