//! Values that stand for another one, which somebody is to fill in.

use regex::Regex;
use std::sync::LazyLock;

/// What no real value holds: insertions, masks, `<secret>`.
const MARKS: &str = r"\$\{|\{\{|\*{4}|••|\.{3}|xxxx|^<|<[a-z][^<>]*>";

/// Edges of a word. Underscores and digits do not belong to it.
const BEGIN: &str = "(?:^|[^a-z])";
const END: &str = "(?:[^a-z]|$)";

/// What may stand beside "dummy" or "example" in a value that only says what it is and what it is for.
const NOUNS: &str = "abc|access|api|auth|builds?|ci|client|data|dev|development|do|encryption|for|jwt|keys?|local|not|only\
    |pass|passphrase|passwd|password|private|pwd|refresh|role|secret|service|session|signing|string|tests?|testing|text|the|tokens?|use|value";

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!("(?i){MARKS}|{}|{}", orders().join("|"), shapes().join("|"))).expect("the pattern is fixed")
});
static PLACEHOLDER_HOST: LazyLock<Regex> = LazyLock::new(|| {
    let nobodys = r"(?:^|\.)(?:example|placeholder|changeme)(?:\.|$)";
    let yours =
        r"(?:^|\.)your(?:-|api|app|backend|cluster|company|database|db|domain|host|name|project|server|service|site)";
    Regex::new(&format!("(?i){MARKS}|{nobodys}|{yours}")).expect("the pattern is fixed")
});

/// Orders to put something else in this place.
fn orders() -> [String; 5] {
    [
        "placeholder|redacted|changeme|changethis".to_owned(),
        format!("{BEGIN}change[-_ ](?:me|this|it|in|before){END}|[-_ ]in[-_ ]production[^a-z]*$"),
        format!("{BEGIN}replaced?(?:me|this|with|[-_ ]|$)"),
        "(?:key|token|secret|password|value|goes)[-_ ]?here|[-_ ]here[^a-z]*$".to_owned(),
        "^insert[-_ ]".to_owned(),
    ]
}

/// Shapes of placeholders around words that real values hold as well, as many are made from the name of an app.
fn shapes() -> [String; 6] {
    let verbs = "add|change|define|enter|fill|generate|insert|is|paste|put|replace|set|use|with";
    [
        "^(?:insert|todo|your)[^a-z]*$".to_owned(),
        format!("^todo *:|^todo[-_ ](?:{verbs}){END}"),
        format!("^your[-_ ]|{BEGIN}(?:{verbs})[-_ ]your[-_ ]|^(?:sk|pk|rk|xox[a-z])[-_](?:[a-z]+[-_])?your[-_]"),
        format!("{BEGIN}your[-_ ]?(?:api|credential|jwt|key|pass|pwd|secret|string|token|value)"),
        // Glued: `yourdbpassword`. Only at the end, as words like "yourself" begin like it.
        format!(
            "{BEGIN}your[a-z]*(?:credential|jwt|key|pass|passphrase|password|pwd|secret|string|token|value)[^a-z]*$"
        ),
        format!(
            r"(?-i:EXAMPLE(?:KEY)?$)|[@./]example\.|{BEGIN}(?:dummy|example|sample)(?:[-_ ]?(?:{NOUNS}|\d+|x+))*[^a-z\d]*$"
        ),
    ]
}

/// Whether a value stands for another one: `your-key-here`, `xxxx`, `<secret>`, `${SECRET}`.
pub fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_read_elsewhere =
        ["process.env", "import.meta", "$", "%", "env("].iter().any(|start| lower.starts_with(start));
    is_read_elsewhere || variety(value) < 4 || PLACEHOLDER.is_match(value)
}

/// Whether a host stands for another one: `your-project.supabase.co`, `<host>.acme.io`.
pub fn is_placeholder_host(host: &str) -> bool {
    PLACEHOLDER_HOST.is_match(host)
}

/// Number of different characters.
fn variety(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[byte as usize] = true);
    seen.iter().filter(|seen| **seen).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known_by_their_shape() {
        for value in [
            "todo",
            "todo: ask ops",
            "Todo_Set_Me",
            "your-key-here",
            "YOUR_API_SECRET",
            "yourSecretKey123",
            "xoxb-your-token-here",
            "sk-proj-your-openai-key-12345678901234567890",
            "REPLACE_WITH_YOUR_TOKEN_1234567890",
            "Forgot-your-password?",
            "insert-secret-here",
            "INSERT_SECRET_42",
            "<generate with openssl>",
            "sk-<your key>",
            "dummy",
            "dummy_key_for_ci_builds_1",
            "sample-jwt-secret",
            "sk-proj-example-key-xxx-123",
            "AKIAIOSFODNN7EXAMPLE",
            "ada@example.com",
            "super-secret-change-in-production",
            "changeme-1234",
            "replace-me",
            "[redacted]",
            "postgres://${USER}",
            "process.env.SECRET",
            "aaaabbbb",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn names_of_apps_make_no_placeholders() {
        for value in [
            "todo-app-jwt-9fK2xLq7TzRw3VbN",
            "Todo!Admin2024",
            "todo_super_secret_2024",
            "love-your-plants-2024",
            "Yourself!2024",
            "insertcoin-jwt-2024",
            "sample-shop-9fK2xLq7TzRw3VbN",
            "Dummy!Pass42x",
            "example-notes-9fK2xLq7TzRw3VbN",
            "irreplaceable2024!",
            "stock-exchange-this-2024",
            "atmosphere2024",
            "kQ<2mXv9LpTr7",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn placeholders_whose_words_are_glued_are_placeholders() {
        for value in [
            "yourapppassword",
            "yourdbpassword",
            "yourSuperSecretKey",
            "YOURSUPERSECRETKEY_123",
            "ReplaceWithYourSecretKey",
            "replacewithastrongsecret",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["Yourself!2024", "love-your-plants-2024", "yourkshire2024", "favourkey2024", "yoursecond!life"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn hosts_are_placeholders_by_whole_labels() {
        for host in ["your-site.com", "db.yourcompany.io", "example.supabase.co", "<ref>.supabase.co", "${host}.io"] {
            assert!(is_placeholder_host(host), "{host}");
        }
        for host in ["todo-db.c9x.eu-west-1.rds.amazonaws.com", "sample-shop.io", "insert.acme.io", "yourstory.acme.io"]
        {
            assert!(!is_placeholder_host(host), "{host}");
        }
    }
}
