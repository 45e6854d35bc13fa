//! What every index promises about shared runs.

use crate::sample::{entry, judged, key, nth, record};
use benchwright_quiz::board::{QuizBoard, RunSummary};
use benchwright_quiz::{Library, ReasonCode, State as Standing};
use benchwright_store::index::quiz::{IndexedShare, PoolSums, QuizEntry, QuizRecord, ShareFilter, SharePlace, pool_id};
use benchwright_store::index::{Index, State};
use benchwright_store::quiz::KeptShare;
use benchwright_store::{Act, Decision};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;

type Case = fn(Index) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case with a name that can be a database's.
pub const CASES: [(&str, Case); 14] = [
    ("quiz_found", |index| Box::pin(a_run_is_found_again_as_it_was_taken_in(index))),
    ("quiz_twice", |index| Box::pin(taking_a_run_in_twice_changes_nothing(index))),
    ("quiz_sums", |index| Box::pin(sums_are_those_of_the_rows_whatever_the_order(index))),
    ("quiz_days", |index| Box::pin(every_day_and_every_question_counts_the_same(index))),
    ("quiz_asked", |index| Box::pin(every_question_leads_to_the_runs_that_count_and_asked_it(index))),
    ("quiz_single", |index| Box::pin(what_one_day_alone_answered_is_known(index))),
    ("quiz_repeats", |index| Box::pin(repeats_are_merged_and_stand_for_each_other(index))),
    ("quiz_outliers", |index| Box::pin(what_is_too_good_counts_once_others_agree(index))),
    ("quiz_gone", |index| Box::pin(what_was_removed_counts_nowhere_and_leaves_a_line(index))),
    ("quiz_late", |index| Box::pin(an_entry_made_before_a_removal_does_not_bring_the_run_back(index))),
    ("quiz_missed", |index| Box::pin(crate::rebuilding::decisions_that_the_index_missed_are_followed(index))),
    ("quiz_paged", |index| Box::pin(lists_are_newest_first_and_can_be_narrowed(index))),
    ("quiz_hostile", |index| Box::pin(hostile_texts_are_only_texts(index))),
    ("quiz_secret", |index| Box::pin(a_secret_is_made_once(index))),
];

async fn take_in(index: &Index, records: &[QuizRecord]) {
    let entries: Vec<QuizEntry> = records.iter().map(entry).collect();
    index.take_in_shared(&entries).await.unwrap();
}

/// The entry of a run that was taken down.
pub fn removed(run: &str) -> QuizEntry {
    let act = Act {
        decision: Decision::TakeDown,
        reason: "Removed by whoever shared it.".to_owned(),
        by: "the sharer".to_owned(),
        at: "2026-11-29T10:00:00Z".to_owned(),
    };
    QuizEntry::of(run, &KeptShare { run: None, acts: vec![act] }, &Library::default()).unwrap()
}

async fn standing(index: &Index, record: &QuizRecord) -> IndexedShare {
    index.shared_run(&record.summary.run).await.unwrap().unwrap()
}

async fn pool(index: &Index, model: &str) -> PoolSums {
    index.pool(&pool_id(&key(model))).await.unwrap().unwrap()
}

async fn a_run_is_found_again_as_it_was_taken_in(index: Index) {
    let record = record("small", 16, 1, "BAb-B");
    assert_eq!(index.shared_run(&record.summary.run).await.unwrap(), None);
    take_in(&index, std::slice::from_ref(&record)).await;
    let found = standing(&index, &record).await;
    assert_eq!((found.state, found.standing, found.reasons.len()), (State::Shown, Standing::Confirmed, 0));
    assert_eq!((found.correct(), found.strict()), (3, 2));
    assert_eq!(found.questions, record.summary.questions);
    assert_eq!(found.key, Some(record.summary.key.clone()));
    assert_eq!(found.speed, record.summary.speed);
    assert_eq!((found.extractor, found.first_correct, found.seconds), (1, 3, 12.5));
    assert!(found.is_counted());
}

async fn taking_a_run_in_twice_changes_nothing(index: Index) {
    let records: Vec<QuizRecord> = (0..40).map(nth).collect();
    take_in(&index, &records).await;
    let (first, generation) = (everything(&index).await, index.generation().await.unwrap());
    take_in(&index, &records).await;
    assert_eq!(everything(&index).await, first);
    assert_eq!(index.generation().await.unwrap(), generation, "nothing changed, and pages in memory stay good");
    take_in(&index, &[record("small", 30, 99, "B")]).await;
    assert!(index.generation().await.unwrap() > generation);
}

