//! What every index promises.

use crate::apps::{
    a_rebuilt_index_knows_the_same_apps, apps_are_listed_narrowed_and_moderated,
    evaluations_that_cannot_be_right_are_refused,
};
use crate::sample::{act, class, entry, header, moment, nth, read_run, record};
use benchwright_domain::board::Tally;
use benchwright_domain::record::RecordedScore;
use benchwright_domain::{RunRecord, ScorerId};
use benchwright_store::index::{
    ActPlace, Entry, Index, IndexError, IndexedRun, Recorded, RunFilter, RunPlace, Scope, ScoreBucket, State, Totals,
    class_id, entry_of, follow_decisions,
};
use benchwright_store::{Act, Decision, Folder, Storage, moderate};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;

type Wanted<'a> = &'a dyn Fn(&RunRecord) -> bool;
type Case = fn(Index) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case with a name that can be a database's.
pub const CASES: [(&str, Case); 19] = [
    ("found_again", |index| Box::pin(a_run_is_found_again_as_it_was_taken_in(index))),
    ("twice", |index| Box::pin(taking_a_run_in_twice_changes_nothing(index))),
    ("paged", |index| Box::pin(lists_are_newest_first_and_pages_neither_skip_nor_repeat(index))),
    ("narrowed", |index| Box::pin(lists_can_be_narrowed(index))),
    ("sums", |index| Box::pin(sums_are_those_of_the_rows_whatever_the_order(index))),
    ("boards", |index| Box::pin(a_board_ranks_what_can_be_compared(index))),
    ("prompts_apart", |index| Box::pin(prompts_whose_runs_all_stand_apart_are_known(index))),
    ("moderated", |index| Box::pin(what_is_not_shown_counts_nowhere(index))),
    ("late", |index| Box::pin(an_entry_made_before_a_decision_does_not_undo_it(index))),
    ("missed", |index| Box::pin(decisions_that_the_index_missed_are_followed(index))),
    ("hostile", |index| Box::pin(hostile_texts_are_only_texts(index))),
    ("long", |index| Box::pin(one_long_address_kept_the_index_from_being_made(index))),
    ("refused", |index| Box::pin(records_that_cannot_be_right_are_refused(index))),
    ("tokens", |index| Box::pin(tokens_are_kept_as_hashes_and_revoked_for_good(index))),
    ("at_once", |index| Box::pin(runs_that_are_taken_in_at_once_are_there_when_that_is_said(index))),
    ("clock", |index| Box::pin(a_clock_that_jumps_loses_nothing(index))),
    ("apps", |index| Box::pin(apps_are_listed_narrowed_and_moderated(index))),
    ("evaluations", |index| Box::pin(evaluations_that_cannot_be_right_are_refused(index))),
    ("apps_again", |index| Box::pin(a_rebuilt_index_knows_the_same_apps(index))),
];

async fn a_run_is_found_again_as_it_was_taken_in(index: Index) {
    assert_eq!(index.run("r1").await.unwrap(), None);
    let full = record("r1", "kiln", "todo", 81.3);
    let mut bare = record("r2", "kiln", "todo", 50.0);
    bare = RunRecord { tool_version: None, run_index: None, prompt: None, tier: None, title: None, ..bare };
    bare = RunRecord {
        composite: None,
        rankable: false,
        cost: None,
        verified: false,
        report: None,
        thumbnail: None,
        ..bare
    };
    bare.not_rankable_because = vec!["nothing could be measured".to_owned()];
    bare.dimensions.clear();
    bare.scores.clear();
    index.take_in(&[entry(&full, &[]), entry(&bare, &[])]).await.unwrap();
    for record in [full, bare] {
        let found = index.run(&record.run).await.unwrap().unwrap();
        assert_eq!(found, IndexedRun { state: State::Shown, state_reason: None, record });
    }
    assert_eq!(index.prompts().await.unwrap()[0].tier, Some(2));
}

