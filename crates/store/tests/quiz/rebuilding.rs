//! An index that grew run by run, and one made at once from the same documents, must give the same answers.

use crate::suite::everything;
use benchwright_quiz::{Bank, Difficulty, Group, Letter, Library, Question, Source, question_id};
use benchwright_store::index::quiz::{QuizEntry, quiz_entry_of};
use benchwright_store::index::{Index, State, follow_decisions, rebuild};
use benchwright_store::quiz::{KeptShare, SharedRun, moderate_shared, put_shared, read_shared, shared_id};
use benchwright_store::{Act, Decision, Folder, Storage};
use std::collections::BTreeMap;
use std::sync::Arc;

const RUNS: u32 = 60;

/// A data folder with shared runs: some flagged, some repeated, some of questions that are not here.
pub struct Data {
    folder: tempfile::TempDir,
    pub library: Arc<Library>,
    ids: Vec<String>,
}

impl Data {
    fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(Folder::at(self.folder.path()))
    }
}

/// Two questions, those of the kept sample.
pub fn library() -> Library {
    let question = |row: usize, text: &str, answer: Letter| {
        let choices = ["one", "two", "three", "four"].map(str::to_owned);
        let id = question_id("own_cs", row, text, &choices, answer);
        Question {
            id,
            subject: "own_cs".to_owned(),
            group: Group::Cs,
            difficulty: Difficulty::Easy,
            question: text.to_owned(),
            choices,
            answer,
        }
    };
    let questions = vec![question(0, "How many?", Letter::C), question(1, "How many more?", Letter::B)];
    Library::of(vec![Bank { source: Source::Own, questions, examples: BTreeMap::new() }])
}

fn sample() -> SharedRun {
    let folder = tempfile::tempdir().unwrap();
    let storage = Folder::at(folder.path());
    let bytes =
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shared-format-1.json"));
    put_shared(&storage, vec![("20261116-0123456789abcdef".to_owned(), bytes.unwrap())]).unwrap();
    read_shared(&storage, "20261116-0123456789abcdef").unwrap().unwrap().run.unwrap()
}

pub fn data_folder() -> Data {
    let library = Arc::new(library());
    let ids: Vec<String> = library.banks()[0].questions.iter().map(|question| question.id.clone()).collect();
    let mut data = Data { folder: tempfile::tempdir().unwrap(), library, ids: Vec::new() };
    let storage = data.storage();
    for number in 0..RUNS {
        let mut run = sample();
        run.day = format!("2026-11-{:02}", 1 + number * 13 % 28);
        run.id = shared_id(&run.day, &format!("{:016x}", u64::from(number) * 7919));
        run.submission.model.catalogue_id = Some(["small", "smaller"][number as usize % 2].to_owned());
        for (answer, id) in run.submission.answers.iter_mut().zip(&ids) {
            answer.question_id.clone_from(id);
            answer.output = format!("ANSWER: {}", ['A', 'B', 'C', 'D'][(number as usize + id.len()) % 4]);
        }
        run.verdict.outputs_sha256 = format!("{:064x}", number % 23);
        if number.is_multiple_of(9) {
            run.verdict.state = benchwright_quiz::State::Flagged;
        }
        if number == 17 {
            "nobody/0/knows".clone_into(&mut run.submission.answers[0].question_id);
        }
        put_shared(&*storage, vec![(run.id.clone(), run.bytes())]).unwrap();
        data.ids.push(run.id);
    }
    data
}

fn act(decision: Decision, number: usize) -> Act {
    Act {
        decision,
        reason: format!("because of {number}"),
        by: "ada".to_owned(),
        at: format!("2026-11-29T08:{number:02}:00Z"),
    }
}