/// Runs come in batches, in an odd order, some again with other letters; what stays are the sums of what is there.
async fn sums_are_those_of_the_rows_whatever_the_order(index: Index) {
    let records: Vec<QuizRecord> = (0..60).map(nth).collect();
    for batch in 0..12 {
        let some: Vec<QuizRecord> = (0..5).map(|place| records[(batch * 5 + place) * 37 % 60].clone()).collect();
        take_in(&index, &some).await;
    }
    let changed = QuizRecord {
        summary: RunSummary { questions: crate::sample::questions("AAAA"), ..records[0].summary.clone() },
        ..records[0].clone()
    };
    take_in(&index, std::slice::from_ref(&changed)).await;
    take_in(&index, &records[..1]).await;
    let mut counted: BTreeMap<String, Vec<RunSummary>> = BTreeMap::new();
    let all = index.shared_runs(&ShareFilter::default(), None, 1000).await.unwrap();
    assert_eq!(all.len(), 60);
    for share in all.iter().filter(|share| share.is_counted()) {
        let record = records.iter().find(|record| record.summary.run == share.run).unwrap();
        let summary = RunSummary { state: Standing::Confirmed, ..record.summary.clone() };
        counted.entry(pool_id(&summary.key)).or_default().push(summary);
    }
    for sums in index.pools().await.unwrap() {
        let runs = counted.remove(&sums.pool).unwrap_or_default();
        assert_eq!(sums.runs, runs.len() as u64);
        let answers: Vec<_> = runs.iter().flat_map(|run| &run.questions).collect();
        assert_eq!(sums.asked, answers.len() as u64);
        assert_eq!(sums.correct, answers.iter().filter(|answer| answer.correct).count() as u64);
        let distinct: BTreeSet<&str> = answers.iter().map(|answer| answer.question_id.as_str()).collect();
        assert_eq!(sums.questions, distinct.len() as u64);
        let (share, strict) = naive_share(&runs);
        assert!((sums.share - share).abs() < 1e-7, "{}: {} and {share}", sums.pool, sums.share);
        assert!((sums.strict_share - strict).abs() < 1e-7);
        assert_like_the_board(&sums, &runs);
    }
    assert!(counted.is_empty(), "every run that counts is in a pool");
}

/// The mean over questions of the mean over days of the share of runs that were right, computed the long way.
fn naive_share(runs: &[RunSummary]) -> (f64, f64) {
    let mut days: BTreeMap<&str, BTreeMap<&str, (f64, f64, f64)>> = BTreeMap::new();
    for run in runs {
        for question in &run.questions {
            let day = days.entry(&question.question_id).or_default().entry(&run.day).or_default();
            day.0 += 1.0;
            day.1 += f64::from(u8::from(question.correct));
            day.2 += f64::from(u8::from(question.correct && question.tier == 1));
        }
    }
    let mean = |value: fn(&(f64, f64, f64)) -> f64| {
        let questions = days.values().map(|days| days.values().map(value).sum::<f64>() / days.len() as f64);
        questions.sum::<f64>() / days.len().max(1) as f64
    };
    (mean(|day| day.1 / day.0), mean(|day| day.2 / day.0))
}

/// The same runs, pooled by the crate that says how it is done.
fn assert_like_the_board(sums: &PoolSums, runs: &[RunSummary]) {
    let Some(row) = QuizBoard::of(runs).tables.into_iter().flat_map(|table| table.rows).next() else {
        return assert!(runs.is_empty());
    };
    let accuracy = row.accuracy.unwrap();
    assert_eq!(accuracy.questions, sums.questions);
    assert!((accuracy.share - sums.share).abs() < 1e-7);
    assert!((row.strict.unwrap().share - sums.strict_share).abs() < 1e-7);
    assert_eq!((row.tiers, row.chosen, row.gold), (sums.tiers.clone(), sums.chosen, sums.gold));
}

async fn every_day_and_every_question_counts_the_same(index: Index) {
    // On one day ten runs are right, on another day one is wrong; a second question was asked once and is right.
    let mut records: Vec<QuizRecord> = (0..10).map(|number| record("small", 1, number, "B")).collect();
    records.push(record("small", 2, 20, "AB"));
    take_in(&index, &records).await;
    let sums = pool(&index, "small").await;
    assert_eq!((sums.runs, sums.questions, sums.days, sums.asked), (11, 2, 2, 12));
    assert!((sums.share - f64::midpoint(0.5, 1.0)).abs() < 1e-9, "{}", sums.share);
    let questions = index.pool_questions(&sums.pool, 0, 10).await.unwrap();
    assert_eq!((questions[0].runs, questions[0].share, questions[0].chosen.a), (11, 0.5, 1));
    assert_eq!((questions[1].runs, questions[1].share), (1, 1.0));
    assert_eq!(index.pool_questions(&sums.pool, 1, 10).await.unwrap(), questions[1..]);
}