async fn taking_a_run_in_twice_changes_nothing(index: Index) {
    let entries: Vec<Entry> = (0..30).map(|number| entry(&nth(number), &[])).collect();
    index.take_in(&entries).await.unwrap();
    let before = everything(&index).await;
    index.take_in(&entries).await.unwrap();
    index.take_in(&[&entries[..], &entries[..3]].concat()).await.unwrap();
    assert_eq!(everything(&index).await, before);
    assert_eq!(index.totals().await.unwrap().shown, 30);
}

async fn lists_are_newest_first_and_pages_neither_skip_nor_repeat(index: Index) {
    let mut records: Vec<RunRecord> = (0..70).map(nth).collect();
    // Runs that began in the same moment.
    for record in &mut records[..20] {
        record.started_at = moment(3);
    }
    index.take_in(&records.iter().map(|record| entry(record, &[])).collect::<Vec<_>>()).await.unwrap();
    records.sort_by(|a, b| (&b.started_at, &b.run).cmp(&(&a.started_at, &a.run)));
    let (mut seen, mut after) = (Vec::new(), None::<RunPlace>);
    loop {
        let page = index.runs(&RunFilter::default(), after.as_ref(), 9).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(RunPlace::from(last));
        seen.extend(page.into_iter().map(|run| run.record));
    }
    assert_eq!(seen, records);
    let by_id: Vec<String> =
        index.runs_by_id("r00009", 1000).await.unwrap().into_iter().map(|run| run.record.run).collect();
    assert_eq!((by_id.len(), by_id[0].as_str()), (60, "r00010"));
}

async fn lists_can_be_narrowed(index: Index) {
    let records: Vec<RunRecord> = (0..60).map(nth).collect();
    index.take_in(&records.iter().map(|record| entry(record, &[])).collect::<Vec<_>>()).await.unwrap();
    let filters: [(RunFilter, Wanted); 7] = [
        (RunFilter { tool: Some("kiln".to_owned()), ..RunFilter::default() }, &|r| r.tool == "kiln"),
        (RunFilter { prompt: Some("shop".to_owned()), ..RunFilter::default() }, &|r| {
            r.prompt.as_deref() == Some("shop")
        }),
        (RunFilter { url: Some("https://forge.example/".to_owned()), ..RunFilter::default() }, &|r| r.tool == "forge"),
        (RunFilter { ranked: Some(false), ..RunFilter::default() }, &|r| !r.rankable),
        (RunFilter { ranked: Some(false), prompt: Some("todo".to_owned()), ..RunFilter::default() }, &|r| {
            !r.rankable && r.prompt.as_deref() == Some("todo")
        }),
        (RunFilter { ranked: Some(false), tool: Some("Anvil".to_owned()), ..RunFilter::default() }, &|r| {
            !r.rankable && r.tool == "Anvil"
        }),
        (
            RunFilter {
                ranked: Some(true),
                tool: Some("forge".to_owned()),
                prompt: Some("shop".to_owned()),
                ..RunFilter::default()
            },
            &|r| r.rankable && r.tool == "forge" && r.prompt.as_deref() == Some("shop"),
        ),
    ];
    for (filter, wanted) in filters {
        let found: BTreeSet<String> =
            index.runs(&filter, None, 1000).await.unwrap().into_iter().map(|run| run.record.run).collect();
        let expected: BTreeSet<String> = records.iter().filter(|r| wanted(r)).map(|r| r.run.clone()).collect();
        assert!(!expected.is_empty(), "{filter:?}");
        assert_eq!(found, expected, "{filter:?}");
    }
    let nobody = RunFilter { tool: Some("nobody".to_owned()), ..RunFilter::default() };
    assert_eq!(index.runs(&nobody, None, 1000).await.unwrap(), []);
}

