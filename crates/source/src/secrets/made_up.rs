//! Whether a secret is made up, for a demo or a test: by its own name, or by the names of what it stands in. What comments, other statements
//! and other values say is no excuse: `NODE_ENV=test` above a password says nothing about it.

use super::value::is_random;
use super::words::words;
use crate::file::Language;
use memchr::memchr;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes before a name in which what it stands in begins.
const REACH: usize = 2048;

const WORDS: [&str; 21] = [
    "demo", "demos", "dummy", "fake", "faked", "faker", "fakes", "mock", "mocked", "mocks", "sample", "samples",
    "seed", "seeded", "seeder", "seeding", "seeds", "test", "testing", "tests", "testuser",
];
/// Words that names join with another one without a capital or a sign, and what they join them with: `demouser`, `mockdata`.
const JOINED: [&str; 5] = ["demo", "dummy", "fake", "mock", "sample"];
const JOINED_WITH: [&str; 10] =
    ["account", "accounts", "admin", "customer", "customers", "data", "pass", "password", "user", "users"];

/// Whose addresses are no accounts.
const FOR_LETTERS: [&str; 5] = ["contact", "from", "info", "sender", "support"];

/// Comments, strings, names and numbers, ends of lines, and all signs one by one.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let comment = r"(?m://[^\n]*|/\*(?s:.)*?\*/|<!--(?s:.)*?-->|(?:^|[ \t])#[ \t][^\n]*)";
    let text = r#""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\(?s:.))*`"#;
    Regex::new(&format!(r"(?<comment>{comment})|(?<text>{text})|(?<name>[\w$]+)|(?<end>\n)|(?<sign>[^\s\w])"))
        .expect("the pattern is fixed")
});

/// Whether the value assigned to a name is made up. Settings have no code around them: there the value speaks for itself.
pub fn is_made_up(text: &str, name: &Range<usize>, value: &str, language: Language) -> bool {
    match language {
        Language::Env | Language::Config => {
            says_made_up(&text[name.clone()]) || says_made_up(value) && !is_random(value)
        }
        _ => Surroundings::of(&text[beginning(text, name)..name.end]).say_made_up(),
    }
}

fn says_made_up(name: &str) -> bool {
    words(name).iter().any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        WORDS.contains(&word) || is_joined(word)
    })
}

/// Demographics, mockups and mockingbirds only begin like it.
fn is_joined(word: &str) -> bool {
    JOINED.iter().filter_map(|first| word.strip_prefix(first)).any(|second| JOINED_WITH.contains(&second))
}

/// Where to begin: with a whole line, as the rest of one could end in the middle of a string.
fn beginning(text: &str, name: &Range<usize>) -> usize {
    let Some(far) = name.start.checked_sub(REACH) else { return 0 };
    memchr(b'\n', &text.as_bytes()[far..name.start]).map_or(name.start, |line| far + line + 1)
}

/// What is open at a place of a program: calls, lists, objects and blocks.
struct Surroundings<'t> {
    outer: Vec<Layer>,
    innermost: Layer,
    last: &'t str,
    last_name: &'t str,
    line_ended: bool,
}

/// One pair of brackets, as far as it is read.
struct Layer {
    holds_statements: bool,
    /// A name of the statement or element that is being read says made up.
    by_name: bool,
    /// An account beside it is made up. Those further out belong to something else.
    by_account: bool,
}

impl Layer {
    fn new(holds_statements: bool) -> Self {
        Self { holds_statements, by_name: false, by_account: false }
    }

    fn end_statement(&mut self) {
        *self = Self::new(self.holds_statements);
    }
}

impl<'t> Surroundings<'t> {
    fn of(text: &'t str) -> Self {
        let mut read =
            Self { outer: Vec::new(), innermost: Layer::new(true), last: "", last_name: "", line_ended: false };
        for token in TOKEN.captures_iter(text) {
            if let Some(name) = token.name("name") {
                read.begin_word();
                read.name(name.as_str());
            } else if let Some(text) = token.name("text") {
                read.begin_word();
                read.text(text.as_str());
            } else if let Some(sign) = token.name("sign") {
                read.sign(sign.as_str());
            } else if token.name("end").is_some() {
                read.line_ended = true;
            }
        }
        read
    }