async fn every_question_leads_to_the_runs_that_count_and_asked_it(index: Index) {
    // The second question was asked long ago, and by the first of many runs of a day.
    take_in(&index, &[record("small", 1, 1, "BB"), record("small", 4, 2, "Bb"), record("other", 4, 3, "BB")]).await;
    let later: Vec<QuizRecord> = (10..40).map(|number| record("small", 4 + number % 2, number, "B")).collect();
    take_in(&index, &later).await;
    let flagged = judged(record("small", 4, 50, "BB"), Standing::Flagged, &[ReasonCode::UnlikelyTimes]);
    take_in(&index, &[flagged]).await;
    let pool = pool_id(&key("small"));
    let of = async |question: &str, after: Option<&IndexedShare>, limit| {
        let question = format!("own_cs/{question}/0123456789ab");
        index.runs_that_asked(&pool, &question, after.map(SharePlace::from).as_ref(), limit).await.unwrap()
    };
    let second = of("1", None, 10).await;
    let days: Vec<&str> = second.iter().map(|run| run.day.as_str()).collect();
    assert_eq!(days, ["2026-11-04", "2026-11-01"]);
    assert_eq!(of("1", second.first(), 10).await, second[1..], "from a place on");
    assert_eq!(of("2", None, 10).await, []);
    let all = of("0", None, 100).await;
    assert_eq!(all.len(), 32);
    let mut paged: Vec<IndexedShare> = Vec::new();
    loop {
        let page = of("0", paged.last(), 5).await;
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, all);
    assert!(all.is_sorted_by(|a, b| (&a.day, &a.run) > (&b.day, &b.run)));
    assert_eq!(index.runs_that_asked(&pool, "own%", None, 10).await.unwrap(), []);
}

async fn what_one_day_alone_answered_is_known(index: Index) {
    let repeated = QuizRecord { outputs_sha256: "f".repeat(64), ..record("small", 4, 9, "BBBBBBBB") };
    let again = QuizRecord { outputs_sha256: "f".repeat(64), ..record("small", 7, 10, "BBBBBBBB") };
    take_in(&index, &[record("small", 1, 1, "BA"), record("small", 2, 2, "BBBb"), record("small", 3, 3, "BBBbA")])
        .await;
    let sums = pool(&index, "small").await;
    let single = index.single_days(&sums.pool).await.unwrap();
    assert_eq!((single.questions, single.busiest.questions, single.busiest.share), (1, 1, 0.0), "the fifth");
    take_in(&index, std::slice::from_ref(&repeated)).await;
    let single = index.single_days(&sums.pool).await.unwrap();
    assert_eq!((single.questions, single.busiest.questions, single.busiest.share), (3, 3, 3.0), "the sixth to eighth");
    // A repeat on another day adds no answer, and says that the first was not one day's word alone.
    take_in(&index, std::slice::from_ref(&again)).await;
    assert!(!standing(&index, &again).await.is_counted());
    assert_eq!(index.single_days(&sums.pool).await.unwrap().questions, 0);
    index.take_in_shared(&[removed(&repeated.summary.run)]).await.unwrap();
    assert_eq!(index.single_days(&sums.pool).await.unwrap().questions, 3, "the repeat is alone now");
    index.take_in_shared(&[removed(&again.summary.run)]).await.unwrap();
    assert_eq!(index.single_days(&sums.pool).await.unwrap().questions, 1);
}