/// Runs come, change, are quarantined and released, in batches of many sizes; in the end every sum must be that of the rows.
async fn sums_are_those_of_the_rows_whatever_the_order(index: Index) {
    let mut numbers: Vec<u32> = (0..240).map(|place| place * 97 % 240).collect();
    let mut size = 1;
    while !numbers.is_empty() {
        let batch: Vec<Entry> =
            numbers.drain(..size.min(numbers.len())).map(|number| entry(&nth(number), &[])).collect();
        index.take_in(&batch).await.unwrap();
        size = size % 60 + 7;
    }
    let mut last: BTreeMap<u32, (RunRecord, bool)> = (0..240).map(|number| (number, (nth(number), true))).collect();
    for number in (0..240).step_by(4) {
        let changed = RunRecord { run: nth(number).run, ..nth(number + 1000) };
        index.take_in(&[entry(&changed, &[])]).await.unwrap();
        last.insert(number, (changed, true));
    }
    let hidden: Vec<Entry> = (0..240)
        .step_by(9)
        .map(|number| {
            let run = last.get_mut(&number).unwrap();
            run.1 = false;
            entry(&run.0, &[act(Decision::Quarantine, number)])
        })
        .collect();
    index.take_in(&hidden).await.unwrap();
    assert_sums(&index, last.into_values().filter(|(_, shown)| *shown).map(|(record, _)| record).collect()).await;
}

async fn assert_sums(index: &Index, shown: Vec<RunRecord>) {
    let mut tallies: BTreeMap<(Option<String>, String, String), (Tally, RunPlace)> = BTreeMap::new();
    let mut buckets: BTreeMap<(String, i64), i64> = BTreeMap::new();
    for record in &shown {
        for (scorer, score) in &record.scores {
            *buckets.entry((scorer.clone(), (score.score * 20.0).floor() as i64)).or_default() += 1;
        }
        let place = RunPlace { started_at: record.started_at.clone(), run: record.run.clone() };
        if let Some(tally) = Tally::of(record) {
            let key = (record.prompt.clone(), class_id(&record.class), record.tool.clone());
            let (sum, newest) = tallies.entry(key).or_insert_with(|| (Tally::default(), place.clone()));
            *sum += tally;
            if (&place.started_at, &place.run) > (&newest.started_at, &newest.run) {
                *newest = place;
            }
        }
    }
    let mut found = 0;
    for prompt in index.prompts().await.unwrap() {
        for class in index.classes(prompt.prompt.as_deref()).await.unwrap() {
            for standing in index.standings(prompt.prompt.as_deref(), &class.class).await.unwrap() {
                let key = (prompt.prompt.clone(), class.class.clone(), standing.tool.clone());
                let (tally, newest) = &tallies[&key];
                assert_eq!((standing.tally, &standing.newest.run), (*tally, &newest.run), "{key:?}");
                found += 1;
            }
        }
    }
    assert_eq!(found, tallies.len());
    for scorer in ["f1", "c3"] {
        let expected: Vec<ScoreBucket> = buckets
            .iter()
            .filter(|((name, _), _)| name == scorer)
            .map(|((_, bucket), runs)| ScoreBucket { version: "1".to_owned(), bucket: *bucket, runs: *runs })
            .collect();
        assert_eq!(index.distribution(scorer).await.unwrap(), expected);
    }
    let ranked = shown.iter().filter(|record| Tally::of(record).is_some()).count();
    let totals = index.totals().await.unwrap();
    assert_eq!((totals.shown as usize, totals.ranked as usize), (shown.len(), ranked));
}

