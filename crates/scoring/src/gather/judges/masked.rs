//! What leaves the machine is masked first: secrets, and the name of the tool under test.

use benchwright_source::{SCRUBBED, Thoroughness, scrubbed};
use std::ops::Range;

/// What announces a literal that nobody outside should read.
const SECRET_WORDS: [&str; 9] =
    ["password", "passwd", "pass", "secret", "token", "apikey", "api_key", "api-key", "private_key"];
/// How well-known keys begin.
const KEY_STARTS: [&str; 14] = [
    "sk-",
    "sk_",
    "pk_live",
    "rk_live",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "AKIA",
    "AIza",
    "eyJ",
    "xox",
    "sb_secret_",
    "npm_",
];
const LONG_TOKEN: usize = 20;
const MANY_DIGITS: usize = 4;

/// How far behind its name a value may begin.
const VALUE_REACH: usize = 64;

/// Source of a file without what the scan for secrets finds in it, and with long tokens, well-known keys, passwords in addresses and the values
/// of secrets masked, however tame they look. Something stays in each place: that there is a literal is what a judge must see.
pub fn secrets(name: &str, text: &str) -> String {
    let (text, _) = scrubbed(name, text, Thoroughness::FormatsAndNames);
    text.split_inclusive('\n').map(|line| tokens(&announced(&addresses(line)))).collect()
}

/// Masks the password in `scheme://user:password@host`.
fn addresses(line: &str) -> String {
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`');
    let passwords = line.match_indices("://").filter_map(|(at, slashes)| {
        let start = at + slashes.len();
        let (before_host, _) = line[start..].split(ends).next()?.rsplit_once('@')?;
        let (user, password) = before_host.split_once(':')?;
        let value = start + user.len() + 1;
        Some(value..value + password.len())
    });
    hidden(line, passwords)
}

/// Masks the quoted value in `password = "…"` and its like.
fn announced(line: &str) -> String {
    let lower = line.to_ascii_lowercase();
    let mut names: Vec<usize> = SECRET_WORDS.iter().flat_map(|word| ends(&lower, word)).collect();
    names.sort_unstable();
    hidden(line, names.into_iter().filter_map(|name| value_after(line, name)))
}

/// Where a word ends in a line. Passengers and passes only begin like `pass`.
fn ends(line: &str, word: &str) -> impl Iterator<Item = usize> {
    let ends = line.match_indices(word).map(|(at, word)| at + word.len());
    ends.filter(move |end| word != "pass" || !line[*end..].starts_with(char::is_alphabetic))
}

/// The quoted value that is assigned to the name that ends at `name`.
fn value_after(line: &str, name: usize) -> Option<Range<usize>> {
    let rest = &line[name..];
    let (open, quote) = rest.char_indices().take(VALUE_REACH).find(|(_, c)| matches!(*c, '"' | '\'' | '`'))?;
    // Only an assignment announces a value; anything else between the name and the quote is other code.
    let between = rest[..open].trim();
    let assigns = between.ends_with([':', '=']) && between.len() <= 24 && !between.contains(['(', ',', ';', '<']);
    let start = name + open + 1;
    let length = line[start..].find(quote).filter(|length| assigns && *length >= 6)?;
    (!line[start..start + length].contains(' ')).then_some(start..start + length)
}

/// The line with values masked that come in order; what lies in another one is masked with it, and what is put together at run time stays.
fn hidden(line: &str, values: impl Iterator<Item = Range<usize>>) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut at = 0;
    for value in values.filter(|value| !value.is_empty()) {
        let text = &line[value.clone()];
        if value.start >= at && text != SCRUBBED && !text.contains("${") {
            masked.push_str(&line[at..value.start]);
            masked.push_str(&mask(text));
            at = value.end;
        }
    }
    masked.push_str(&line[at..]);
    masked
}

/// Masks whatever looks like a key by itself.
fn tokens(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c: char| !is_of_token(c)).unwrap_or(rest.len());
        let (word, next) = rest.split_at(if length == 0 { first.len_utf8() } else { length });
        masked.push_str(&if looks_secret(word) { mask(word) } else { word.to_owned() });
        rest = next;
    }
    masked
}

fn is_of_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

fn looks_secret(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let known = KEY_STARTS.iter().any(|start| word.starts_with(start)) && digits > 0;
    word.len() >= LONG_TOKEN && letters > 0 && (known || digits >= MANY_DIGITS)
}

fn mask(value: &str) -> String {
    format!("[masked, {} characters]", value.chars().count())
}

/// A text without the name of the tool that built the app, however it is joined or spelt.
pub fn without_tool(text: &str, tool: Option<&str>) -> String {
    let Some(tool) = tool else { return text.to_owned() };
    let parts: Vec<String> =
        tool.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_lowercase).collect();
    if parts.is_empty() {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let fresh = !before.is_some_and(char::is_alphanumeric);
        if let Some(length) = name_length(rest, &parts).filter(|_| fresh) {
            clean.push_str("[tool]");
            rest = &rest[length..];
            before = Some(']');
        } else {
            clean.push(first);
            rest = &rest[first.len_utf8()..];
            before = Some(first);
        }
    }
    clean
}

