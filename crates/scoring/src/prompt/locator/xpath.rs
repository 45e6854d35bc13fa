//! XPath 1.0, read by its own grammar, so that a mistake is told before there is a browser. Which operator binds first makes no expression right
//! or wrong, so all of them are read alike.
//!
//! ```text
//! expression = operand { operator operand }
//! operand    = { "-" } path { "|" path }
//! path       = [ "/" | "//" ] steps | primary { predicate } [ ( "/" | "//" ) steps ]
//! steps      = step { ( "/" | "//" ) step }
//! step       = "." | ".." | [ "@" | axis "::" ] test { predicate }
//! ```

use super::shortened;

const SIGNS: [&str; 9] = ["!=", "<=", ">=", "=", "<", ">", "+", "-", "*"];
const WORDS: [&str; 4] = ["or", "and", "div", "mod"];
const AXES: [&str; 13] = [
    "ancestor",
    "ancestor-or-self",
    "attribute",
    "child",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "namespace",
    "parent",
    "preceding",
    "preceding-sibling",
    "self",
];
const NODE_TYPES: [&str; 4] = ["comment", "text", "processing-instruction", "node"];
/// Name, and how many arguments it takes at least and at most.
const FUNCTIONS: [(&str, usize, usize); 27] = [
    ("boolean", 1, 1),
    ("ceiling", 1, 1),
    ("concat", 2, usize::MAX),
    ("contains", 2, 2),
    ("count", 1, 1),
    ("false", 0, 0),
    ("floor", 1, 1),
    ("id", 1, 1),
    ("lang", 1, 1),
    ("last", 0, 0),
    ("local-name", 0, 1),
    ("name", 0, 1),
    ("namespace-uri", 0, 1),
    ("normalize-space", 0, 1),
    ("not", 1, 1),
    ("number", 0, 1),
    ("position", 0, 0),
    ("round", 1, 1),
    ("starts-with", 2, 2),
    ("string", 0, 1),
    ("string-length", 0, 1),
    ("substring", 2, 3),
    ("substring-after", 2, 2),
    ("substring-before", 2, 2),
    ("sum", 1, 1),
    ("translate", 3, 3),
    ("true", 0, 0),
];
/// How deep brackets may stand in each other.
const MAX_DEPTH: usize = 32;

/// What is wrong with an expression, if anything.
pub(super) fn problem(expression: &str) -> Option<String> {
    Reader { rest: expression.trim_start(), depth: 0 }.whole().err()
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nodes,
    /// A number, a string or a truth.
    Value,
}

type Read<T> = Result<T, String>;