async fn a_board_ranks_what_can_be_compared(index: Index) {
    let mut entries = Vec::new();
    for (tool, composites) in [("good", [90.0, 91.0, 92.0]), ("fair", [50.0, 51.0, 52.0]), ("Also", [50.5, 51.0, 51.5])]
    {
        for (number, composite) in composites.into_iter().enumerate() {
            entries.push(entry(&record(&format!("{tool}-{number}"), tool, "todo", composite), &[]));
        }
    }
    let other = RunRecord { class: class(&[ScorerId::F1]), ..record("other", "good", "todo", 10.0) };
    let apart = RunRecord { rankable: false, ..record("apart", "fair", "todo", 99.0) };
    entries.extend([entry(&other, &[]), entry(&apart, &[])]);
    index.take_in(&entries).await.unwrap();
    let classes = index.classes(Some("todo")).await.unwrap();
    assert_eq!(classes.iter().map(|class| (class.tools, class.runs)).collect::<Vec<_>>(), [(3, 9), (1, 1)]);
    assert_eq!(classes[1].definition, class(&[ScorerId::F1]));
    let board = index.standings(Some("todo"), &classes[0].class).await.unwrap();
    let rows = board.iter().map(|row| (row.tool.as_str(), row.composite.mean.unwrap(), row.rank.best, row.rank.worst));
    assert_eq!(rows.collect::<Vec<_>>(), [("good", 91.0, 1, 1), ("Also", 51.0, 2, 3), ("fair", 51.0, 2, 3)]);
    assert_eq!((board[0].tally.usd(), board[0].tally.verified), (Some(1.25), 3));
    assert!(board[0].composite.interval.unwrap().low < 91.0);
    let prompts = index.prompts().await.unwrap();
    assert_eq!((prompts.len(), prompts[0].tools, prompts[0].runs), (1, 3, 10));
    assert_eq!(index.standings(Some("none"), &classes[0].class).await.unwrap().len(), 0);
}

async fn prompts_whose_runs_all_stand_apart_are_known(index: Index) {
    assert_eq!(index.prompts_apart().await.unwrap(), [] as [Option<String>; 0]);
    let apart = |run: &str, prompt: Option<&str>| {
        let record = record(run, "kiln", prompt.unwrap_or_default(), 50.0);
        RunRecord {
            prompt: prompt.map(str::to_owned),
            rankable: false,
            not_rankable_because: vec!["it did not render".to_owned()],
            ..record
        }
    };
    let hidden = entry(&apart("r5", Some("hidden")), &[act(Decision::Quarantine, 1)]);
    let shown =
        [("r1", Some("todo")), ("r2", Some("cart")), ("r3", None), ("r4", Some("cart"))].map(|(r, p)| apart(r, p));
    let shown = shown.map(|record| entry(&record, &[]));
    index.take_in(&[&shown[..], &[hidden, entry(&record("r6", "kiln", "ranked", 80.0), &[])]].concat()).await.unwrap();
    let prompts = index.prompts_apart().await.unwrap();
    assert_eq!(prompts, [Some("cart".to_owned()), Some("todo".to_owned()), None]);
}

async fn what_is_not_shown_counts_nowhere(index: Index) {
    let (kept, gone) = (record("kept", "kiln", "todo", 80.0), record("gone", "kiln", "todo", 20.0));
    let class = class_id(&kept.class);
    let mean = async |index: &Index| index.standings(Some("todo"), &class).await.unwrap()[0].composite.mean;
    index.take_in(&[entry(&kept, &[]), entry(&gone, &[])]).await.unwrap();
    assert_eq!(mean(&index).await, Some(50.0));
    let mut acts = vec![act(Decision::Quarantine, 1)];
    index.take_in(&[entry(&gone, &acts)]).await.unwrap();
    assert_eq!(mean(&index).await, Some(80.0));
    let quarantined = RunFilter { state: State::Quarantined, ..RunFilter::default() };
    assert_eq!(index.runs(&quarantined, None, 9).await.unwrap()[0].state_reason.as_deref(), Some("because of 1"));
    assert_eq!(index.runs(&RunFilter::default(), None, 9).await.unwrap().len(), 1);
    acts.push(act(Decision::Release, 2));
    index.take_in(&[entry(&gone, &acts)]).await.unwrap();
    assert_eq!(mean(&index).await, Some(50.0));
    acts.push(act(Decision::TakeDown, 3));
    index.take_in(&[Entry::of(&read_run(&gone, &acts), None).unwrap()]).await.unwrap();
    assert_eq!(mean(&index).await, Some(80.0));
    let tombstone = index.run("gone").await.unwrap().unwrap();
    assert_eq!((tombstone.state, tombstone.state_reason.as_deref()), (State::TakenDown, Some("because of 3")));
    assert_eq!((tombstone.record.url.as_str(), tombstone.record.composite), ("", None));
    let totals = index.totals().await.unwrap();
    assert_eq!(totals, Totals { shown: 1, ranked: 1, quarantined: 0, taken_down: 1 });
    let log = index.moderation(None, 2).await.unwrap();
    assert_eq!(log.iter().map(|line| line.decision).collect::<Vec<_>>(), [Decision::TakeDown, Decision::Release]);
    let rest = index.moderation(log.last().map(ActPlace::from).as_ref(), 9).await.unwrap();
    assert_eq!(rest.iter().map(|line| line.decision).collect::<Vec<_>>(), [Decision::Quarantine]);
}

