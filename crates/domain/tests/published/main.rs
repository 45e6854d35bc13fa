//! Published numbers of Vibe Code Bench, recomputed from its own tables. The tables are facts typed in from the paper; what is
//! printed there elsewhere must come out of our arithmetic.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod agreement;
mod associations;
mod breakdowns;
mod models;
mod shares;
mod tables;

/// Equal to so many decimals of what is printed.
fn printed(value: f64, expected: f64, decimals: i32) {
    let half = 0.5 * 10.0_f64.powi(-decimals);
    assert!((value - expected).abs() <= half + 1e-9, "{value} is not {expected}");
}
