//! One suite for every place that keeps runs: what holds for a folder holds for a bucket.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod suite;

use benchwright_store::Folder;

#[test]
fn a_folder_keeps_runs() {
    suite::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let storage = Folder::at(folder.path());
        (Box::new(storage), Box::new(folder))
    });
}

#[cfg(feature = "bucket")]
mod bucket {
    use super::suite;
    use benchwright_fixtures::Moto;
    use benchwright_store::{Act, Bucket, BucketSettings, Decision, EventBody, Storage, StoreError};
    use std::cell::Cell;

    #[test]
    fn a_bucket_in_memory_keeps_runs() {
        suite::run(|| (Box::new(Bucket::in_memory().unwrap()), Box::new(())));
    }

    #[test]
    fn a_bucket_that_speaks_s3_keeps_runs() {
        let Some(moto) = Moto::start() else { return };
        let count = Cell::new(0);
        suite::run(|| {
            count.set(count.get() + 1);
            let bucket = format!("bucket-{}", count.get());
            moto.make_bucket(&bucket);
            let settings = BucketSettings {
                bucket,
                prefix: "some/where".to_owned(),
                endpoint: Some(moto.endpoint()),
                region: None,
                access_key_id: "test".to_owned(),
                secret_access_key: "test".to_owned(),
            };
            (Box::new(Bucket::connect(&settings).unwrap()), Box::new(()))
        });
    }

    #[test]
    fn two_writers_of_one_run_meet_at_the_next_segment() {
        let bucket = Bucket::in_memory().unwrap();
        drop(bucket.create(&suite::header("r1")).unwrap());
        let (mut first, _) = bucket.open("r1").unwrap();
        let (mut second, _) = bucket.open("r1").unwrap();
        first.append(EventBody::Finished {}, 1).unwrap();
        assert!(matches!(second.append(EventBody::Finished {}, 1), Err(StoreError::AlreadyRunning { .. })));
        assert_eq!(bucket.read("r1").unwrap().events.len(), 2);
    }

    #[test]
    fn blocking_calls_may_be_made_inside_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let bucket = Bucket::in_memory().unwrap();
            drop(bucket.create(&suite::header("r1")).unwrap());
            assert_eq!(bucket.runs().unwrap(), ["r1"]);
        });
    }

    #[test]
    fn a_service_that_cannot_be_reached_is_an_error_with_its_reason() {
        let port = benchwright_fixtures::refused_port().unwrap();
        let settings = BucketSettings {
            bucket: "b".to_owned(),
            endpoint: Some(format!("http://127.0.0.1:{port}")),
            access_key_id: "id".to_owned(),
            secret_access_key: "very-secret".to_owned(),
            ..BucketSettings::default()
        };
        let error = Bucket::connect(&settings).unwrap().runs().unwrap_err();
        assert!(matches!(error, StoreError::Bucket { .. }), "{error:?}");
        assert!(!format!("{error:?} {settings:?}").contains("very-secret"));
    }

    #[test]
    fn notes_wait_for_the_next_event_that_must_be_durable() {
        let bucket = Bucket::in_memory().unwrap();
        let mut run = bucket.create(&suite::header("r1")).unwrap();
        run.append(EventBody::Note { text: "waits".to_owned() }, 1).unwrap();
        assert_eq!(bucket.read("r1").unwrap().events.len(), 1);
        let act = Act { decision: Decision::Release, reason: String::new(), by: String::new(), at: String::new() };
        run.append(EventBody::Moderated { act }, 2).unwrap();
        assert_eq!(bucket.read("r1").unwrap().events.len(), 3);
    }
}