/// Bytes of the tool's name at the start of a text: its parts in any case, with at most one character between them.
fn name_length(text: &str, parts: &[String]) -> Option<usize> {
    let mut at = 0;
    for (number, part) in parts.iter().enumerate() {
        if number > 0
            && let Some(joint) = text[at..].chars().next().filter(|c| matches!(c, '-' | '_' | '.' | ' '))
        {
            at += joint.len_utf8();
        }
        let found = text.get(at..at + part.len())?;
        if !found.to_lowercase().eq(part) {
            return None;
        }
        at += part.len();
    }
    let ends = !text[at..].chars().next().is_some_and(char::is_alphanumeric);
    ends.then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_announced_values_are_masked_and_their_length_stays() {
        for (line, masked) in [
            ("const key = 'sk-proj-abcdefgh1234567890';", "const key = '[masked, 26 characters]';"),
            ("password: \"hunter-two\",", "password: \"[masked, 10 characters]\","),
            ("const SUPABASE_SECRET = `s3rvice-role`", "const SUPABASE_SECRET = `[masked, 12 characters]`"),
            (
                "{ password: 'hunter-two', apiKey: 'abc-def' }",
                "{ password: '[masked, 10 characters]', apiKey: '[masked, 7 characters]' }",
            ),
            (
                "const auth = { user: 'shop', pass: 'hunter-two' }",
                "const auth = { user: 'shop', pass: '[masked, 10 characters]' }",
            ),
            ("const SMTP_PASS = \"hunter-two\";", "const SMTP_PASS = \"[masked, 10 characters]\";"),
            ("const db = 'postgres://u:short@host/app';", "const db = 'postgres://u:[masked, 5 characters]@host/app';"),
            ("Authorization: 'Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6'", "Authorization: 'Bearer [masked, 28 characters]'"),
            ("hash 9b74c9897bac770ffc029102a200c5de", "hash [masked, 32 characters]"),
        ] {
            assert_eq!(secrets("src/a.ts", line), masked);
        }
    }

    #[test]
    fn what_the_scan_for_secrets_finds_does_not_leave_either() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEF/AASCBKcwggSjAgEAAoIBA+QC7VJTUt9Us8cK";
        let text = format!(
            "const url = 'mongodb+srv://app:Xk2!@cluster.acme.io/app';\n\
             const jwtSecret: string = process.env.JWT ?? 'only-tame-words';\n\
             const pem = `-----BEGIN PRIVATE KEY-----\n{body}\nab+cd/{body}\n-----END PRIVATE KEY-----`;\n"
        );
        let masked = secrets("src/a.ts", &text);
        for secret in ["Xk2!", "only-tame-words", "MIIE", "AASCBKcwggSj", "QC7VJTUt9Us8cK"] {
            assert!(!masked.contains(secret), "{secret}: {masked}");
        }
        assert_eq!(masked.matches(SCRUBBED).count(), 3, "{masked}");
    }

    #[test]
    fn ordinary_code_stays_readable() {
        for line in [
            "import { useAuthenticatedUserSession } from './hooks/useAuthenticatedUserSession2';",
            "<div className=\"data-[state=open]:slide-in-from-top-48 bg-gradient-to-r\">",
            "const token = useToken(\"session\");",
            "const password = useState(\"\");",
            "placeholder=\"Your password: at least 8 characters\"",
            "const url = `${base}/token`;",
            "const passenger = 'Anna-Maria', passes = 'season-ticket';",
            "const url = `https://${user}:${password}@${host}/`;",
            "import x from 'https://esm.sh/@scope/x@1';",
            "const Größe = 'ungewöhnlich lange Zeichenkette';",
        ] {
            assert_eq!(secrets("src/a.ts", line), line);
        }
    }

    #[test]
    fn masking_never_breaks_on_odd_text() {
        for text in [
            "",
            "\n\n",
            "token=",
            "token='",
            "päßwörd: 'ü'",
            "ü://ü:ü@ü",
            "://:@",
            "secret: '\u{1F511}\u{1F511}\u{1F511}'",
        ] {
            let _ = secrets("src/a.ts", text);
        }
    }

    #[test]
    fn the_tool_is_not_named_however_it_is_spelt() {
        let clean = |text: &str| without_tool(text, Some("bolt-new"));
        assert_eq!(clean("Made with Bolt.new, by BOLT NEW"), "Made with [tool], by [tool]");
        assert_eq!(clean("boltnew bolt-new-plugin thunderbolt new"), "[tool] [tool]-plugin thunderbolt new");
        assert_eq!(without_tool("v0 and v01 and IV0", Some("v0")), "[tool] and v01 and IV0");
        assert_eq!(without_tool("ÄÖ Lovable ß", Some("lovable")), "ÄÖ [tool] ß");
        assert_eq!(without_tool("anything", None), "anything");
        assert_eq!(without_tool("anything", Some("--")), "anything");
    }
}
