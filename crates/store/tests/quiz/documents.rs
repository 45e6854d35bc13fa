//! Documents in a folder and in a bucket.

use benchwright_store::quiz::{
    copy_shared, is_shared_id, moderate_shared, put_shared, read_shared, shared_days, shared_on,
};
use benchwright_store::{Act, Decision, DocumentName, Folder, MAX_DOCUMENT_BYTES, Put, Storage, StoreError};
use std::any::Any;
use std::sync::Arc;

type Fresh = (Arc<dyn Storage>, Box<dyn Any>);

fn run_all(fresh: impl Fn() -> Fresh) {
    let cases: [fn(&Arc<dyn Storage>); 4] = [
        a_document_is_put_once_and_never_changed,
        names_lead_nowhere_else,
        documents_are_listed_by_shelf,
        many_who_put_the_same_at_once_are_told_apart,
    ];
    for case in cases {
        let (storage, _alive) = fresh();
        case(&storage);
    }
}

#[test]
fn a_folder_keeps_documents() {
    run_all(|| {
        let folder = tempfile::tempdir().unwrap();
        (Arc::new(Folder::at(folder.path())), Box::new(folder))
    });
}

#[cfg(feature = "bucket")]
#[test]
fn a_bucket_keeps_documents() {
    run_all(|| (Arc::new(benchwright_store::Bucket::in_memory().unwrap()), Box::new(())));
}

#[cfg(feature = "bucket")]
#[test]
fn a_bucket_that_speaks_s3_keeps_documents() {
    let Some(moto) = benchwright_fixtures::Moto::start() else { return };
    let count = std::cell::Cell::new(0);
    run_all(|| {
        count.set(count.get() + 1);
        let bucket = format!("documents-{}", count.get());
        moto.make_bucket(&bucket);
        let settings = benchwright_store::BucketSettings {
            bucket,
            prefix: "some/where".to_owned(),
            endpoint: Some(moto.endpoint()),
            region: None,
            access_key_id: "test".to_owned(),
            secret_access_key: "test".to_owned(),
        };
        (Arc::new(benchwright_store::Bucket::connect(&settings).unwrap()), Box::new(()))
    });
}

fn name(shelf: &str, name: &str) -> DocumentName {
    DocumentName::new("quiz", shelf, name).unwrap()
}

fn a_document_is_put_once_and_never_changed(storage: &Arc<dyn Storage>) {
    let one = name("20261116", "one.json");
    assert_eq!(storage.document(&one).unwrap(), None);
    let put = |bytes: &[u8]| storage.put_documents(&[(one.clone(), bytes.to_vec())]).unwrap();
    assert_eq!(put(b"first"), [Put::Done]);
    assert_eq!(put(b"second"), [Put::Taken]);
    assert_eq!(storage.document(&one).unwrap().unwrap(), b"first");
    let both = [(one.clone(), b"x".to_vec()), (name("20261117", "two.json"), b"y".to_vec())];
    assert_eq!(storage.put_documents(&both).unwrap(), [Put::Taken, Put::Done]);
    storage.remove_document(&one).unwrap();
    storage.remove_document(&one).unwrap();
    assert_eq!(storage.document(&one).unwrap(), None);
    let large = vec![0; MAX_DOCUMENT_BYTES as usize + 1];
    let refused = storage.put_documents(&[(name("20261116", "large"), large)]);
    assert!(matches!(refused, Err(StoreError::TooMuch { .. })));
    assert_eq!(storage.put_documents(&[]).unwrap(), []);
}

fn names_lead_nowhere_else(storage: &Arc<dyn Storage>) {
    for wrong in ["", ".", "..", "a/b", "../x", "-x", "a\0b"] {
        assert!(DocumentName::new("quiz", "20261116", wrong).is_err(), "{wrong:?}");
        assert!(DocumentName::new("quiz", wrong, "x").is_err(), "{wrong:?}");
        assert!(DocumentName::new(wrong, "20261116", "x").is_err(), "{wrong:?}");
        assert!(storage.documents("quiz", wrong).is_err() && storage.shelves(wrong).is_err(), "{wrong:?}");
        assert!(!is_shared_id(wrong) && read_shared(&**storage, wrong).unwrap().is_none(), "{wrong:?}");
    }
}

fn documents_are_listed_by_shelf(storage: &Arc<dyn Storage>) {
    assert_eq!(storage.shelves("quiz").unwrap(), Vec::<String>::new());
    assert_eq!(storage.documents("quiz", "20261116").unwrap(), []);
    for (shelf, document) in [("20261117", "b"), ("20261116", "c"), ("20261116", "a")] {
        storage.put_documents(&[(name(shelf, document), b"x".to_vec())]).unwrap();
    }
    assert_eq!(storage.shelves("quiz").unwrap(), ["20261116", "20261117"]);
    assert_eq!(storage.documents("quiz", "20261116").unwrap(), [name("20261116", "a"), name("20261116", "c")]);
    assert_eq!(storage.runs().unwrap(), Vec::<String>::new(), "documents are no runs");
}

