//! A run of the quiz as Markdown: the number, how it came about, and one line per question.

use super::{QuizReport, Speed, cautions, facts, headline, letters, model, rule, share, tier_name};
use crate::markdown::prose;
use crate::number;
use std::fmt::Write as _;

/// The run as GitHub-flavoured Markdown.
pub fn render(report: &QuizReport) -> String {
    let derived = &report.derived;
    let mut page = format!("## Benchwright quiz: {}\n\n**{}**\n\n", prose(&model(report)), headline(report));
    let facts: Vec<_> = facts(report).iter().map(|(name, value)| format!("{name}: {}", prose(value))).collect();
    let _ = writeln!(page, "{} · Strict (tier 1 only): {}", facts.join(" · "), share(&derived.strict));
    for caution in cautions(report) {
        let _ = write!(page, "\n- {}", prose(&caution));
    }
    page.push_str("\n\n| Tier | How the letter was found | Answers | Right |\n|--:|:--|--:|--:|\n");
    for count in &derived.tiers {
        let _ =
            writeln!(page, "| {} | {} | {} | {} |", count.tier, tier_name(count.tier), count.answers, count.correct);
    }
    page.push_str("\n| Letter | Chosen | Right answer |\n|:--|--:|--:|\n");
    for row in letters(report) {
        let _ = writeln!(page, "| {} | {} | {} |", row.letter, row.chosen, row.gold);
    }
    let _ = writeln!(page, "| none | {} | |", derived.chosen.none);
    let speed: Vec<_> = Speed::of(report).rows().iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let _ = writeln!(page, "\n{}\n", speed.join(" · "));
    page.push_str(&questions(report));
    page
}

fn questions(report: &QuizReport) -> String {
    let mut table = "<details><summary>Questions</summary>\n\n| | Question | Letter | Right answer | Tier | Rule | Time |\n|:--|:--|:--|:--|--:|:--|--:|\n".to_owned();
    for (answer, derived) in report.submission.answers.iter().zip(&report.derived.questions) {
        let extraction = &derived.extraction;
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} |",
            if derived.correct { "✓" } else { "✗" },
            prose(&answer.question_id),
            extraction.letter.map_or_else(|| "–".to_owned(), |letter| letter.to_string()),
            derived.gold,
            extraction.tier,
            rule(extraction),
            number::seconds(answer.total_ms / 1000.0),
        );
    }
    for failed in &report.run.failed {
        let _ = writeln!(
            table,
            "| – | {} | | | | engine failed: {} | |",
            prose(&failed.question_id),
            prose(&failed.reason)
        );
    }
    table + "\n</details>\n"
}
