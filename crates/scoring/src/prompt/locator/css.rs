//! What can be told of a CSS selector without a browser. A mistake is named before anything runs; what passes here and is still refused
//! by the browser makes the criterion an error and never a failure of the app.

/// Pseudo-classes of CSS that browsers match, and those that Playwright adds.
const PSEUDO_CLASSES: [&str; 71] = [
    "above",
    "active",
    "any-link",
    "autofill",
    "below",
    "blank",
    "checked",
    "default",
    "defined",
    "dir",
    "disabled",
    "empty",
    "enabled",
    "first-child",
    "first-of-type",
    "focus",
    "focus-visible",
    "focus-within",
    "fullscreen",
    "future",
    "has",
    "has-text",
    "host",
    "hover",
    "in-range",
    "indeterminate",
    "invalid",
    "is",
    "lang",
    "last-child",
    "last-of-type",
    "left-of",
    "light",
    "link",
    "local-link",
    "modal",
    "muted",
    "near",
    "not",
    "nth-child",
    "nth-last-child",
    "nth-last-of-type",
    "nth-match",
    "nth-of-type",
    "only-child",
    "only-of-type",
    "open",
    "optional",
    "out-of-range",
    "past",
    "paused",
    "placeholder-shown",
    "playing",
    "popover-open",
    "read-only",
    "read-write",
    "required",
    "right-of",
    "root",
    "scope",
    "state",
    "target",
    "text",
    "text-is",
    "text-matches",
    "user-invalid",
    "user-valid",
    "valid",
    "visible",
    "visited",
    "where",
];
/// Those that hold selectors and nothing else.
const OF_SELECTORS: [&str; 6] = ["has", "host", "is", "light", "not", "where"];
/// Those that hold a formula for positions, such as `2n+1`.
const OF_POSITIONS: [&str; 4] = ["nth-child", "nth-last-child", "nth-last-of-type", "nth-of-type"];
const COMBINATORS: [char; 3] = ['>', '+', '~'];

/// What is wrong with a selector, if anything.
pub(super) fn problem(selector: &str) -> Option<String> {
    let mut reader = Reader { left: selector.chars().collect(), at: 0, depth: 0 };
    reader.selectors(None).err()
}

struct Reader {
    left: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.left.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += 1;
        Some(character)
    }

    /// A list of selectors up to `end`, or to the end of all.
    fn selectors(&mut self, end: Option<char>) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 16 {
            return Err("nests too deeply; write it flatter".to_owned());
        }
        // What the last part was; a selector must not end with what promises another part.
        let mut open = Some("is empty; say what to look for".to_owned());
        loop {
            let Some(character) = self.next() else {
                let missing = end.map(|end| format!("does not end; `{end}` is missing"));
                return missing.or(open).map_or(Ok(()), Err);
            };
            match character {
                _ if Some(character) == end => break,
                ',' if open.is_some() => return Err("has a comma with nothing before it".to_owned()),
                ',' => open = Some("ends with a comma; say what comes after it".to_owned()),
                sign if COMBINATORS.contains(&sign) => open = Some(format!("has nothing after `{sign}`")),
                space if space.is_whitespace() => {}
                other => {
                    self.part(other)?;
                    open = None;
                }
            }
        }
        self.depth -= 1;
        open.map_or(Ok(()), Err)
    }

    /// One simple selector, of which the first character was read.
    fn part(&mut self, first: char) -> Result<(), String> {
        match first {
            '[' => self.attribute(),
            ':' if self.peek() == Some(':') => {
                self.next();
                self.name("a pseudo-element after `::`").map(drop)
            }
            ':' => self.pseudo_class(),
            '.' => self.name("a class after `.`").map(drop),
            '#' => self.name("an id after `#`").map(drop),
            '*' | '|' | '&' => Ok(()),
            ']' | ')' => Err(format!("closes `{first}` that was not opened")),
            '"' | '\'' => Err("has a string where none can stand; strings go into `[…]` or `(…)`".to_owned()),
            other if is_name(other) => {
                self.at -= 1;
                self.name("a name").map(drop)
            }
            other => Err(format!("holds `{other}`, which cannot stand there")),
        }
    }

    fn name(&mut self, wanted: &str) -> Result<String, String> {
        let mut name = String::new();
        while let Some(character) = self.peek().filter(|character| is_name(*character)) {
            self.at += 1;
            if character == '\\' {
                self.next();
            }
            name.push(character);
        }
        let begins_well = !name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() || !begins_well { Err(format!("needs {wanted}")) } else { Ok(name) }
    }

    fn attribute(&mut self) -> Result<(), String> {
        let mut any = false;
        while let Some(character) = self.next() {
            match character {
                ']' if any => return Ok(()),
                ']' => return Err("has empty brackets; name an attribute".to_owned()),
                '"' | '\'' => self.string(character)?,
                '[' => break,
                _ => any = any || is_name(character),
            }
        }
        Err("does not end; `]` is missing".to_owned())
    }

    fn string(&mut self, quote: char) -> Result<(), String> {
        while let Some(character) = self.next() {
            if character == '\\' {
                self.next();
            } else if character == quote {
                return Ok(());
            }
        }
        Err(format!("does not end; `{quote}` is missing"))
    }

    fn pseudo_class(&mut self) -> Result<(), String> {
        let name = self.name("a pseudo-class after `:`")?.to_ascii_lowercase();
        if !name.starts_with('-') && !PSEUDO_CLASSES.contains(&name.as_str()) {
            let name = crate::scorers::words::cut(&name, 40);
            return Err(format!("has `:{name}`, which is no pseudo-class of CSS or Playwright"));
        }
        let of_positions = OF_POSITIONS.contains(&name.as_str());
        if self.peek() != Some('(') {
            return if of_positions {
                Err(format!("has `:{name}` without a position, as in `:{name}(2)`"))
            } else {
                Ok(())
            };
        }
        self.next();
        if OF_SELECTORS.contains(&name.as_str()) {
            return self.selectors(Some(')'));
        }
        let begin = self.at;
        self.arguments()?;
        if of_positions {
            let written: String = self.left[begin..self.at - 1].iter().collect();
            return check_positions(&name, &written, self.depth);
        }
        Ok(())
    }

    /// Anything up to the bracket that closes.
    fn arguments(&mut self) -> Result<(), String> {
        let mut open = 1;
        while let Some(character) = self.next() {
            match character {
                '"' | '\'' => self.string(character)?,
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Ok(());
            }
        }
        Err("does not end; `)` is missing".to_owned())
    }
}

