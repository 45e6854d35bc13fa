//! What changed settings change, how much results move when nothing changes, what several tries would give, and how far raters agree.

use super::sheet::{Cell, Sheet};
use crate::text;
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::ablation::AblationRow;
use benchwright_domain::vibe::analysis::agreement::{AgreementMatrix, Reliability};
use benchwright_domain::vibe::analysis::variance::Source;

pub fn ablations(split: &SplitAnalysis) -> Sheet {
    let about = "A model with one setting changed against itself with its usual settings, on the same tasks. Such results are no part of its score.";
    let columns = [
        ("factor", "Setting"),
        ("value", "Value"),
        ("model", "Model"),
        ("apps", "Apps"),
        ("accuracy", "Accuracy"),
        ("standard_error", "± SE"),
        ("usual", "Usual"),
        ("difference", "Difference"),
        ("interval_low", "95 % from"),
        ("interval_high", "to"),
        ("p", "p"),
    ];
    let mut sheet = Sheet::new("ablations", "What settings change", about, &columns);
    for ablation in &split.ablations {
        ablation.rows.iter().for_each(|row| sheet.row(changed(&ablation.factor, row)));
    }
    sheet
}

fn changed(factor: &str, row: &AblationRow) -> Vec<Cell> {
    let difference = row.difference.as_ref();
    let interval = difference.and_then(|it| it.interval);
    vec![
        Cell::words(factor),
        Cell::words(&row.value),
        Cell::words(&row.model),
        Cell::size(row.score.apps),
        Cell::percent(row.score.mean),
        Cell::percent(row.score.standard_error),
        Cell::percent(row.usual.map(|score| score.mean)),
        Cell::percent(difference.map(|it| it.mean)),
        Cell::percent(interval.map(|it| it.low)),
        Cell::percent(interval.map(|it| it.high)),
        Cell::chance(difference.and_then(|it| it.p)),
    ]
}

pub fn variance(split: &SplitAnalysis) -> Sheet {
    let about = "Standard errors of the same mean from each source alone: building the app again, and evaluating the same app again. The share is that of squares.";
    let columns = [
        ("model", "Model"),
        ("generation_panels", "Tasks built again"),
        ("generation_standard_error", "SE of building"),
        ("generation_deviation", "SD"),
        ("evaluation_panels", "Apps evaluated again"),
        ("evaluation_standard_error", "SE of evaluating"),
        ("evaluation_deviation", "SD"),
        ("generation_percent", "Building’s share, %"),
        ("generation_alone", "SD of building alone"),
    ];
    let mut sheet = Sheet::new("variance", "How much results move by themselves", about, &columns);
    for row in &split.variance {
        let source = |source: &Option<Source>| {
            let of = |pick: fn(&Source) -> f64| Cell::coefficient(source.as_ref().map(pick));
            let panels = source.as_ref().map_or(Cell::Unknown, |it| Cell::size(it.panels));
            [panels, of(|it| it.standard_error), of(|it| it.deviation)]
        };
        let mut cells = vec![Cell::words(&row.model)];
        cells.extend(source(&row.generation));
        cells.extend(source(&row.evaluation));
        cells.extend([Cell::percent(row.generation_percent), Cell::coefficient(row.generation_alone)]);
        sheet.row(cells);
    }
    sheet
}

pub fn repetition(split: &SplitAnalysis) -> Sheet {
    let about = "Percent of workflows that pass in at least one of k tries, and in all of them; over tasks that were built several times.";
    let columns = [("model", "Model"), ("tasks", "Tasks"), ("k", "k"), ("any", "pass@k"), ("all", "pass^k")];
    let mut sheet = Sheet::new("tries", "What several tries would give", about, &columns);
    for model in &split.repetition {
        for tries in &model.tries {
            sheet.row(vec![
                Cell::words(&model.model),
                Cell::size(model.tasks),
                Cell::size(tries.k),
                Cell::percent(tries.any),
                Cell::percent(tries.all),
            ]);
        }
    }
    sheet
}

pub fn agreement(matrix: &AgreementMatrix) -> Vec<Sheet> {
    vec![raters(matrix), square(matrix), pairs(matrix), reliability(matrix)]
}

fn raters(matrix: &AgreementMatrix) -> Sheet {
    let about = "With people: the pooled mean over all other people, weighted by the substeps shared with each. Two raters who pass nearly everything \
                 agree by chance, so the share that each passes stands beside.";
    let columns = [
        ("rater", "Rater"),
        ("human", "Who"),
        ("rated", "Substeps"),
        ("passed_percent", "Passed, %"),
        ("with_humans_percent", "With people, %"),
        ("with_humans_shared", "shared"),
    ];
    let mut sheet = Sheet::new("raters", "Raters", about, &columns);
    for row in &matrix.raters {
        sheet.row(vec![
            Cell::words(&row.rater),
            Cell::words(if row.human { "person" } else { "judge" }),
            Cell::count(row.rated),
            Cell::percent(row.passed_percent),
            Cell::percent(row.with_humans.as_ref().map(|it| it.percent)),
            row.with_humans.as_ref().map_or(Cell::Unknown, |it| Cell::count(it.shared)),
        ]);
    }
    sheet
}

/// Everybody against everybody.
fn square(matrix: &AgreementMatrix) -> Sheet {
    let about = "Percent of shared substeps with equal marks.";
    let mut sheet = Sheet::new("agreement", "Agreement", about, &[("rater", "Rater")]);
    matrix.raters.iter().for_each(|row| sheet.column(&row.rater, &row.rater));
    for one in &matrix.raters {
        let cell = |other: &str| {
            let is_pair = |a: &str, b: &str| (a == one.rater && b == other) || (b == one.rater && a == other);
            let found = matrix.pairs.iter().find(|pair| is_pair(&pair.a, &pair.b));
            Cell::percent(found.map(|pair| pair.agreement.percent))
        };
        let cells = matrix.raters.iter().map(|other| cell(&other.rater));
        sheet.row([Cell::words(&one.rater)].into_iter().chain(cells).collect());
    }
    sheet
}

fn pairs(matrix: &AgreementMatrix) -> Sheet {
    let columns = [
        ("a", "Rater"),
        ("b", "with"),
        ("shared", "Shared substeps"),
        ("agreed", "Agreed"),
        ("percent", "%"),
        ("kappa", "Cohen’s κ"),
    ];
    let about = "κ takes away what two raters with these habits would agree on by chance.";
    let mut sheet = Sheet::new("agreement-pairs", "Every pair of raters", about, &columns);
    for pair in &matrix.pairs {
        sheet.row(vec![
            Cell::words(&pair.a),
            Cell::words(&pair.b),
            Cell::count(pair.agreement.shared),
            Cell::count(pair.agreement.agreed),
            Cell::percent(pair.agreement.percent),
            Cell::coefficient(pair.kappa),
        ]);
    }
    sheet
}

fn reliability(matrix: &AgreementMatrix) -> Sheet {
    let columns = [
        ("who", "Who"),
        ("substeps", "Substeps"),
        ("fleiss_kappa", "Fleiss’ κ"),
        ("krippendorff_alpha", "Krippendorff’s α"),
    ];
    let mut sheet = Sheet::new("reliability", "All together", "Substeps that at least two of them rated.", &columns);
    let mut row = |who: &str, it: &Reliability| {
        sheet.row(vec![
            Cell::words(text::line_within(who, 40)),
            Cell::count(it.substeps),
            Cell::coefficient(it.fleiss_kappa),
            Cell::coefficient(it.krippendorff_alpha),
        ]);
    };
    row("people", &matrix.humans);
    row("everybody", &matrix.everybody);
    sheet
}