async fn repeats_are_merged_and_stand_for_each_other(index: Index) {
    let repeat = |day, number| QuizRecord { outputs_sha256: "f".repeat(64), ..record("small", day, number, "BBA") };
    let (first, second, third) = (repeat(3, 1), repeat(5, 2), repeat(7, 3));
    // The later ones come first.
    take_in(&index, &[third.clone(), second.clone()]).await;
    assert!(standing(&index, &second).await.is_counted());
    take_in(&index, std::slice::from_ref(&first)).await;
    assert!(standing(&index, &first).await.is_counted());
    for merged in [&second, &third] {
        let merged = standing(&index, merged).await;
        assert_eq!((merged.standing, merged.reasons.as_slice()), (Standing::Unconfirmed, &[ReasonCode::Duplicate][..]));
        assert_eq!(merged.merged_into.as_ref(), Some(&first.summary.run));
    }
    let sums = pool(&index, "small").await;
    assert_eq!((sums.runs, sums.others, sums.asked), (1, 2, 3));
    assert_eq!(sums.days, 3, "each was made with a ticket of its own on a day of its own");
    // The same outputs to other questions are no repeat.
    let other = QuizRecord { selection: "own-36".to_owned(), ..repeat(9, 4) };
    take_in(&index, std::slice::from_ref(&other)).await;
    assert!(standing(&index, &other).await.is_counted());
    // Without the first, the next one counts.
    index.take_in_shared(&[removed(&first.summary.run)]).await.unwrap();
    assert!(standing(&index, &second).await.is_counted());
    assert_eq!(standing(&index, &third).await.merged_into, Some(second.summary.run.clone()));
    let sums = pool(&index, "small").await;
    assert_eq!((sums.runs, sums.others, sums.days), (2, 1, 3));
    // What whoever keeps the board ran counts before all others, and is not merged.
    let reference = |number| {
        let mut record = repeat(11, number);
        record.summary.state = Standing::Reference;
        record
    };
    let references = [reference(5), reference(6)];
    take_in(&index, &references).await;
    for known in &references {
        assert_eq!(standing(&index, known).await.standing, Standing::Reference);
    }
    assert_eq!(standing(&index, &second).await.merged_into, Some(references[0].summary.run.clone()));
    let counted: Vec<String> =
        index.counted_runs(&sums.pool, 10).await.unwrap().into_iter().map(|share| share.run).collect();
    let expected = [&references[1], &references[0], &other].map(|record| record.summary.run.clone());
    assert_eq!(counted, expected);
    assert_eq!(index.counted_runs(&sums.pool, 1).await.unwrap()[0].run, expected[0]);
}

async fn what_is_too_good_counts_once_others_agree(index: Index) {
    let outlier =
        |day, number| judged(record("small", day, number, "BBBB"), Standing::Unconfirmed, &[ReasonCode::Outlier]);
    let (first, same_day, second, third) = (outlier(1, 1), outlier(1, 2), outlier(2, 3), outlier(3, 4));
    take_in(&index, &[first.clone(), same_day.clone(), second.clone()]).await;
    assert_eq!(standing(&index, &first).await.standing, Standing::Unconfirmed);
    assert_eq!((pool(&index, "small").await.runs, pool(&index, "small").await.others), (0, 3));
    take_in(&index, std::slice::from_ref(&third)).await;
    for run in [&first, &same_day, &second, &third] {
        let run = standing(&index, run).await;
        assert_eq!((run.standing, run.reasons.len(), run.verdict), (Standing::Confirmed, 0, Standing::Unconfirmed));
    }
    assert_eq!((pool(&index, "small").await.runs, pool(&index, "small").await.others), (4, 0));
    // One of them is taken back: the others are alone again.
    index.take_in_shared(&[removed(&third.summary.run)]).await.unwrap();
    assert_eq!(standing(&index, &first).await.standing, Standing::Unconfirmed);
    // A flagged run agrees with nobody.
    let flagged = judged(outlier(4, 5), Standing::Flagged, &[ReasonCode::Outlier, ReasonCode::UnlikelyTimes]);
    take_in(&index, &[flagged]).await;
    assert_eq!(standing(&index, &first).await.standing, Standing::Unconfirmed);
}

async fn what_was_removed_counts_nowhere_and_leaves_a_line(index: Index) {
    let records: Vec<QuizRecord> = (0..20).map(nth).collect();
    take_in(&index, &records).await;
    for record in &records {
        index.take_in_shared(&[removed(&record.summary.run)]).await.unwrap();
    }
    assert_eq!(index.pools().await.unwrap(), []);
    assert_eq!(index.shared_runs(&ShareFilter::default(), None, 100).await.unwrap(), []);
    let gone = standing(&index, &records[0]).await;
    assert_eq!(gone.state, State::TakenDown);
    assert_eq!(gone.state_reason.as_deref(), Some("Removed by whoever shared it."));
    assert_eq!((gone.questions.len(), gone.key, gone.engine.as_str()), (0, None, ""));
    assert_eq!(gone.day, records[0].summary.day);
    let lines = index.moderation(None, 100).await.unwrap();
    assert_eq!(lines.len(), 20);
    assert!(lines.iter().all(|line| line.by == "the sharer" && line.decision == Decision::TakeDown));
}