    fn say_made_up(&self) -> bool {
        self.innermost.by_account || self.outer.iter().chain([&self.innermost]).any(|layer| layer.by_name)
    }

    /// Where brackets need not be closed first, a word on a new line begins a statement, unless the line before goes on.
    fn begin_word(&mut self) {
        let goes_on = self.last.ends_with(|c: char| "=([{,.+-*/%&|?:<>!~^".contains(c));
        if self.line_ended && self.innermost.holds_statements && !goes_on {
            self.innermost.end_statement();
        }
        self.line_ended = false;
    }

    fn name(&mut self, name: &'t str) {
        let asks_a_pattern = name == "test" && self.last == ".";
        self.innermost.by_name |= says_made_up(name) && !asks_a_pattern;
        (self.last, self.last_name) = (name, name);
    }

    fn text(&mut self, text: &'t str) {
        self.innermost.by_account |= names_account(self.last_name) && is_made_up_account(unquoted(text));
        self.last = text;
    }

    fn sign(&mut self, sign: &'t str) {
        match (self.last, sign) {
            (_, "(" | "[") => self.open(false),
            (last, "{") => self.open(ends_a_head(last)),
            (_, ")" | "]" | "}") => self.close(),
            (_, ",") if !self.innermost.holds_statements => self.innermost.by_name = false,
            (key, ":") if !self.innermost.holds_statements && key.starts_with(['"', '\'']) => self.name(unquoted(key)),
            // Besides statements, elements of markup end, and comments that began too far away.
            (_, ";") | ("<" | "*", "/") | ("/", ">") => self.innermost.end_statement(),
            _ => {}
        }
        self.last = sign;
        self.line_ended = false;
    }

    fn open(&mut self, holds_statements: bool) {
        self.outer.push(std::mem::replace(&mut self.innermost, Layer::new(holds_statements)));
    }

    fn close(&mut self) {
        let outside = self.outer.pop().unwrap_or_else(|| Layer::new(true));
        let closed = std::mem::replace(&mut self.innermost, outside);
        if closed.holds_statements && self.innermost.holds_statements {
            self.innermost.end_statement();
        }
    }
}

/// Whether a brace behind this opens a block: behind `)`, `=>` and names, but not where a value is expected.
fn ends_a_head(last: &str) -> bool {
    let expects_a_value = ["await", "default", "in", "of", "return", "yield"].contains(&last);
    let is_name = last.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
    is_name && !expects_a_value || [")", ">", ";", "}"].contains(&last)
}

fn unquoted(text: &str) -> &str {
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
}

/// Where people or letters are to be sent to or come from, nobody logs in.
fn names_account(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_for_letters = || words(name).iter().any(|word| FOR_LETTERS.contains(&word.as_str()));
    ["email", "username", "user_name", "login"].iter().any(|end| lower.ends_with(end)) && !is_for_letters()
}

