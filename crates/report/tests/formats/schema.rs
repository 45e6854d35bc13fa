//! The published schema is the one the types give, and every report keeps to it.

use crate::hostile::Canvas;
use crate::sample;
use benchwright_report::json;
use serde_json::Value;
use std::path::PathBuf;

fn published() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json")
}

#[test]
fn the_published_schema_is_up_to_date() {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(published(), json::schema()).unwrap();
    }
    let text = std::fs::read_to_string(published()).unwrap();
    assert!(
        text == json::schema(),
        "docs/report.schema.json is old; run the tests of this crate once with UPDATE_SCHEMA=1"
    );
}

#[test]
fn every_report_keeps_to_the_schema() {
    let schema: Value = serde_json::from_str(&json::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let hostile = Canvas::of(&sample::decent()).drench("</script>");
    for report in [sample::decent(), sample::unrendered(), sample::flawless(), sample::empty(), hostile] {
        let form: Value = serde_json::from_str(&json::render(&report)).unwrap();
        let errors: Vec<_> = validator.iter_errors(&form).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let schema: Value = serde_json::from_str(&json::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let whole = serde_json::to_value(sample::decent()).unwrap();
    for field in ["composite", "rankable", "headline", "dimensions", "scorers", "provenance", "format"] {
        let mut form = whole.clone();
        form.as_object_mut().unwrap().remove(field);
        assert!(!validator.is_valid(&form), "without {field}");
    }
    let mut form = whole;
    form["scorers"]["f1"]["outcome"] = "fine".into();
    assert!(!validator.is_valid(&form));
}
