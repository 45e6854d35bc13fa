//! CSV for spreadsheets.

use super::Sink;
use super::columns::{Value, row};
use crate::index::IndexedRun;
use std::io::{self, Write};

pub(super) struct Csv<'a> {
    out: &'a mut (dyn Write + Send),
}

impl<'a> Csv<'a> {
    pub(super) fn new(out: &'a mut (dyn Write + Send)) -> io::Result<Self> {
        let names: Vec<&str> = row(&super::columns::nothing()).into_iter().map(|(name, _)| name).collect();
        out.write_all(format!("{}\r\n", names.join(",")).as_bytes())?;
        Ok(Self { out })
    }
}

impl Sink for Csv<'_> {
    fn write(&mut self, runs: &[IndexedRun]) -> io::Result<()> {
        for run in runs {
            let cells: Vec<String> = row(run).into_iter().map(|(_, value)| cell(value)).collect();
            self.out.write_all(format!("{}\r\n", cells.join(",")).as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

fn cell(value: Value) -> String {
    match value {
        Value::Text(text) => words(&text.unwrap_or_default()),
        Value::Number(number) => number.map(|number| number.to_string()).unwrap_or_default(),
        Value::Count(count) => count.map(|count| count.to_string()).unwrap_or_default(),
        Value::Flag(flag) => flag.to_string(),
    }
}

/// Text as one cell. A spreadsheet takes what begins like a formula for one, also behind blanks; an apostrophe stops it.
fn words(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let starts_like_formula = clean.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let guarded = if starts_like_formula { format!("'{clean}") } else { clean };
    if guarded.contains([',', '"']) { format!("\"{}\"", guarded.replace('"', "\"\"")) } else { guarded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_none_breaks_out() {
        assert_eq!(words("=1+1"), "'=1+1");
        assert_eq!(words(" @x"), "' @x");
        assert_eq!(words("a,\"b\"\nc"), "\"a,\"\"b\"\" c\"");
        assert_eq!(words("plain"), "plain");
    }
}