/// Whoever took the run in read it before somebody decided, and came to the index after.
async fn an_entry_made_before_a_decision_does_not_undo_it(index: Index) {
    let run = record("r1", "kiln", "todo", 80.0);
    let acts = [act(Decision::Quarantine, 1), act(Decision::TakeDown, 2)];
    index.take_in(&[entry(&run, &acts[..1])]).await.unwrap();
    let before = everything(&index).await;
    index.take_in(&[entry(&run, &[])]).await.unwrap();
    assert_eq!(everything(&index).await, before);
    // Both at once, the newer one first.
    index.take_in(&[entry(&run, &acts), entry(&run, &acts[..1])]).await.unwrap();
    assert_eq!(index.run("r1").await.unwrap().unwrap().state, State::TakenDown);
    index.take_in(&[entry(&run, &acts[..1])]).await.unwrap();
    let totals = index.totals().await.unwrap();
    assert_eq!(totals, Totals { shown: 0, ranked: 0, quarantined: 0, taken_down: 1 });
}

/// Killed between the log and the index, whoever decided left runs that were still shown.
async fn decisions_that_the_index_missed_are_followed(index: Index) {
    let folder = tempfile::tempdir().unwrap();
    let (storage, index): (Arc<dyn Storage>, _) = (Arc::new(Folder::at(folder.path())), Arc::new(index));
    let recorded: Arc<Recorded> = Arc::new(|_, _| Err("every run of this test has a record".to_owned()));
    for id in ["r1", "r2", "r3"] {
        let record = record(id, "kiln", "todo", 80.0);
        let mut run = storage.create(&header(&record)).unwrap();
        run.finish(&serde_json::json!({ "record": record })).unwrap();
        drop(run);
        let entry = entry_of(&*storage, id, &*recorded).unwrap();
        index.take_in(entry.as_slice()).await.unwrap();
    }
    moderate(&*storage, "r1", act(Decision::TakeDown, 1)).unwrap();
    moderate(&*storage, "r2", act(Decision::Quarantine, 2)).unwrap();
    assert_eq!(index.totals().await.unwrap().shown, 3);
    let follow = async || follow_decisions(&storage, &index, Arc::clone(&recorded), Arc::default()).await.unwrap();
    let followed = follow().await;
    assert_eq!((followed.runs, followed.bad), (vec!["r1".to_owned(), "r2".to_owned()], Vec::new()));
    let totals = index.totals().await.unwrap();
    assert_eq!(totals, Totals { shown: 1, ranked: 1, quarantined: 1, taken_down: 1 });
    assert_eq!(follow().await.runs, Vec::<String>::new(), "nothing is left to follow");
}

async fn hostile_texts_are_only_texts(index: Index) {
    let evil = "'; DROP TABLE runs; -- $1 ?1 \" \\ <script>alert(1)</script> \u{202e} %s";
    let mut hostile = record("r1", evil, evil, 50.0);
    hostile.url = evil.to_owned();
    hostile.title = Some(format!("{evil}\0{evil}"));
    hostile.headline = "x".repeat(100_000);
    index.take_in(&[entry(&hostile, &[])]).await.unwrap();
    let found = index.run("r1").await.unwrap().unwrap().record;
    assert_eq!((found.tool.as_str(), found.url.as_str()), (evil, evil));
    assert_eq!(found.title, Some(format!("{evil}\u{fffd}{evil}")));
    assert_eq!(found.headline.len(), 4000);
    let class = class_id(&hostile.class);
    assert_eq!(index.standings(Some(evil), &class).await.unwrap()[0].tool, evil);
    let filter = RunFilter { tool: Some(evil.to_owned()), ..RunFilter::default() };
    assert_eq!(index.runs(&filter, None, 9).await.unwrap().len(), 1);
    assert_eq!(index.run(evil).await.unwrap(), None);
    assert_eq!(index.token(evil).await.unwrap(), None);
}

