//! `report.json` and its published schema.

use crate::Report;
use schemars::generate::SchemaSettings;
use std::fmt::Write as _;

/// The report as pretty JSON with stable key order and a trailing newline. Every `<`, `>`, `&` and line separator in it is escaped, so that
/// it can stand inside a `<script>` element as it is.
pub fn render(report: &Report) -> String {
    pretty(report)
}

/// The JSON Schema of `report.json`, generated from the types.
pub fn schema() -> String {
    pretty(&SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>())
}

/// Any value of ours in the form of `report.json`: pretty, stable, and safe inside a `<script>` element.
pub fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("all map keys are strings, which is all that can fail");
    text.push('\n');
    inline_safe(&text)
}

/// These characters occur in JSON only inside strings, where an escape means the same.
fn inline_safe(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", c as u32);
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_end_a_script_element_is_escaped_and_reads_back() {
        let json = pretty(&"</script><!--\u{2028}&");
        assert_eq!(json, "\"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), "</script><!--\u{2028}&");
    }
}