/// `demo@acme.io`, `ada@example.com`, `test-user`.
fn is_made_up_account(account: &str) -> bool {
    let (user, host) = account.split_once('@').unwrap_or((account, ""));
    says_made_up(user) || ["demo.", "example.", "test."].iter().any(|start| host.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the last password of a text is made up.
    fn made_up(text: &str, language: Language) -> bool {
        let start = text.to_ascii_lowercase().rfind("password").unwrap();
        let end = start + "password".len();
        let start = text[..start].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let value = text[end..].trim_start_matches(['=', ':', ' ']).split(' ').next().unwrap();
        is_made_up(text, &(start..end), value, language)
    }

    #[test]
    fn settings_above_and_comments_behind_excuse_nothing() {
        for text in [
            "APP_NAME=demo-shop\nDB_PASSWORD=kQ2mXv9LpTr7",
            "NODE_ENV=test\nDB_PASSWORD=kQ2mXv9LpTr7 # not for the demo",
            "name: demo\npassword: kQ2mXv9LpTr7",
        ] {
            assert!(!made_up(text, Language::Env) && !made_up(text, Language::Config), "{text}");
        }
        for text in ["DEMO_PASSWORD=kQ2mXv9LpTr7", "DB_PASSWORD=test1234", "testPassword: kQ2mXv9LpTr7"] {
            assert!(made_up(text, Language::Env) && made_up(text, Language::Config), "{text}");
        }
        assert!(!made_up("PASSWORD=demo-9fK2xLq7TzRw3VbNcYd", Language::Env));
    }

    #[test]
    fn only_whole_words_say_made_up() {
        for name in ["demo", "DEMO_2", "demoUsers", "DEMOUSER", "sampleusers2", "mockdata", "fakePass", "faker"] {
            assert!(says_made_up(name), "{name}");
        }
        for name in ["DEMOGRAPHICS", "mockup", "Mockingbird2024!", "samplerate", "fakebook", "democracy", "contest"] {
            assert!(!says_made_up(name), "{name}");
        }
        for text in ["MOCKUP_DB_PASSWORD=kQ2mXv9LpTr7", "DEMOGRAPHICS_DB_PASSWORD=kQ2mXv9LpTr7"] {
            assert!(!made_up(text, Language::Env) && !made_up(text, Language::Config), "{text}");
        }
        assert!(!made_up("DB_PASSWORD=Mockingbird2024!", Language::Env));
        assert!(!made_up("function loadDemographics() {\n  const dbPassword = 'x'", Language::Script));
        assert!(made_up("function loadDemo() {\n  const dbPassword = 'x'", Language::Script));
    }

    #[test]
    fn what_a_password_stands_in_says_that_it_is_made_up() {
        for text in [
            "const demoPassword = 'x'",
            "const demoUsers = [{ email: 'a@acme.io', password: 'x' }]",
            "export const MOCK_USERS: Record<string, User> = {\n  ada: {\n    name: 'Ada',\n    password: 'x'",
            "const users =\n  sampleUsers([\n  { password: 'x' }",
            "await seedUser({\n  email: 'ada@acme.io',\n  // the one of the seed\n  password: 'x'",
            "class MockAuth {\n  users = [{ role: 'user' }]\n  login() {\n    const a = 1;\n    return { password: 'x'",
            "{ \"demoUsers\": [{ \"name\": \"Ada\", \"password\": \"x\"",
            "if (email === 'demo@acme.io' && password === 'x'",
            "const users = [{ email: 'ada@example.com', password: 'x'",
            "{ \"username\": \"test\", \"password\": \"x\"",
            "demo.password = 'x'",
        ] {
            assert!(made_up(text, Language::Script), "{text}");
        }
    }

    #[test]
    fn what_stands_near_a_password_says_nothing_of_it() {
        for text in [
            "const dbPassword = 'x' // test",
            "// demo\nconst dbPassword = 'x'",
            "/* for the demo */ const dbPassword = 'x'",
            "const demo = true\nconst dbPassword = 'x'",
            "const demo = load(1)\nconst dbPassword = 'x'",
            "const demo = true; const dbPassword = 'x'",
            "import { demoUsers } from './demo'\n\nconst dbPassword = 'x'",
            "function demo() {\n  return 1\n}\nconst dbPassword = 'x'",
            "function connect() {\n  const seed = 42\n  const dbPassword = 'x'",
            "const a = { app: 'demo-shop', env: 'test', password: 'x'",
            "const a = { demo: true, seed: [1], password: 'x'",
            "if (/@/.test(email) && password === 'x'",
            "if (process.env.NODE_ENV !== 'test') {\n  dbPassword = 'x'",
            "const a = <p>a demo</p>, b = <Login password=\"x\"",
            "demo = True\ndb_password = 'x'",
            "const contest = latest({ password: 'x'",
            "const a = { email: 'hello@example.com', db: { host: 'db.acme.io', password: 'x'",
            "const a = { contactEmail: 'hello@example.com', password: 'x'",
            "const a = { support_email: 'demo@acme.io', password: 'x'",
        ] {
            assert!(!made_up(text, Language::Script), "{text}");
        }
    }

    #[test]
    fn of_a_text_that_is_cut_only_whole_lines_are_read() {
        let far = |between: &str| format!("const demoUsers = [\n{}{{ password: 'x' }}]", between.repeat(REACH));
        assert!(!made_up(&far("1,"), Language::Script));
        assert!(!made_up(&far("/* a demo"), Language::Script));
        let cut = format!("/* {}\n a demo\n */\nconst dbPassword = 'x'", "é".repeat(REACH));
        assert!(!made_up(&cut, Language::Script));
        assert!(made_up(&format!("{}\nconst demoUsers = [{{ password: 'x'", "é".repeat(REACH)), Language::Script));
    }
}