/// `odd`, `even`, or An+B; of children also with `of` and the selectors to count.
fn check_positions(name: &str, written: &str, depth: usize) -> Result<(), String> {
    let lower = written.trim().to_ascii_lowercase();
    let counts_some = name.ends_with("child");
    let (formula, counted) = match lower.split_once(" of ").filter(|_| counts_some) {
        Some((formula, counted)) => (formula.trim(), Some(counted)),
        None => (lower.as_str(), None),
    };
    if !is_formula(formula) {
        let written = crate::scorers::words::cut(written.trim(), 40);
        return Err(format!("has `:{name}({written})`, where odd, even, a number or such as 2n+1 must stand"));
    }
    counted.map_or(Ok(()), |counted| Reader { left: counted.chars().collect(), at: 0, depth }.selectors(None))
}

fn is_formula(text: &str) -> bool {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned.split_once('n') {
        _ if ["odd", "even"].contains(&text) => true,
        None => is_number(unsigned),
        Some((step, rest)) => {
            let offset = rest.trim_start();
            (step.is_empty() || is_number(step))
                && (offset.is_empty()
                    || offset.strip_prefix(['+', '-']).is_some_and(|digits| is_number(digits.trim_start())))
        }
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '\\') || !character.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_that_browsers_and_playwright_take_are_fine() {
        for selector in [
            "button, [role=button], [tabindex]",
            "main > section.card:nth-child(2n + 1) ~ p::before",
            "> li",
            "article:has(> h2:has-text(\"It's (here)\")):not(.draft, [hidden])",
            "input[type=\"password\" i]:visible",
            "a[href*='?a=b,c'] :is(h1, h2):text-matches(\"^a(b|c)\", \"i\")",
            "#main-1 .w-1\\/2",
            ":nth-match(:text('Buy'), 3):right-of(.price, 120)",
            "ü-element *|*",
            ":-webkit-autofill",
            "li:nth-child(odd):nth-last-child(-n + 3)",
            "li:nth-of-type(N):nth-last-of-type( +2N-1 )",
            "li:nth-child(2 of .card:not(.Draft), [role=row])",
        ] {
            assert_eq!(problem(selector), None, "{selector}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (selector, words) in [
            ("a:nonsense(3)", "`:nonsense`, which is no pseudo-class"),
            ("", "is empty"),
            ("a,", "ends with a comma"),
            ("a,,b", "comma with nothing before"),
            ("a >", "nothing after `>`"),
            ("a[href", "`]` is missing"),
            ("a[]", "empty brackets"),
            ("a[b='c]", "`'` is missing"),
            (":not(a", "`)` is missing"),
            (":not()", "is empty"),
            ("a)", "closes `)`"),
            (".1st", "needs a class"),
            ("# main", "needs an id"),
            ("a { color: red }", "holds `{`"),
            ("li:nth-child(banana)", "`:nth-child(banana)`, where odd, even"),
            ("li:nth-child()", "where odd, even"),
            ("li:nth-child", "without a position"),
            ("li:nth-child(2n 1)", "where odd, even"),
            ("li:nth-child(n+)", "where odd, even"),
            ("li:nth-child(- 2)", "where odd, even"),
            ("li:nth-child(2 of .)", "needs a class"),
            ("li:nth-of-type(2 of p)", "where odd, even"),
            ("a=b", "holds `=`"),
            ("'a'", "has a string"),
        ] {
            let said = problem(selector).unwrap_or_else(|| panic!("{selector} passes"));
            assert!(said.contains(words), "{selector}: {said}");
        }
        assert!(problem(&":not(".repeat(100)).is_some());
    }
}
