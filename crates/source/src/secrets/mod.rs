//! Secrets in a text: known key formats, and assignments of a random-looking value to a name that says secret.
//!
//! One automaton looks for all literals at once; only around its hits anything else is tried, within a window, so that a line of fifty
//! megabytes costs no more than fifty megabytes of lines.

mod assignment;
mod formats;
mod made_up;
mod placeholder;
mod value;
mod words;

pub use formats::{Shape, is_own_machine, shape_of};
pub use placeholder::is_placeholder;

use crate::file::{Language, Nature};
use crate::findings::Class;
use aho_corasick::{AhoCorasick, Input, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// A rule of the secret scan, for reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretRule {
    /// Id in findings.
    pub id: &'static str,
    /// What it finds, as in "…" stands in the source.
    pub title: &'static str,
}

macro_rules! rules {
    ($($id:literal: $title:literal,)*) => {
        /// All rules.
        pub const SECRETS: &[SecretRule] = &[$(SecretRule { id: $id, title: $title },)*];
    };
}

rules! {
    "ai_provider_key": "A key of an AI provider",
    "anthropic_key": "An Anthropic key",
    "aws_access_key": "An AWS access key id",
    "aws_secret_key": "An AWS secret access key",
    "database_url": "A database address with its password",
    "gcp_service_account": "A Google Cloud service account",
    "generic_secret": "A secret or token",
    "github_token": "A GitHub token",
    "gitlab_token": "A GitLab token",
    "google_api_key": "A Google API key",
    "hardcoded_password": "A password",
    "huggingface_token": "A Hugging Face token",
    "jwt_signing_secret": "A secret that signs tokens or sessions",
    "npm_token": "An npm token",
    "openai_key": "An OpenAI key",
    "private_key": "A private key",
    "provider_token": "A token of a service",
    "sendgrid_key": "A SendGrid key",
    "slack_token": "A Slack token",
    "slack_webhook": "A Slack webhook address",
    "stripe_secret_key": "A Stripe secret key",
    "supabase_secret_key": "A Supabase secret key",
    "supabase_service_role_jwt": "A Supabase service-role key",
}

/// Findings kept of one file; a file with more is a list of secrets.
const PER_FILE: usize = 50;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Id of the rule.
    pub rule: &'static str,
    /// Bytes of the value.
    pub value: Range<usize>,
    /// Live or fixture.
    pub class: Class,
    /// Whether nothing but the file's name makes it a fixture.
    pub fixture_by_name: bool,
}

impl Found {
    /// A secret that is a fixture where its file's name says so.
    fn by_name(rule: &'static str, value: Range<usize>, is_fixture: bool) -> Self {
        let class = if is_fixture { Class::Fixture } else { Class::Live };
        Self { rule, value, class, fixture_by_name: is_fixture }
    }
}

/// Words that stand in names of secrets.
const KEYWORDS: [&str; 15] = [
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "pass",
    "private_key",
    "privatekey",
    "access_key",
    "accesskey",
    "_key",
];

/// What is searched for in every text, in letters of either case: the beginnings of key formats, then words in names of secrets.
pub fn literals() -> impl Iterator<Item = &'static str> {
    formats::FORMATS.iter().map(|format| format.literal).chain(KEYWORDS)
}

static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(literals())
        .expect("the literals are few and fixed")
});

/// Looks for secrets. A minified text is searched for key formats only.
pub fn scan(text: &str, nature: Nature, is_lockfile: bool, minified: bool) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let names_count = !minified && !is_lockfile && nature.language != Language::Prose && !nature.is_example;
    let mut from = 0;
    while let Some(hit) = AUTOMATON.find(Input::new(text).range(from..)) {
        if found.len() >= PER_FILE {
            break;
        }
        let index = hit.pattern().as_usize();
        let is_format = index < formats::FORMATS.len();
        let new = if is_format {
            formats::at(text, hit.start(), index, nature)
        } else if names_count {
            assignment::at(text, hit.range(), nature)
        } else {
            None
        };
        // What only looked like the beginning of a key may share letters with a word: `re_` and `_key` in `store_key`.
        from = if is_format && new.is_none() { hit.start() + 1 } else { hit.end() };
        if let Some(new) = new {
            add(&mut found, new, is_format);
        }
    }
    found
}