fn many_who_put_the_same_at_once_are_told_apart(storage: &Arc<dyn Storage>) {
    let winners = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let storage = Arc::clone(storage);
                scope.spawn(move || {
                    let bytes = format!("from {number}").into_bytes();
                    storage.put_documents(&[(name("20261116", "same"), bytes)]).unwrap()[0]
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|put| *put == Put::Done).count()
    });
    assert_eq!(winners, 1);
}

const ID: &str = "20261116-0123456789abcdef";

fn act(decision: Decision) -> Act {
    Act { decision, reason: "asked for".to_owned(), by: "ada".to_owned(), at: "2026-11-17T08:00:00Z".to_owned() }
}

/// The file holds a shared run as the first released format has it. Never regenerate it; add a file for each new format instead.
fn first_format() -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shared-format-1.json")).unwrap()
}

fn folder_with_a_run() -> (tempfile::TempDir, Folder) {
    let folder = tempfile::tempdir().unwrap();
    let storage = Folder::at(folder.path());
    put_shared(&storage, vec![(ID.to_owned(), first_format())]).unwrap();
    (folder, storage)
}

#[test]
fn the_first_format_is_read_for_ever() {
    let (_folder, storage) = folder_with_a_run();
    let run = read_shared(&storage, ID).unwrap().unwrap().run.unwrap();
    assert_eq!((run.id.as_str(), run.day.as_str(), run.format), (ID, "2026-11-16", 1));
    assert_eq!((run.submission.answers.len(), run.first_reading.letters.as_str()), (2, "C-"));
    assert_eq!(run.submission.ticket, "", "the second a ticket was issued is not kept");
}

#[test]
fn what_is_damaged_or_newer_says_so() {
    let (_folder, storage) = folder_with_a_run();
    let other = "20261116-ffffffffffffffff";
    put_shared(&storage, vec![(other.to_owned(), first_format())]).unwrap();
    let error = read_shared(&storage, other).unwrap_err().to_string();
    assert!(error.contains("it says it is run 20261116-0123456789abcdef"), "{error}");
    for (number, text, words) in
        [(1, r#"{"format":99,"shape":"unknown"}"#, "update Benchwright"), (2, "{", "read the shared run")]
    {
        let id = format!("20261117-{number:016x}");
        put_shared(&storage, vec![(id.clone(), text.as_bytes().to_vec())]).unwrap();
        let error = read_shared(&storage, &id).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_removed_run_leaves_its_decision_and_nothing_else() {
    let (_folder, storage) = folder_with_a_run();
    moderate_shared(&storage, ID, act(Decision::Quarantine)).unwrap();
    assert!(matches!(moderate_shared(&storage, ID, act(Decision::Quarantine)), Err(StoreError::Refused { .. })));
    moderate_shared(&storage, ID, act(Decision::TakeDown)).unwrap();
    let kept = read_shared(&storage, ID).unwrap().unwrap();
    assert_eq!((kept.run, kept.acts), (None, vec![act(Decision::Quarantine), act(Decision::TakeDown)]));
    // A second time is no second act.
    moderate_shared(&storage, ID, act(Decision::TakeDown)).unwrap();
    assert_eq!(read_shared(&storage, ID).unwrap().unwrap().acts.len(), 2);
    assert!(moderate_shared(&storage, ID, act(Decision::Release)).unwrap_err().to_string().contains("final"));
    assert_eq!(shared_on(&storage, "20261116").unwrap(), [ID], "what was removed is still named");
    let stranger = moderate_shared(&storage, "20261116-ffffffffffffffff", act(Decision::TakeDown));
    assert!(matches!(stranger, Err(StoreError::NotARun { .. })));
}

#[test]
fn a_copy_is_the_same_and_what_was_removed_stays_removed() {
    let (_a, from) = folder_with_a_run();
    let b = tempfile::tempdir().unwrap();
    let to = Folder::at(b.path());
    assert_eq!(copy_shared(&from, &to).unwrap(), 1);
    assert_eq!(copy_shared(&from, &to).unwrap(), 0);
    assert_eq!(read_shared(&to, ID).unwrap(), read_shared(&from, ID).unwrap());
    assert_eq!(shared_days(&to).unwrap(), ["20261116"]);
    moderate_shared(&from, ID, act(Decision::TakeDown)).unwrap();
    assert_eq!(copy_shared(&to, &from).unwrap(), 0, "an old backup does not bring it back");
    assert_eq!(read_shared(&from, ID).unwrap().unwrap().run, None);
    copy_shared(&from, &to).unwrap();
    assert_eq!(read_shared(&to, ID).unwrap().unwrap().run, None, "a decision goes with the copy");
}
