//! How numbers and texts are put into words, the same in every scorer.

/// The first `limit` characters, with an ellipsis when there were more.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// "1 error", "3 errors".
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Said where banners did not keep files from being counted.
pub(crate) const BANNERS_IGNORED: &str = "Files that say a tool wrote them are more than a third of the code; that is not believed, and they count like all others.";

/// A share between 0 and 1 as "83 %" or "79.9 %". Cut, not rounded: a share just below a mark must not read as the mark.
pub(crate) fn percent(share: f64) -> String {
    let value = (share * 1000.0 + 1e-6).floor() / 10.0;
    format!("{value} %")
}

/// Bytes in KB of 1,024 bytes.
pub(crate) fn kilobytes(bytes: u64) -> String {
    format!("{:.1} KB", bytes as f64 / 1024.0)
}

/// Rounds a fact for display; formulas use the number itself.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_keeps_whole_characters_and_shows_that_it_was_cut() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }

    #[test]
    fn a_share_just_below_a_mark_does_not_read_as_the_mark() {
        assert_eq!(percent(0.8), "80 %");
        assert_eq!(percent(0.79999), "79.9 %");
        assert_eq!(percent(0.29), "29 %");
    }
}
