use super::*;
use crate::submission::Backend;
use proptest::prelude::*;

fn key(model: &str) -> RowKey {
    RowKey {
        source: Source::Own,
        protocol: Protocol::OneMessage1,
        thinking: false,
        custom: false,
        model: model.to_owned(),
        quantisation: "q8_0".to_owned(),
        file_sha256: None,
    }
}

/// A run of the questions from `first` on, right where `right` says so.
fn run(id: &str, key: &RowKey, day: &str, first: usize, right: &[bool]) -> RunSummary {
    let question = |(at, right): (usize, &bool)| QuestionResult {
        question_id: format!("own_cs/{}/0", first + at),
        correct: *right,
        tier: if at % 2 == 0 { 1 } else { 2 },
        chosen: Some(if *right { Letter::A } else { Letter::B }),
        gold: Letter::A,
    };
    RunSummary {
        format: FORMAT,
        run: id.to_owned(),
        key: key.clone(),
        state: State::Confirmed,
        day: day.to_owned(),
        questions: right.iter().enumerate().map(question).collect(),
        speed: None,
    }
}

fn only_row(runs: &[RunSummary]) -> BoardRow {
    let mut board = QuizBoard::of(runs);
    assert_eq!((board.tables.len(), board.tables[0].rows.len()), (1, 1));
    board.tables[0].rows.remove(0)
}

fn accuracy(runs: &[RunSummary]) -> PooledAccuracy {
    only_row(runs).accuracy.unwrap()
}

#[test]
fn distinct_questions_are_pooled_and_days_weigh_the_same() {
    let model = key("m");
    let runs = [
        run("a", &model, "2026-01-01", 0, &[true, true]),
        run("b", &model, "2026-01-01", 0, &[true, false]),
        run("c", &model, "2026-01-02", 0, &[false, false]),
        run("d", &model, "2026-01-02", 2, &[true]),
    ];
    let pooled = accuracy(&runs);
    // First question: days 1 and 0. Second: days 1/2 and 0. Third: 1.
    assert_eq!(pooled.questions, 3);
    assert!((pooled.share - (0.5 + 0.25 + 1.0) / 3.0).abs() < 1e-12);
    let row = only_row(&runs);
    assert_eq!(row.tiers.iter().map(|tier| tier.answers).collect::<Vec<_>>(), [4, 3, 0, 0, 0]);
    assert_eq!((row.chosen.a, row.chosen.b, row.gold.a), (4, 3, 7));
    assert_eq!(row.between_runs.values, [100.0, 50.0, 0.0, 100.0]);
    assert_eq!(row.runs, ["a", "b", "c", "d"]);
}

