//! Texts without their secrets, for what is given away.

use crate::file::Nature;
use crate::secrets;

/// What stands where a secret was. It looks like no secret itself.
pub const SCRUBBED: &str = "[scrubbed]";
/// A scan finds some secrets at a time; a text with more rounds of them than this is nothing but secrets.
const MAX_ROUNDS: usize = 200;

/// Which secrets are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoroughness {
    /// Keys whose form gives them away, wherever they stand.
    Formats,
    /// Those, and random-looking values under names that say secret, as in source, settings and logs.
    FormatsAndNames,
}

/// The text without its secrets, and how many there were. `name` is that of the file: of an environment file every value goes.
pub fn scrubbed(name: &str, text: &str, thoroughness: Thoroughness) -> (String, usize) {
    let (mut text, mut count) = if is_environment(name) { without_values(text) } else { (text.to_owned(), 0) };
    let minified = thoroughness == Thoroughness::Formats;
    for _ in 0..MAX_ROUNDS {
        let mut found = secrets::scan(&text, Nature::of(name), false, minified);
        found.retain(|secret| text.get(secret.value.clone()).is_some_and(|value| value != SCRUBBED));
        if found.is_empty() {
            break;
        }
        found.sort_by_key(|secret| secret.value.start);
        count += found.len();
        for secret in found.into_iter().rev() {
            text.replace_range(secret.value, SCRUBBED);
        }
    }
    (text, count)
}

/// Whether a file is of the kind `.env`; one that is an example says so and holds nothing.
fn is_environment(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let rest = name.strip_prefix(".env").filter(|rest| rest.is_empty() || rest.starts_with('.'));
    rest.is_some_and(|rest| !matches!(rest, ".example" | ".sample" | ".template"))
}

fn without_values(text: &str) -> (String, usize) {
    let mut count = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.split_once('=') {
            Some((name, value)) if !line.trim_start().starts_with('#') && !value.trim().is_empty() => {
                count += 1;
                format!("{name}={SCRUBBED}")
            }
            _ => line.to_owned(),
        })
        .collect();
    (lines.join("\n") + "\n", count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> String {
        ["sk_", "live_51Nq8ZtLkR3mXvB7wYcHdPsEgJf"].concat()
    }

    #[test]
    fn every_key_goes_and_nothing_else_does() {
        let keys: Vec<String> = (0..120).map(|n| format!("const k{n} = \"{}{n:03}\";", key())).collect();
        let (text, count) = scrubbed("a.js", &keys.join("\n"), Thoroughness::FormatsAndNames);
        assert_eq!(count, 120);
        assert!(!text.contains("sk_") && text.contains("const k119 = \"[scrubbed]\";"), "{}", &text[..200]);
        let plain = "const answer = 42;\n";
        assert_eq!(scrubbed("a.js", plain, Thoroughness::FormatsAndNames), (plain.to_owned(), 0));
    }

    #[test]
    fn names_count_only_where_that_is_wanted() {
        let text = "const session_secret = \"q8ZtLkR3mXvB7wYcHdPsEgJf\";";
        assert_eq!(scrubbed("a.js", text, Thoroughness::Formats).1, 0);
        let (scrubbed, count) = scrubbed("a.js", text, Thoroughness::FormatsAndNames);
        assert_eq!((scrubbed.as_str(), count), ("const session_secret = \"[scrubbed]\";", 1));
    }

    #[test]
    fn a_private_key_goes_with_all_its_lines() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEF/AASCBKcwggSjAgEAAoIBA+QC7VJTUt9Us8cK";
        for end in ["\n", "\\n"] {
            let begin = ["-----BEGIN RSA PRIV", "ATE KEY-----"].concat();
            let text =
                format!("const pem = `{begin}{end}{line}{end}{line}{end}Ab0={end}-----END`;\nplain words here\n");
            let (scrubbed, count) = scrubbed("a.js", &text, Thoroughness::FormatsAndNames);
            let expected = format!("const pem = `[scrubbed]{end}-----END`;\nplain words here\n");
            assert_eq!((scrubbed, count), (expected, 1));
        }
    }

    #[test]
    fn a_json_text_stays_one() {
        let text = format!("{{\"body\": \"authorization {}\", \"n\": [1]}}", key());
        let (scrubbed, count) = scrubbed("trace.json", &text, Thoroughness::Formats);
        assert_eq!((scrubbed.as_str(), count), ("{\"body\": \"authorization [scrubbed]\", \"n\": [1]}", 1));
    }

    #[test]
    fn of_an_environment_file_every_value_goes() {
        let text = "# Settings\nPORT=3000\nEMPTY=\nNAME=a=b\n";
        let expected = "# Settings\nPORT=[scrubbed]\nEMPTY=\nNAME=[scrubbed]\n";
        for name in [".env", "app/.env.local", ".ENV.production"] {
            assert_eq!(scrubbed(name, text, Thoroughness::FormatsAndNames), (expected.to_owned(), 2), "{name}");
        }
        for name in [".env.example", "env", ".envrc"] {
            assert_eq!(scrubbed(name, text, Thoroughness::FormatsAndNames), (text.to_owned(), 0), "{name}");
        }
    }
}
