//! Numbers as a reader wants to see them.

use crate::text;
use serde_json::Value;

/// A composite or a dimension score on the scale of 100.
pub fn score(hundred: f64) -> String {
    format!("{:.1}", finite(hundred))
}

/// Composite points, won or lost.
pub fn points(points: f64) -> String {
    format!("{:.2}", finite(points))
}

/// A share between 0 and 1.
pub fn percent(share: f64) -> String {
    format!("{}%", trimmed(100.0 * finite(share), 1))
}

/// Bytes in the unit that reads best.
pub fn bytes(bytes: f64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = finite(bytes);
    if value.abs() < 1024.0 {
        return format!("{} bytes", trimmed(value, 0));
    }
    let mut unit = "";
    for next in UNITS {
        if value.abs() < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{} {unit}", trimmed(value, 1))
}

/// A time span in the unit that reads best.
pub fn seconds(seconds: f64) -> String {
    let seconds = finite(seconds);
    match seconds.abs() {
        0.0 => "0 s".to_owned(),
        short if short < 0.9995 => format!("{} ms", trimmed(seconds * 1000.0, 0)),
        short if short < 10.0 => format!("{} s", trimmed(seconds, 2)),
        short if short < 120.0 => format!("{} s", trimmed(seconds, 1)),
        _ => format!("{} min", trimmed(seconds / 60.0, 1)),
    }
}

/// Dollars, in cents or finer where it is less than one.
pub fn dollars(usd: f64) -> String {
    let usd = finite(usd);
    if usd > 0.0 && usd < 0.095 { format!("${usd:.4}") } else { format!("${usd:.2}") }
}

/// Name and value of a fact, both in words; the ending of the name says the unit.
pub fn fact(name: &str, value: &Value) -> (String, String) {
    measured(name, value).unwrap_or_else(|| (label(name), plain(value)))
}

fn measured(name: &str, value: &Value) -> Option<(String, String)> {
    let (words, unit) = name.rsplit_once('_')?;
    let number = value.as_f64()?;
    let shown = match unit {
        "bytes" => bytes(number),
        "ms" => seconds(number / 1000.0),
        "seconds" => seconds(number),
        "share" => percent(number),
        _ => return None,
    };
    Some((label(words), shown))
}

/// `long_task_count` as "Long task count".
fn label(name: &str) -> String {
    const ABBREVIATIONS: [&str; 15] =
        ["cls", "cpu", "css", "csp", "dom", "fcp", "html", "js", "lcp", "os", "seo", "si", "tbt", "tti", "url"];
    let words = text::line_within(&name.replace('_', " "), 80);
    let spelled =
        words.split(' ').map(|word| if ABBREVIATIONS.contains(&word) { word.to_uppercase() } else { word.to_owned() });
    let joined = spelled.collect::<Vec<_>>().join(" ");
    let mut chars = joined.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) if number.is_f64() => trimmed(number.as_f64().unwrap_or_default(), 3),
        Value::Number(number) => number.to_string(),
        Value::String(words) => text::line(words),
        Value::Array(_) | Value::Object(_) => text::line(&value.to_string()),
    }
}

/// At most `decimals` decimals, without zeros at the end.
fn trimmed(value: f64, decimals: usize) -> String {
    let fixed = format!("{:.decimals$}", finite(value));
    let short = if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.') } else { &fixed };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A report read from a file may hold anything; a number that is none counts as 0, as in `UnitScore`.
pub fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_ending_of_a_fact_name_says_its_unit() {
        let cases = [
            ("transfer_bytes", json!(1_572_864), "Transfer", "1.5 MiB"),
            ("lcp_ms", json!(2345.6), "LCP", "2.35 s"),
            ("tbt_ms", json!(87.4), "TBT", "87 ms"),
            ("run_seconds", json!(240), "Run", "4 min"),
            ("small_target_share", json!(0.1234), "Small target", "12.3%"),
            ("cls", json!(0.1), "CLS", "0.1"),
            ("heading_count", json!(7), "Heading count", "7"),
            ("is_fallback", json!(true), "Is fallback", "yes"),
            ("size_bytes", json!("unknown"), "Size bytes", "unknown"),
            ("empty", json!(null), "Empty", "none"),
        ];
        for (name, value, label, shown) in cases {
            assert_eq!(fact(name, &value), (label.to_owned(), shown.to_owned()), "{name}");
        }
    }

    #[test]
    fn units_change_where_they_should() {
        assert_eq!(bytes(1023.0), "1023 bytes");
        assert_eq!(bytes(1024.0), "1 KiB");
        assert_eq!(seconds(0.9996), "1 s");
        assert_eq!(seconds(119.96), "120 s");
        assert_eq!(percent(0.2), "20%");
    }

    #[test]
    fn a_number_that_is_none_shows_as_zero() {
        assert_eq!(score(f64::NAN), "0.0");
        assert_eq!(points(f64::INFINITY), "0.00");
        assert_eq!(trimmed(-0.0001, 2), "0");
    }
}
