//! The vibe track: one evaluation of one app, the replay of one workflow, and the analysis of a study.

pub mod analysis;
pub mod evaluation;
mod film;
pub mod replay;
mod walk;
mod words;

pub use analysis::{files as analysis_files, html as analysis_html};
pub use evaluation::{
    csv as evaluation_csv, html as evaluation_html, markdown as evaluation_markdown, terminal as evaluation_terminal,
};
pub use words::{Look, category as category_words, look, state as state_words};

const OWN_STYLE: &str = include_str!("../../templates/vibe.css");

/// What pages of the vibe track look like, beside the sheet that all pages share.
pub fn own_style() -> &'static str {
    OWN_STYLE
}

/// "2–4", or "3" for a rank that is certain.
pub fn rank(range: benchwright_domain::board::RankRange) -> String {
    if range.best == range.worst { range.best.to_string() } else { format!("{}–{}", range.best, range.worst) }
}