/// The document was written, the run was removed, and only then did the entry arrive.
async fn an_entry_made_before_a_removal_does_not_bring_the_run_back(index: Index) {
    let (gone, kept) = (record("small", 3, 1, "BBA"), record("small", 4, 2, "BBB"));
    index.take_in_shared(&[removed(&gone.summary.run)]).await.unwrap();
    take_in(&index, &[gone.clone(), kept.clone()]).await;
    assert_eq!(standing(&index, &gone).await.state, State::TakenDown);
    assert_eq!(pool(&index, "small").await.runs, 1, "the other one of the same batch counts");
    let before = everything(&index).await;
    take_in(&index, std::slice::from_ref(&gone)).await;
    assert_eq!(everything(&index).await, before);
    // Both at once, the newer one first.
    index.take_in_shared(&[removed(&kept.summary.run), entry(&kept)]).await.unwrap();
    assert_eq!(standing(&index, &kept).await.state, State::TakenDown);
    assert_eq!(index.pools().await.unwrap(), []);
}

async fn lists_are_newest_first_and_can_be_narrowed(index: Index) {
    let records: Vec<QuizRecord> = (0..50).map(nth).collect();
    take_in(&index, &records).await;
    let mut seen = Vec::new();
    let mut after: Option<SharePlace> = None;
    loop {
        let page = index.shared_runs(&ShareFilter::default(), after.as_ref(), 7).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(SharePlace::from(last));
        seen.extend(page.into_iter().map(|share| (share.day, share.run)));
    }
    let mut sorted = seen.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    sorted.dedup();
    assert_eq!(seen, sorted, "newest first, none twice");
    assert_eq!(seen.len(), 50);
    let flagged = ShareFilter { standing: Some("flagged".to_owned()), ..ShareFilter::default() };
    assert_eq!(index.shared_runs(&flagged, None, 100).await.unwrap().len(), 5);
    let small = ShareFilter { pool: Some(pool_id(&key("small"))), ..ShareFilter::default() };
    let small = index.shared_runs(&small, None, 100).await.unwrap();
    assert!(!small.is_empty() && small.iter().all(|share| share.key.as_ref().unwrap().model == "small"));
    let rare = ShareFilter { selection: Some("own-36".to_owned()), ..ShareFilter::default() };
    let rare = index.shared_runs(&rare, None, 100).await.unwrap();
    assert!(rare.len() == 5 && rare.iter().all(|share| share.selection == "own-36"), "{rare:?}");
    let ids: Vec<String> = records.iter().map(|record| record.summary.run.clone()).collect();
    let strangers = ["20261116-ffffffffffffffff".to_owned()];
    assert_eq!(index.unknown_shared(&[&ids[..], &strangers].concat()).await.unwrap(), strangers);
    assert_eq!(index.shared_read_otherwise(1, "", 100).await.unwrap(), Vec::<String>::new());
    assert_eq!(index.shared_read_otherwise(2, "", 100).await.unwrap().len(), 50);
}

async fn hostile_texts_are_only_texts(index: Index) {
    for (number, text) in (1..).zip(["'; DROP TABLE quiz_runs; --", "\u{0}", "$1", "?1", "<script>", "\u{202e}é", ""])
    {
        let mut record = record(text, 16, number, "B");
        record.engine = text.to_owned();
        record.summary.key.quantisation = text.to_owned();
        record.summary.key.custom = true;
        record.summary.key.file_sha256 = Some(text.to_owned());
        take_in(&index, std::slice::from_ref(&record)).await;
        let found = standing(&index, &record).await;
        assert_eq!(found.engine, text.replace('\0', "\u{fffd}"));
        assert_eq!(found.key, Some(record.summary.key), "names are kept as JSON, which says everything");
        assert!(found.is_counted());
    }
    assert_eq!(index.pools().await.unwrap().len(), 7);
}

async fn a_secret_is_made_once(index: Index) {
    let secret = index.secret("tickets").await.unwrap();
    assert_eq!(index.secret("tickets").await.unwrap(), secret);
    assert_ne!(index.secret("something else").await.unwrap(), secret);
    assert_ne!(secret, [0; 32]);
}

/// Every answer about shared runs, as text.
pub async fn everything(index: &Index) -> String {
    let mut all = Vec::new();
    for standing in [None, Some("confirmed"), Some("unconfirmed"), Some("flagged")] {
        let filter = ShareFilter { standing: standing.map(str::to_owned), ..ShareFilter::default() };
        all.push(format!("{standing:?} {:#?}", index.shared_runs(&filter, None, 1000).await.unwrap()));
    }
    for pool in index.pools().await.unwrap() {
        let single = index.single_days(&pool.pool).await.unwrap();
        all.push(format!("{pool:#?} {single:#?} {:#?}", index.pool_questions(&pool.pool, 0, 1000).await.unwrap()));
    }
    all.push(format!("{:#?}", index.moderation(None, 1000).await.unwrap()));
    all.join("\n")
}