/// As many characters that no database can make shorter, of one byte, two and three.
fn noise(seed: u32, characters: usize) -> String {
    let mut state = seed;
    let character = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let number = state >> 8;
        char::from_u32([0x21 + number % 90, 0xa1 + number % 1000, 0x4e00 + number % 20_000][number as usize % 3])
    };
    std::iter::repeat_with(character).take(characters).flatten().collect()
}

/// Keys hold 2,704 bytes in PostgreSQL, which shortens those that repeat themselves before it counts.
async fn one_long_address_kept_the_index_from_being_made(index: Index) {
    // At most 200 bytes are taken.
    let name = |seed| noise(seed, 66);
    let run: String = noise(1, 2000).chars().filter(char::is_ascii_alphanumeric).take(100).collect();
    let mut long = record(&run, &name(2), &name(3), 50.0);
    let score = RecordedScore { score: 0.5, version: name(4) };
    long.scores.insert(name(5), score);
    (long.url, long.title) = (noise(6, 5000), Some(noise(7, 5000)));
    let by_hand = Act { at: noise(8, 5000), by: noise(9, 5000), ..act(Decision::Quarantine, 1) };
    let zeros = RunRecord {
        url: noise(10, 5000).replace(|one: char| one.is_ascii(), "\0"),
        ..record("zeros", "kiln", "todo", 50.0)
    };
    index.take_in(&[entry(&long, &[]), entry(&zeros, &[])]).await.unwrap();
    for record in [&long, &zeros] {
        let found = index.run(&record.run).await.unwrap().unwrap().record;
        assert!((1998..=2000).contains(&found.url.len()), "{}", found.url.len());
        assert!(record.url.replace('\0', "\u{fffd}").starts_with(&found.url));
        for url in [found.url, record.url.clone()] {
            let of_the_app = RunFilter { url: Some(url), ..RunFilter::default() };
            assert_eq!(index.runs(&of_the_app, None, 9).await.unwrap().len(), 1);
        }
    }
    index.take_in(&[entry(&long, &[by_hand])]).await.unwrap();
    assert_eq!(index.moderation(None, 9).await.unwrap()[0].run, run);
}

async fn records_that_cannot_be_right_are_refused(index: Index) {
    let good = record("r1", "kiln", "todo", 50.0);
    let with_score = |score: f64| {
        let mut record = good.clone();
        record.scores.get_mut("f1").unwrap().score = score;
        record
    };
    let bad = [
        RunRecord { run: "another".to_owned(), ..good.clone() },
        RunRecord { composite: Some(100.1), ..good.clone() },
        RunRecord { composite: Some(f64::NAN), ..good.clone() },
        RunRecord { composite: Some(-1.0), ..good.clone() },
        RunRecord { seconds: f64::INFINITY, ..good.clone() },
        RunRecord { tool: "x".repeat(1000), ..good.clone() },
        RunRecord { started_at: "yesterday".to_owned(), ..good.clone() },
        with_score(1.5),
        with_score(f64::NAN),
    ];
    for record in bad {
        let run = read_run(&good, &[]);
        assert!(matches!(Entry::of(&run, Some(record.clone())), Err(IndexError::BadRecord { .. })), "{record:?}");
    }
    assert!(matches!(Entry::of(&read_run(&good, &[]), None), Err(IndexError::BadRecord { .. })));
    assert_eq!(index.totals().await.unwrap(), Totals::default());
}