#[test]
fn one_flood_of_a_day_weighs_one_day() {
    let model = key("m");
    let mut runs =
        vec![run("a", &model, "2026-01-01", 0, &[false; 10]), run("b", &model, "2026-01-02", 0, &[false; 10])];
    runs.extend((0..50).map(|n| run(&format!("flood {n}"), &model, "2026-01-03", 0, &[true; 10])));
    assert!((accuracy(&runs).share - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn what_is_not_confirmed_is_named_and_counts_nowhere() {
    let model = key("m");
    let mut flagged = run("flagged", &model, "2026-01-01", 0, &[true; 5]);
    flagged.state = State::Flagged;
    let mut rejected = run("rejected", &model, "2026-01-01", 0, &[true; 5]);
    rejected.state = State::Rejected;
    let row = only_row(&[run("a", &model, "2026-01-01", 0, &[false; 5]), flagged.clone(), rejected]);
    assert_eq!(
        (row.accuracy.unwrap().share, row.runs, row.other_runs),
        (0.0, vec!["a".to_owned()], vec!["flagged".to_owned()])
    );
    let alone = only_row(&[flagged]);
    assert!(alone.accuracy.is_none() && alone.rank.is_none() && !alone.not_ranked_because.is_empty());
}

#[test]
fn rows_are_ordered_by_their_lower_end_and_share_ranks_where_intervals_overlap() {
    let days = ["2026-01-01", "2026-01-02", "2026-01-03"];
    let of = |model: &str, right: usize, n: usize| {
        let answers: Vec<bool> = (0..n).map(|at| at < right).collect();
        days.map(|day| run(&format!("{model} {day}"), &key(model), day, 0, &answers))
    };
    // "few" has the higher share, but its interval reaches lower; it also has too few questions for a rank.
    let runs: Vec<RunSummary> = [of("good", 100, 120), of("close", 98, 120), of("bad", 30, 120), of("few", 10, 10)]
        .into_iter()
        .flatten()
        .collect();
    let board = QuizBoard::of(&runs);
    let rows: Vec<_> = board.tables[0].rows.iter().map(|row| (row.key.model.as_str(), row.rank)).collect();
    let range = |best, worst| Some(RankRange { best, worst });
    assert_eq!(rows, [("good", range(1, 2)), ("close", range(1, 2)), ("bad", range(3, 3)), ("few", None)]);
}

#[test]
fn what_must_not_be_pooled_is_not() {
    let base = key("m");
    let keys = [
        base.clone(),
        RowKey { quantisation: "q4".to_owned(), ..base.clone() },
        RowKey { protocol: Protocol::ChatTurns1, ..base.clone() },
        RowKey { source: Source::Mmlu, ..base.clone() },
        RowKey { thinking: true, ..base.clone() },
        RowKey { custom: true, ..base.clone() },
    ];
    let runs: Vec<RunSummary> = keys.iter().map(|key| run("r", key, "2026-01-01", 0, &[true])).collect();
    let board = QuizBoard::of(&runs);
    assert_eq!(board.tables.iter().map(|table| table.rows.len()).sum::<usize>(), 6);
    assert_eq!(board.tables.len(), 5, "quantisations stand in one table");
}

#[test]
fn a_rare_device_is_shown_by_its_family() {
    let speed = |class: &str, rate: f64| RunSpeed {
        backend: Backend::Webgpu,
        device_class: class.to_owned(),
        device_family: "acme".to_owned(),
        first_token_ms: Some(100.0),
        prefill_rate: None,
        decode_rate: Some(rate),
    };
    let model = key("m");
    let with =
        |id: &str, speed: RunSpeed| RunSummary { speed: Some(speed), ..run(id, &model, "2026-01-01", 0, &[true]) };
    let runs = [
        with("1", speed("acme, v1", 10.0)),
        with("2", speed("acme, v1", 30.0)),
        with("3", speed("acme, v1", 20.0)),
        with("4", speed("acme, prototype", 99.0)),
    ];
    let speeds: Vec<_> =
        only_row(&runs).speeds.into_iter().map(|one| (one.device, one.runs, one.decode_rate)).collect();
    assert_eq!(speeds, [("acme".to_owned(), 1, Some(99.0)), ("acme, v1".to_owned(), 3, Some(20.0))]);
}

proptest! {
    #[test]
    fn asking_again_never_narrows_the_interval(right in prop::collection::vec(any::<bool>(), 1..40), again in 1..6_usize) {
        let model = key("m");
        let once = [run("a", &model, "2026-01-01", 0, &right)];
        let often: Vec<RunSummary> =
            (0..=again).map(|n| run(&format!("{n}"), &model, &format!("2026-01-{:02}", n + 1), 0, &right)).collect();
        prop_assert_eq!(accuracy(&once).interval, accuracy(&often).interval);
    }

    #[test]
    fn the_interval_is_never_that_of_more_questions_than_there_are(
        runs in prop::collection::vec((0..20_usize, prop::collection::vec(any::<bool>(), 1..20), 1..4_u8), 1..8),
    ) {
        let model = key("m");
        let runs: Vec<RunSummary> = runs
            .iter()
            .enumerate()
            .map(|(n, (first, right, day))| run(&n.to_string(), &model, &format!("2026-01-0{day}"), *first, right))
            .collect();
        let pooled = accuracy(&runs);
        let distinct: std::collections::BTreeSet<_> = runs.iter().flat_map(|run| run.questions.iter().map(|one| &one.question_id)).collect();
        prop_assert_eq!(pooled.questions, distinct.len() as u64);
        let narrowest = benchwright_domain::statistics::wilson_of_share(pooled.share, distinct.len() as u64, 1.959_963_984_540_054).unwrap();
        prop_assert!((pooled.interval.width() - narrowest.width()).abs() < 1e-12);
        prop_assert!(pooled.interval.contains(pooled.share));
    }
}
