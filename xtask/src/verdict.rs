//! A number to reach, and whether it was.

use crate::json::Json;
use std::fmt;

/// One target and what was measured for it; nothing measured is a miss.
#[derive(Debug)]
pub struct Verdict {
    what: String,
    bound: Bound,
    measured: Option<f64>,
}

/// On which side of a number to stay.
#[derive(Debug, Clone, Copy)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Verdict {
    /// What must not be more.
    pub fn new(what: impl Into<String>, at_most: f64, measured: Option<f64>) -> Self {
        Self { what: what.into(), bound: Bound::AtMost(at_most), measured }
    }

    /// What must not be less.
    pub fn at_least(what: impl Into<String>, least: f64, measured: Option<f64>) -> Self {
        Self { what: what.into(), bound: Bound::AtLeast(least), measured }
    }

    /// What must not happen at all.
    pub fn none(what: impl Into<String>, count: usize) -> Self {
        Self::new(what, 0.0, Some(count as f64))
    }

    pub fn is_reached(&self) -> bool {
        self.measured.is_some_and(|measured| match self.bound {
            Bound::AtMost(most) => measured <= most,
            Bound::AtLeast(least) => measured >= least,
        })
    }

    pub fn to_json(&self) -> Json {
        let (name, bound) = match self.bound {
            Bound::AtMost(most) => ("at_most", most),
            Bound::AtLeast(least) => ("at_least", least),
        };
        Json::object([
            ("what", self.what.as_str().into()),
            (name, bound.into()),
            ("measured", self.measured.map_or(Json::Null, Json::from)),
            ("reached", self.is_reached().into()),
        ])
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_reached() { "reached" } else { "MISSED" };
        let measured =
            self.measured.map_or_else(|| "could not be measured".to_owned(), |number| format!("{number:.3}"));
        write!(out, "{word}: {} {measured} ({})", self.what, self.bound)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(out, "at most {most}"),
            Self::AtLeast(least) => write!(out, "at least {least}"),
        }
    }
}

/// The middle of the values; between the two middle ones when their number is even.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_missed_or_not_measured_says_so() {
        assert!(Verdict::new("wall", 0.5, Some(0.5)).to_string().starts_with("reached: wall 0.500"));
        assert!(Verdict::new("wall", 0.5, Some(0.51)).to_string().starts_with("MISSED: wall 0.510"));
        let unknown = Verdict::new("wall", 0.5, None);
        assert!(!unknown.is_reached() && unknown.to_string().contains("could not be measured"));
        assert!(
            Verdict::at_least("rate", 0.7, Some(0.7)).to_string().starts_with("reached: rate 0.700 (at least 0.7)")
        );
        assert!(!Verdict::at_least("rate", 0.7, Some(0.69)).is_reached());
        assert!(Verdict::none("faults", 0).is_reached() && !Verdict::none("faults", 1).is_reached());
    }

    #[test]
    fn an_even_number_of_values_has_its_median_between_two() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(Vec::new()), None);
    }
}