async fn tokens_are_kept_as_hashes_and_revoked_for_good(index: Index) {
    let (token, text) =
        index.create_token("ada", &[Scope::Submit, Scope::Read, Scope::Submit], &moment(1)).await.unwrap();
    assert_eq!(token.scopes, [Scope::Read, Scope::Submit]);
    assert_eq!(index.token(&text).await.unwrap(), Some(token.clone()));
    let (_, other) = index.create_token("bob", &[Scope::Moderate], &moment(2)).await.unwrap();
    assert_ne!(text, other);
    for wrong in ["", &text[1..], &text.to_uppercase(), &format!("{text} "), &"x".repeat(100_000)] {
        assert_eq!(index.token(wrong).await.unwrap(), None);
    }
    let kept = index.kept_tokens().await.unwrap();
    let all = format!("{kept:?} {:?}", index.tokens().await.unwrap());
    assert!(!all.contains(&text) && all.contains("ada"), "{all}");
    assert!(index.revoke_token(&token.id, &moment(3)).await.unwrap());
    assert!(!index.revoke_token(&token.id, &moment(4)).await.unwrap());
    assert_eq!(index.token(&text).await.unwrap(), None);
    // A backup from before the revocation does not bring it back.
    index.restore_tokens(&kept).await.unwrap();
    assert_eq!(index.token(&text).await.unwrap(), None);
    assert_eq!(index.token(&other).await.unwrap().unwrap().name, "bob");
    assert_eq!(index.tokens().await.unwrap().len(), 2);
}

async fn runs_that_are_taken_in_at_once_are_there_when_that_is_said(index: Index) {
    let index = Arc::new(index);
    let tasks: Vec<_> = (0..300)
        .map(|number| {
            let index = Arc::clone(&index);
            tokio::spawn(async move {
                index.take_in(&[entry(&nth(number), &[])]).await.unwrap();
                assert!(index.run(&nth(number).run).await.unwrap().is_some(), "{number} was acknowledged");
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_sums(&index, (0..300).map(nth).collect()).await;
}

/// The clock goes back a year, then on: every run is there once, in the order of the times it says.
async fn a_clock_that_jumps_loses_nothing(index: Index) {
    let times = ["2026-11-16T10:00:00Z", "2025-11-16T10:00:00Z", "2026-11-16T10:00:01Z", "2026-11-16T10:00:00Z"];
    for (number, time) in times.iter().enumerate() {
        let record =
            RunRecord { started_at: (*time).to_owned(), ..record(&format!("r{number}"), "kiln", "todo", 50.0) };
        index.take_in(&[entry(&record, &[])]).await.unwrap();
    }
    let listed = index.runs(&RunFilter::default(), None, 9).await.unwrap();
    assert_eq!(listed.iter().map(|run| run.record.run.as_str()).collect::<Vec<_>>(), ["r2", "r3", "r0", "r1"]);
    let class = class_id(&record("", "", "", 0.0).class);
    let standing = &index.standings(Some("todo"), &class).await.unwrap()[0];
    assert_eq!((standing.tally.runs, standing.newest.run.as_str()), (4, "r2"));
}

/// Every answer of an index, as text.
pub async fn everything(index: &Index) -> String {
    let mut all = vec![format!("{:#?}\n{:#?}", index.totals().await.unwrap(), index.prompts().await.unwrap())];
    for state in State::ALL {
        for ranked in [None, Some(true), Some(false)] {
            let filter = RunFilter { state, ranked, ..RunFilter::default() };
            all.push(format!("{state:?} {ranked:?} {:#?}", index.runs(&filter, None, 1000).await.unwrap()));
        }
    }
    all.push(format!("{:#?}", index.runs_by_id("", 1000).await.unwrap()));
    for prompt in index.prompts().await.unwrap() {
        let prompt = prompt.prompt.as_deref();
        for class in index.classes(prompt).await.unwrap() {
            all.push(format!("{class:#?} {:#?}", index.standings(prompt, &class.class).await.unwrap()));
        }
    }
    for scorer in ["f1", "c3"] {
        all.push(format!("{scorer} {:#?}", index.distribution(scorer).await.unwrap()));
    }
    all.push(format!("{:#?}", index.moderation(None, 1000).await.unwrap()));
    all.join("\n")
}