/// Takes the runs in one by one, in an odd order, some twice, with decisions in between. The decisions are made once.
pub async fn grown(data: &Data, open: impl AsyncFn() -> Index) -> String {
    let storage = data.storage();
    let index = open().await;
    let take_in = async |number: usize| {
        if let Ok(Some(entry)) = quiz_entry_of(&*storage, &data.ids[number], &data.library) {
            index.take_in_shared(&[entry]).await.unwrap();
        }
    };
    for place in 0..RUNS as usize {
        take_in(place * 49 % RUNS as usize).await;
    }
    for (number, decision) in [(2, Decision::Quarantine), (5, Decision::TakeDown), (8, Decision::Quarantine)] {
        // Another index may have grown over the same folder before.
        let _ = moderate_shared(&*storage, &data.ids[number], act(decision, number));
        take_in(number).await;
        take_in(number + 20).await;
    }
    let answers = everything(&index).await;
    index.close().await.unwrap();
    assert!(answers.contains("because of 5") && answers.contains("merged_into: Some"));
    answers
}

/// Killed between the documents and the index, whoever decided left runs that were still shown.
pub async fn decisions_that_the_index_missed_are_followed(index: Index) {
    let data = data_folder();
    let (storage, index) = (data.storage(), Arc::new(index));
    let wanted = [(2, Decision::Quarantine, State::Quarantined), (5, Decision::TakeDown, State::TakenDown)];
    for (number, decision, _) in wanted {
        let entry = quiz_entry_of(&*storage, &data.ids[number], &data.library).unwrap();
        index.take_in_shared(entry.as_slice()).await.unwrap();
        moderate_shared(&*storage, &data.ids[number], act(decision, number)).unwrap();
    }
    let state = async |number: usize| index.shared_run(&data.ids[number]).await.unwrap().unwrap().state;
    assert_eq!((state(2).await, state(5).await), (State::Shown, State::Shown));
    let follow = async || follow_decisions(&storage, &index, none(), Arc::clone(&data.library)).await.unwrap();
    let followed = follow().await;
    assert_eq!((followed.runs.len(), followed.bad), (2, Vec::new()));
    for (number, _, expected) in wanted {
        assert_eq!(state(number).await, expected);
    }
    assert_eq!(follow().await.runs, Vec::<String>::new(), "nothing is left to follow");
}

fn none() -> Arc<benchwright_store::index::Recorded> {
    Arc::new(|_, _| Err("no runs here".to_owned()))
}

/// Makes the index from the documents, twice.
pub async fn rebuilt(data: &Data, open: impl AsyncFn() -> Index) -> String {
    let index = open().await;
    let mut last = (0, 0);
    let library = || Arc::clone(&data.library);
    let rebuilt = rebuild(data.storage(), &index, none(), library(), |seen, of| last = (seen, of)).await.unwrap();
    assert_eq!((rebuilt.indexed, rebuilt.shared, rebuilt.bad.len()), (0, 59, 1));
    assert!(rebuilt.bad[0].reason.contains("import it again"), "{:?}", rebuilt.bad);
    assert_eq!(last, (60, 60));
    let answers = everything(&index).await;
    rebuild(data.storage(), &index, none(), library(), |_, _| ()).await.unwrap();
    assert_eq!(everything(&index).await, answers, "a second rebuild changes nothing");
    index.close().await.unwrap();
    answers
}

#[test]
fn a_document_with_keys_that_somebody_made_up_is_left_out() {
    let library = library();
    let why = |change: fn(&mut SharedRun)| {
        let mut run = sample();
        change(&mut run);
        let kept = KeptShare { run: Some(run.clone()), acts: Vec::new() };
        QuizEntry::of(&run.id, &kept, &library).unwrap_err().to_string()
    };
    let long = |run: &mut SharedRun| run.day.push_str(&" ".repeat(5000));
    let other = |run: &mut SharedRun| "2026-11-17".clone_into(&mut run.day);
    for day in [long, other] {
        assert!(why(day).contains("its day is not that of its id"), "{}", why(day));
    }
    let long = |run: &mut SharedRun| run.verdict.outputs_sha256.push('0');
    let none = |run: &mut SharedRun| run.verdict.outputs_sha256.clear();
    for hash in [long, none] {
        assert!(why(hash).contains("the hash of its outputs is none"), "{}", why(hash));
    }
}
