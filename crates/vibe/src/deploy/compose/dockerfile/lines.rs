//! A recipe as instructions, taken apart as Docker does it. Its versions do not all read the same: what one takes for the rest of a line is an
//! instruction to another. A line of that kind is refused, so that nobody builds anything else than what was looked at.

use super::Refusal;

/// What stands between the words of an instruction.
pub const BLANK: [char; 6] = [' ', '\t', '\u{b}', '\u{c}', '\r', '\n'];
/// What may follow a `\` that lets an instruction go on.
const BEHIND: [char; 2] = [' ', '\t'];

/// Instructions with the number of the line they begin on; those that go on over several lines in one piece.
pub fn instructions(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines()) {
        let bare = line.trim_start();
        let is_comment = bare.starts_with('#');
        // Empty lines and comments between the lines of one instruction are not part of it.
        if bare.is_empty() || (goes_on && is_comment) {
            continue;
        }
        let line = if goes_on { line } else { bare };
        let begun = going_on(line).filter(|_| !is_comment);
        match found.last_mut().filter(|_| goes_on) {
            Some((_, whole)) => whole.push_str(begun.unwrap_or(line)),
            None => found.push((number, begun.unwrap_or(line).to_owned())),
        }
        goes_on = begun.is_some();
    }
    for (_, whole) in &mut found {
        whole.truncate(whole.trim_end().len());
    }
    found
}

/// What stands before the `\` that lets a line go on.
fn going_on(line: &str) -> Option<&str> {
    line.trim_end_matches(BEHIND).strip_suffix('\\')
}

/// Says which line is not the same to every builder.
pub fn check(text: &str) -> Result<(), Refusal> {
    for (number, line) in (1..).zip(text.lines()) {
        let problem = if line.contains('\r') {
            "a carriage return within a line"
        } else if line.trim_start().starts_with('#') {
            continue;
        } else if going_on(line).is_some_and(|before| before.ends_with('\\')) {
            "two backslashes at the end of a line"
        } else if going_on(line).is_none() && line.trim_end().ends_with('\\') {
            "an unusual blank behind the backslash at the end of a line"
        } else {
            continue;
        };
        return Err((number, format!("{problem}: not every builder reads that as the same")));
    }
    Ok(())
}

/// The first word, and what comes behind it.
pub fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(BLANK).unwrap_or((line, ""));
    (word, rest.trim_start_matches(BLANK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_goes_on_as_long_as_its_lines_end_with_a_backslash() {
        let text =
            "\u{feff}# note \\\nFROM x\n\nRUN npm ci \\\n  # quietly \\\n\n  && true \\ \t\n && false\n\\\nADD a b \n";
        let expected = [(1, "# note \\"), (2, "FROM x"), (4, "RUN npm ci   && true  && false"), (9, "ADD a b")];
        let found = instructions(text);
        let found: Vec<_> = found.iter().map(|(number, whole)| (*number, whole.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_builders_read_differently_is_refused() {
        for line in
            ["RUN true \\\\", "RUN true \\\\ ", "RUN true \\\u{a0}", "RUN true \\\u{b}", "RUN true \\\r ", "RUN\rtrue"]
        {
            assert_eq!(check(&format!("FROM x\n{line}\nADD http://a/ /x\n")).unwrap_err().0, 2, "{line:?}");
        }
        assert_eq!(check("FROM x\r\nRUN true \\\r\n  && true\r\n# \\\\\nCOPY a\u{a0}b /x\n"), Ok(()));
    }
}
