use benchwright_domain::board::CoverageClass;
use benchwright_domain::record::{RECORD_FORMAT, RecordedScore, RunRecord};
use benchwright_store::index::{Durability, Entry, Index};
use benchwright_store::{Act, Decision, Event, EventBody, ExportFormat, ReadRun, export};

fn record(run: &str) -> RunRecord {
    RunRecord {
        format: RECORD_FORMAT,
        run: run.to_owned(),
        tool: "kiln".to_owned(),
        tool_version: None,
        run_index: Some(3),
        prompt: Some("todo".to_owned()),
        tier: None,
        url: "https://kiln.example/?a=1,2".to_owned(),
        title: Some("=HYPERLINK(\"evil\")".to_owned()),
        headline: "81.3 of 100".to_owned(),
        composite: Some(81.3),
        dimensions: [(benchwright_domain::Dimension::Functional, 0.1 + 0.2)].into(),
        scores: [("f1".to_owned(), RecordedScore { score: 1.0, version: "1".to_owned() })].into(),
        rankable: true,
        not_rankable_because: Vec::new(),
        class: CoverageClass {
            scored: [benchwright_domain::ScorerId::F1].into(),
            scanners: String::new(),
            methodology: "1.0".to_owned(),
            counts_unrendered_as_zero: false,
        },
        coverage: 0.5,
        started_at: "2026-11-16T08:00:00Z".to_owned(),
        seconds: 2.5,
        benchwright: "0.1.0".to_owned(),
        cost: None,
        verified: true,
        report: None,
        thumbnail: None,
    }
}

fn entry(record: &RunRecord, is_quarantined: bool) -> Entry {
    let header = super::header(&record.run);
    let mut bodies = vec![EventBody::Started { header: header.clone() }];
    let act = || Act { at: "2026-11-17T08:00:00Z".to_owned(), ..super::act(Decision::Quarantine) };
    bodies.extend(is_quarantined.then(|| EventBody::Moderated { act: act() }));
    let events = (0..).zip(bodies).map(|(sequence, body)| Event { sequence, at_ms: 0, body }).collect();
    let run = ReadRun { header, events, torn: false, damage: None, run_json: None };
    Entry::of(&run, Some(record.clone())).unwrap()
}

/// Exports `count` runs that are shown and one that is not.
fn exported(count: usize, format: ExportFormat) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let index = Index::sqlite(&folder.path().join("index.sqlite"), Durability::Process).await.unwrap();
        let mut entries: Vec<Entry> =
            (0..count).map(|number| entry(&record(&format!("r{number:05}")), false)).collect();
        entries.push(entry(&record("hidden"), true));
        index.take_in(&entries).await.unwrap();
        let mut out = Vec::new();
        assert_eq!(export(&index, format, &mut out).await.unwrap(), count);
        out
    })
}

#[test]
fn json_lines_hold_every_shown_run_once_and_whole() {
    let text = String::from_utf8(exported(2500, ExportFormat::JsonLines)).unwrap();
    let records: Vec<RunRecord> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 2500);
    for (number, found) in records.iter().enumerate() {
        assert_eq!(*found, record(&format!("r{number:05}")));
    }
}

#[test]
fn csv_has_a_column_for_every_number_and_no_formula() {
    let text = String::from_utf8(exported(1, ExportFormat::Csv)).unwrap();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("run,started_at,tool,") && lines[0].contains(",functional,") && lines[0].contains(",s4,")
    );
    assert!(
        lines[1].starts_with("r00000,2026-11-16T08:00:00Z,kiln,,3,todo,,\"https://kiln.example/?a=1,2\","),
        "{}",
        lines[1]
    );
    assert!(lines[1].contains("\"'=HYPERLINK(\"\"evil\"\")\",81.3,true,"), "{}", lines[1]);
    assert!(lines[1].contains("0.30000000000000004"), "{}", lines[1]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_reads_back_with_types() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    let bytes = exported(2500, ExportFormat::Parquet);
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 2500);
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let field = |row: usize, name: &str| {
        let found = rows[row].get_column_iter().find(|(column, _)| *column == name);
        found.unwrap_or_else(|| panic!("no column {name}")).1.clone()
    };
    assert_eq!(field(2499, "run"), Field::Str("r02499".to_owned()));
    assert_eq!(field(0, "composite"), Field::Double(81.3));
    assert_eq!(field(0, "functional"), Field::Double(0.1 + 0.2));
    assert_eq!(field(0, "run_index"), Field::Long(3));
    assert_eq!(field(0, "verified"), Field::Bool(true));
    assert_eq!(
        (field(0, "tier"), field(0, "visual"), field(0, "tool_version")),
        (Field::Null, Field::Null, Field::Null)
    );
}

#[cfg(feature = "parquet")]
#[test]
fn an_empty_export_is_still_a_table() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let reader = SerializedFileReader::new(bytes::Bytes::from(exported(0, ExportFormat::Parquet))).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    assert!(reader.metadata().file_metadata().schema().get_fields().len() > 40);
}