/// Two rules may see the same value; a known format says more than a name.
fn add(found: &mut Vec<Found>, new: Found, by_format: bool) {
    let overlapping =
        found.iter_mut().rev().take(8).find(|old| old.value.start < new.value.end && new.value.start < old.value.end);
    match overlapping {
        Some(old) if by_format && new.rule != old.rule => *old = new,
        Some(_) => {}
        None => found.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str, text: &str) -> Vec<&'static str> {
        scan(text, Nature::of(name), false, false).into_iter().map(|found| found.rule).collect()
    }

    fn classes(name: &str, text: &str) -> Vec<(&'static str, Class)> {
        scan(text, Nature::of(name), false, false).into_iter().map(|found| (found.rule, found.class)).collect()
    }

    #[test]
    fn ids_are_sorted_and_every_format_has_a_rule() {
        assert!(SECRETS.is_sorted_by_key(|rule| rule.id));
        for format in formats::FORMATS {
            assert!(SECRETS.iter().any(|rule| rule.id == format.rule), "{}", format.rule);
        }
    }

    #[test]
    fn a_key_is_found_within_fifty_megabytes_of_one_line() {
        let key = ["sk_", "live_51Nq8ZtLkR3mXvB7wYcHdPsEgJf"].concat();
        let text = format!("{}\"{key}\"{}", "token:a,".repeat(1_000_000), "b".repeat(1_000_000));
        let found = scan(&text, Nature::of("a.js"), false, true);
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].value.clone()], key);
    }

    #[test]
    fn names_of_places_are_no_secrets() {
        assert!(rules("a.ts", "const TOKEN_KEY = 'acme-auth-session-token-v2';").is_empty());
        assert!(rules("a.ts", "const tokenEndpoint = '9fK2xLq7TzRw3VbNcYdHpE8sUj4GmA1o';").is_empty());
    }

    #[test]
    fn a_word_of_a_name_is_found_behind_what_looks_like_the_beginning_of_a_key() {
        let value = "Vq7xK2mTz9RwL4bNcYd8HpEsUj3G";
        for name in ["STORE_KEY", "secure_key", "auth_core_key", "BERLIN_API_KEY", "SB_SECRET_KEY", "auth_npm_key"] {
            assert_eq!(rules("a.ts", &format!("const {name} = '{value}';")), ["generic_secret"], "{name}");
        }
        for name in ["more_key", "before_key", "secure_keyboard", "PUBLIC_STORE_KEY", "re_", "are_api_keys"] {
            assert!(rules("a.ts", &format!("const {name} = '{value}';")).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_fallback_beside_the_environment_is_a_value_too() {
        let line = "const JWT_SECRET = process.env.JWT_SECRET || 'super-secret-key-42';";
        assert_eq!(rules("server.ts", line), ["jwt_signing_secret"]);
    }

    #[test]
    fn a_secret_is_live_whatever_settings_beside_it_and_comments_say() {
        let env = "APP_NAME=demo-shop\nNODE_ENV=test\nDB_PASSWORD=kQ2mXv9LpTr7 # sample\nJWT_SECRET=9fK2xLq7TzRw3VbNcYdHpE8s\n";
        let live = [("hardcoded_password", Class::Live), ("jwt_signing_secret", Class::Live)];
        assert_eq!(classes(".env", env), live);
        assert_eq!(classes("config/app.yml", &env.replace('=', ": ")), live);
        assert_eq!(classes("src/db.ts", "const dbPassword = 'Tr7!kQ2#mXv9Lp' // test"), live[..1]);
        let demo = "const demoUsers = [\n  { email: 'a@acme.io', password: 'Tr7!kQ2#mXv9Lp' },\n];";
        assert_eq!(classes("src/users.ts", demo), [("hardcoded_password", Class::Fixture)]);
        assert_eq!(classes(".env", "DEMO_PASSWORD=kQ2mXv9LpTr7"), [("hardcoded_password", Class::Fixture)]);
    }

    #[test]
    fn passwords_of_mail_and_databases_are_found_under_their_short_name() {
        for name in ["SMTP_PASS", "DB_PASS", "EMAIL_PASS", "GMAIL_APP_PASS", "mysqlUserPass2"] {
            assert_eq!(rules(".env", &format!("{name}=kQ2mXv9LpTr7")), ["hardcoded_password"], "{name}");
        }
        let mail = "createTransport({ auth: { user: 'shop@acme.io', pass: 'Tr7!kQ2#mXv9Lp' } })";
        assert_eq!(rules("server.js", mail), ["hardcoded_password"]);
        let fallback = "const DB_PASS = process.env.DB_PASS || 'Tr7!kQ2#mXv9Lp';";
        assert_eq!(rules("server.js", fallback), ["hardcoded_password"]);
        for text in [
            "const boardingPass = 'AB12345';",
            "const results = [{ pass: true }, { pass: 'ok' }, { pass: 'yes' }];",
            "const compass = 'kQ2mXv9LpTr7', passMark = 'A1-b2-C3';",
            "const mail = { user: process.env.SMTP_USER, pass: process.env.SMTP_PASS };",
        ] {
            assert!(rules("a.ts", text).is_empty(), "{text}");
        }
        assert!(rules(".env", "SMTP_PASS=\nEMAIL_PASS=your_app_password\nBOARDING_PASS=AB12345\n").is_empty());
    }

    #[test]
    fn passwords_of_mailers_servers_and_queues_are_found_under_their_short_name() {
        for name in [
            "NODEMAILER_PASS",
            "MAILER_PASS",
            "MAILTRAP_PASS",
            "SMTPPASS",
            "DBPASS",
            "EMAILPASS",
            "AUTH_PASS",
            "SENDER_PASS",
            "POSTGRESQL_PASS",
            "MSSQL_PASS",
            "SQL_PASS",
            "RABBITMQ_PASS",
            "MONGODB_PASS",
            "SERVER_PASS",
        ] {
            assert_eq!(rules(".env", &format!("{name}=kQ2mXv9LpTr7")), ["hardcoded_password"], "{name}");
        }
    }

    #[test]
    fn the_class_of_what_passed_is_no_password() {
        for class in ["text-green-500", "bg-emerald-500", "success-700", "hover:bg-green-500/20", "green.500"] {
            let colours = format!("const color = {{ pass: '{class}', fail: 'text-red-500' }};");
            assert!(rules("a.tsx", &colours).is_empty(), "{class}");
        }
        let mail = "createTransport({ auth: { user: 'shop@acme.io', pass: 'kq2m-xv9l-500' } })";
        assert_eq!(rules("server.js", mail), ["hardcoded_password"]);
        assert_eq!(rules("server.js", "const SMTP_PASS = 'green-harbor-500';"), ["hardcoded_password"]);
    }

    #[test]
    fn placeholders_of_env_files_that_glue_their_words_are_no_secrets() {
        assert!(rules(".env", "EMAIL_PASS=yourapppassword\nDB_PASSWORD=yourdbpassword\n").is_empty());
        assert!(rules("a.ts", "const JWT_SECRET = process.env.JWT_SECRET || 'yourSuperSecretKey'").is_empty());
        assert!(rules("a.ts", "const jwtSecret = 'ReplaceWithYourSecretKey'").is_empty());
        assert_eq!(rules(".env", "DB_PASSWORD=Yourself!2024"), ["hardcoded_password"]);
    }

    #[test]
    fn an_address_for_questions_excuses_no_password() {
        let config = "const config = { contactEmail: 'hello@example.com', db: { host: 'db.acme.io', password: 'Tr7!kQ2#mXv9Lp' } }";
        assert_eq!(classes("src/config.ts", config), [("hardcoded_password", Class::Live)]);
    }

    #[test]
    fn secrets_of_an_app_for_todos_are_secrets() {
        assert_eq!(rules("a.ts", "const JWT_SECRET = 'todo-app-jwt-9fK2xLq7TzRw3VbN'"), ["jwt_signing_secret"]);
        assert_eq!(rules("a.ts", "if (password === 'Todo!Admin2024') open()"), ["hardcoded_password"]);
        let url = ["postgres://app:Xk29vL", "qTzz@todo-db.c9x.eu-west-1.rds.amazonaws.com/app"].concat();
        assert_eq!(rules(".env", &format!("DATABASE_URL={url}")), ["database_url"]);
        assert!(rules(".env", &format!("DATABASE_URL={}", url.replace("todo-db", "your-db"))).is_empty());
        assert!(rules("a.ts", "const JWT_SECRET = process.env.JWT_SECRET || 'todo: set me'").is_empty());
    }

    #[test]
    fn brackets_strings_and_comments_without_end_cost_no_more_than_their_length() {
        for opened in ["/* ", "{[(", "`", "'\"", "<!--", "# a\n", "x\n", "\\"] {
            let text = format!("{}\npassword = 'Tr7!kQ2#mXv9Lp'\n", opened.repeat(400)).repeat(3_000);
            assert_eq!(scan(&text, Nature::of("a.js"), false, false).len(), PER_FILE, "{opened}");
        }
    }
}