struct Reader<'a> {
    /// What is left. Space is skipped after whatever is taken, so this begins with what comes next.
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn whole(&mut self) -> Read<()> {
        let gives = self.expression()?;
        match self.peek() {
            None => expect_nodes(gives, "the whole"),
            Some(bracket @ (')' | ']')) => Err(format!("closes `{bracket}` that was not opened")),
            Some(_) => Err(self.instead_of("an operator")),
        }
    }

    fn expression(&mut self) -> Read<Gives> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("has brackets in each other more than {MAX_DEPTH} deep; write it flatter"));
        }
        let mut gives = self.operand()?;
        while self.takes_operator() {
            self.operand()?;
            gives = Gives::Value;
        }
        self.depth -= 1;
        Ok(gives)
    }

    fn takes_operator(&mut self) -> bool {
        let name = self.name_ahead();
        if WORDS.contains(&name) {
            self.skip(name.len());
            return true;
        }
        SIGNS.iter().any(|sign| self.takes(sign))
    }

    fn operand(&mut self) -> Read<Gives> {
        let mut is_negative = false;
        while self.takes("-") {
            is_negative = true;
        }
        let mut gives = self.path()?;
        while self.takes("|") {
            expect_nodes(gives, "what stands before `|`")?;
            gives = self.path()?;
            expect_nodes(gives, "what stands after `|`")?;
        }
        Ok(if is_negative { Gives::Value } else { gives })
    }

    fn path(&mut self) -> Read<Gives> {
        if self.takes("//") {
            self.steps()?;
        } else if self.takes("/") {
            if self.is_step_ahead() {
                self.steps()?;
            }
        } else if let Some(gives) = self.primary()? {
            return self.after_primary(gives);
        } else {
            self.steps()?;
        }
        Ok(Gives::Nodes)
    }

    /// Brackets, a string, a number, a variable or a call; none of them where a step stands.
    fn primary(&mut self) -> Read<Option<Gives>> {
        if self.takes("(") {
            let gives = self.expression()?;
            self.expect(")")?;
            return Ok(Some(gives));
        }
        if matches!(self.peek(), Some('"' | '\'')) {
            self.string()?;
        } else if self.number_ahead() > 0 {
            self.skip(self.number_ahead());
        } else if self.takes("$") {
            self.name("the name of a variable")?;
        } else if self.is_call_ahead() {
            return self.call().map(Some);
        } else if self.is_step_ahead() {
            return Ok(None);
        } else {
            return Err(self.instead_of("a path or a value"));
        }
        Ok(Some(Gives::Value))
    }

    fn after_primary(&mut self, gives: Gives) -> Read<Gives> {
        if matches!(self.peek(), Some('[' | '/')) {
            expect_nodes(gives, "what stands before `[` or `/`")?;
        }
        self.predicates()?;
        if self.takes("//") || self.takes("/") {
            self.steps()?;
        }
        Ok(gives)
    }

    fn is_step_ahead(&self) -> bool {
        self.peek().is_some_and(|next| matches!(next, '.' | '@' | '*') || is_start_of_name(next))
    }

    fn is_call_ahead(&self) -> bool {
        let name = self.name_ahead();
        let is_called = self.rest[name.len()..].trim_start().starts_with('(');
        is_called && !name.is_empty() && !NODE_TYPES.contains(&name)
    }

    fn call(&mut self) -> Read<Gives> {
        let name = self.name("the name of a function")?;
        let Some((_, least, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            return Err(format!("calls `{}`, which XPath 1.0 does not have", shortened(name)));
        };
        self.expect("(")?;
        let mut arguments = 0;
        if !self.takes(")") {
            arguments = 1;
            self.expression()?;
            while self.takes(",") {
                arguments += 1;
                self.expression()?;
            }
            self.expect(")")?;
        }
        if !(*least..=*most).contains(&arguments) {
            return Err(format!("calls `{name}` with another number of arguments than it takes: {arguments}"));
        }
        Ok(if name == "id" { Gives::Nodes } else { Gives::Value })
    }

    fn steps(&mut self) -> Read<()> {
        self.step()?;
        while self.takes("//") || self.takes("/") {
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Read<()> {
        if self.takes("..") || self.takes(".") {
            return Ok(());
        }
        if !self.takes("@") {
            self.axis()?;
        }
        self.test()?;
        self.predicates()
    }

    fn axis(&mut self) -> Read<()> {
        let name = self.name_ahead();
        if name.is_empty() || !self.rest[name.len()..].trim_start().starts_with("::") {
            return Ok(());
        }
        if !AXES.contains(&name) {
            return Err(format!("goes along `{}::`, which is no axis", shortened(name)));
        }
        self.skip(name.len());
        self.expect("::")
    }

    fn test(&mut self) -> Read<()> {
        if self.takes("*") {
            return Ok(());
        }
        let name = self.name("the name of an element")?;
        if self.peek() == Some(':') {
            let name = shortened(name);
            return Err(format!("has a prefix, `{name}:`, that no page declares; write `*[name()='{name}:…']`"));
        }
        if self.peek() != Some('(') {
            return Ok(());
        }
        if !NODE_TYPES.contains(&name) {
            return Err(format!("calls `{}` where a step stands", shortened(name)));
        }
        self.expect("(")?;
        if name == "processing-instruction" && matches!(self.peek(), Some('"' | '\'')) {
            self.string()?;
        }
        self.expect(")")
    }

    fn predicates(&mut self) -> Read<()> {
        while self.takes("[") {
            self.expression()?;
            self.expect("]")?;
        }
        Ok(())
    }

    /// Strings of XPath know no escapes.
    fn string(&mut self) -> Read<()> {
        let quote = self.peek().unwrap_or('"');
        let length = self.rest[1..].find(quote).ok_or_else(|| format!("does not end; `{quote}` is missing"))?;
        self.skip(length + 2);
        Ok(())
    }

    /// How long the number is that comes next. A dot alone is a step.
    fn number_ahead(&self) -> usize {
        let length = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let number = &self.rest[..length];
        let end = number.match_indices('.').nth(1).map_or(length, |(second, _)| second);
        if number[..end].contains(|c: char| c.is_ascii_digit()) { end } else { 0 }
    }

    fn name(&mut self, wanted: &str) -> Read<&'a str> {
        let name = self.name_ahead();
        if name.is_empty() {
            return Err(self.instead_of(wanted));
        }
        self.skip(name.len());
        Ok(name)
    }

    fn name_ahead(&self) -> &'a str {
        let is_part = |c: char| is_start_of_name(c) || c.is_numeric() || matches!(c, '-' | '.');
        let length = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        if self.peek().is_some_and(is_start_of_name) { &self.rest[..length] } else { "" }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.rest.starts_with(sign);
        if is_next {
            self.skip(sign.len());
        }
        is_next
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }

    fn expect(&mut self, sign: &str) -> Read<()> {
        match self.peek() {
            _ if self.takes(sign) => Ok(()),
            None => Err(format!("does not end; `{sign}` is missing")),
            Some(_) => Err(self.instead_of(&format!("an operator or `{sign}`"))),
        }
    }

    fn instead_of(&self, wanted: &str) -> String {
        match self.rest {
            "" => format!("ends where {wanted} should stand"),
            rest => format!("has `{}` where {wanted} should stand", shortened(rest)),
        }
    }
}

