//! A look at the recipe of an image before it is built. Its steps run in a container that reaches nothing but our proxy; what it may not do is have
//! the builder itself, which is outside of that container, fetch something.

const MAX_BYTES: usize = 256 * 1024;

/// Says which line asks for something that is not allowed.
pub fn check(text: &str) -> Result<(), (usize, String)> {
    if text.len() > MAX_BYTES {
        return Err((1, "it is longer than any recipe".to_owned()));
    }
    for (number, line) in instructions(text) {
        let lower = line.to_ascii_lowercase();
        if lower.starts_with('#') {
            if lower.trim_start_matches('#').trim_start().starts_with("escape") {
                return Err((number, "`escape` is not allowed: lines end as everybody's do".to_owned()));
            }
            continue;
        }
        let lower = lower.strip_prefix("onbuild").map_or(lower.as_str(), str::trim_start);
        let is_add = lower.strip_prefix("add").is_some_and(|rest| rest.starts_with([' ', '\t', '[']));
        if is_add && (lower.contains("://") || lower.contains("git@") || lower.contains('$')) {
            return Err((number, "`ADD` takes files of the app only; fetch others in a `RUN` step".to_owned()));
        }
    }
    Ok(())
}

/// Instructions with the number of the line they begin on; those that go on over several lines in one piece.
pub fn instructions(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        // Empty lines and comments between the lines of one instruction are not part of it.
        if line.is_empty() || (goes_on && line.starts_with('#')) {
            continue;
        }
        let piece = line.strip_suffix('\\').unwrap_or(line);
        match found.last_mut().filter(|_| goes_on) {
            Some((_, whole)) => whole.push_str(piece),
            None => found.push((number, piece.to_owned())),
        }
        goes_on = line.ends_with('\\') && !line.starts_with('#');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_recipe_is_fine() {
        let text = "# syntax=docker/dockerfile:1\nFROM node:22-alpine\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci \\\n  # quietly\n  && echo http://x\nADD src ./src\nCMD [\"npm\", \"start\"]\n";
        assert_eq!(check(text), Ok(()));
    }

    #[test]
    fn the_builder_itself_fetches_nothing() {
        for line in [
            "ADD http://169.254.169.254/latest /x",
            "add --chown=1 https://a.example/x.tar /x",
            "ONBUILD ADD http://a/ /x",
            "ADD [\"http://a/\", \"/x\"]",
            "ADD[\"http://a/\", \"/x\"]",
            "ADD git@github.com:a/b.git /x",
            "ARG U\nADD $U /x",
            "ADD \\\n# note\n\n http://a/ /x",
            "ADD ht\\\ntp://a/ /x",
        ] {
            let text = format!("FROM x\n{line}\n");
            assert!(check(&text).is_err_and(|(number, _)| number >= 2), "{line}");
        }
        assert!(check("# escape=`\nFROM x\n").is_err());
        assert!(check(&"x".repeat(MAX_BYTES + 1)).is_err());
    }
}
