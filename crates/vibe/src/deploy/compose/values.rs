//! Variables in a compose file, and the files that give them values.

use std::collections::BTreeMap;

const MAX_LENGTH: usize = 64 * 1024;

/// Variables by name.
pub type Variables = BTreeMap<String, String>;

/// Puts values in the place of `$NAME`, `${NAME}`, `${NAME:-default}` and their kin. A variable without a value is empty, as compose has it.
pub fn filled(text: &str, variables: &Variables) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            filled.push('$');
            rest = after;
        } else if let Some(braced) = rest.strip_prefix('{') {
            let end = braced.find('}').ok_or_else(|| format!("`${{` has no end in `{}`", shown(text)))?;
            filled.push_str(&expanded(&braced[..end], variables)?);
            rest = &braced[end + 1..];
        } else {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            filled.push_str(variables.get(&rest[..length]).map_or("", String::as_str));
            rest = &rest[length..];
        }
        if filled.len() > MAX_LENGTH {
            return Err("it becomes too long when its variables are filled in".to_owned());
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// What stands between braces.
fn expanded(inside: &str, variables: &Variables) -> Result<String, String> {
    let length = inside.find(|c: char| !is_name(c)).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(length);
    let value = variables.get(name);
    let full = value.filter(|value| !value.is_empty());
    let missing =
        |what: &str| Err(format!("the variable `{name}` has no value ({what}); put it into the app's `.env`"));
    if rest.is_empty() {
        return Ok(value.cloned().unwrap_or_default());
    }
    match rest.split_at(if rest.starts_with(':') { 2.min(rest.len()) } else { 1 }) {
        (":-", default) => Ok(full.cloned().unwrap_or_else(|| default.to_owned())),
        ("-", default) => Ok(value.cloned().unwrap_or_else(|| default.to_owned())),
        (":+", other) => Ok(full.map(|_| other.to_owned()).unwrap_or_default()),
        ("+", other) => Ok(value.map(|_| other.to_owned()).unwrap_or_default()),
        (":?", what) => full.cloned().map_or_else(|| missing(what), Ok),
        ("?", what) => value.cloned().map_or_else(|| missing(what), Ok),
        _ => Err(format!("`${{{}}}` is not understood", shown(inside))),
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// The variables of an `.env` file: one on each line, with or without quotes. Lines that are none are passed over.
pub fn of_file(text: &str) -> Variables {
    let variable = |line: &str| {
        let line = line.trim().strip_prefix("export ").unwrap_or(line.trim());
        let (name, value) = line.split_once('=')?;
        let name = name.trim();
        let named = !name.is_empty() && name.chars().all(is_name);
        named.then(|| (name.to_owned(), unquoted(value.trim())))
    };
    text.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(variable).collect()
}

fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner.0.to_owned();
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Variables {
        [("A", "one"), ("EMPTY", "")].map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn variables_are_filled_in_as_compose_does_it() {
        for (text, expected) in [
            ("$A-${A}", "one-one"),
            ("${B:-two}${EMPTY:-three}${EMPTY-four}", "twothree"),
            ("${NONE}:4173", ":4173"),
            ("${A:+set}${NONE+set}", "set"),
            ("$$A costs 5$$", "$A costs 5$"),
            ("${A:?needed}", "one"),
        ] {
            assert_eq!(filled(text, &variables()).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_filled_in_is_named() {
        for (text, part) in
            [("${KEY:?give one}", "`KEY` has no value (give one)"), ("${A", "no end"), ("${A!x}", "`${A!x}`")]
        {
            let error = filled(text, &variables()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let doubled: Variables = [("A".to_owned(), "x".repeat(40_000))].into();
        assert!(filled("$A $A", &doubled).unwrap_err().contains("too long"));
    }

    #[test]
    fn a_file_of_variables_is_read_line_by_line() {
        let text = "# keys\nexport A=1\nB = \"two words\" # note\nC='$x'\nD=plain # note\nno variable\n=x\n";
        let read = of_file(text);
        let pairs: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("A", "1"), ("B", "two words"), ("C", "$x"), ("D", "plain")]);
    }
}