/// Letters of all languages, as in names of elements and attributes.
fn is_start_of_name(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn expect_nodes(gives: Gives, what: &str) -> Read<()> {
    match gives {
        Gives::Nodes => Ok(()),
        Gives::Value => {
            Err(format!("finds no elements: {what} is a value; compare and count within brackets, as in `//li[…]`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (expression, words) in [
            ("//a[@href=]", "has `]` where a path or a value should stand"),
            ("//", "ends where the name of an element should stand"),
            ("//a[", "ends where a path or a value"),
            ("//a[1", "does not end; `]` is missing"),
            ("//a[contains(., 'x']", "has `]` where an operator or `)` should stand"),
            ("//a[text()='x]", "does not end; `'` is missing"),
            ("//a]", "closes `]` that was not opened"),
            ("//a b", "has `b` where an operator should stand"),
            ("//a[ends-with(@href, 'x')]", "calls `ends-with`, which XPath 1.0 does not have"),
            ("//a[contains(@href)]", "calls `contains` with another number of arguments than it takes: 1"),
            ("//a/contains(., 'x')", "calls `contains` where a step stands"),
            ("//a/siblings::b", "`siblings::`, which is no axis"),
            ("//svg:rect", "a prefix, `svg:`"),
            ("count(//a)", "the whole is a value"),
            ("//a | 'b'", "what stands after `|` is a value"),
            ("'a'[1]", "what stands before `[` or `/` is a value"),
        ] {
            let said = problem(expression).unwrap_or_else(|| panic!("{expression} passes"));
            assert!(said.contains(words), "{expression}: {said}");
        }
        let deep = format!("{}//a{}", "(".repeat(200_000), ")".repeat(200_000));
        assert!(problem(&deep).is_some_and(|said| said.contains("write it flatter")));
    }
}
