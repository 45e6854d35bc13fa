//! What a file is, told from its name and its first look.

use crate::findings::Class;
use crate::walk::is_foreign;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// JavaScript or TypeScript.
    Script,
    /// HTML or SVG.
    Markup,
    /// Vue, Svelte or Astro: markup with scripts of its own.
    Component,
    /// CSS and its dialects.
    Style,
    /// JSON of any kind.
    Json,
    /// `.env` and its kin: `NAME=value`.
    Env,
    /// YAML, TOML, ini, shell and other configuration, with values that need no quotes.
    Config,
    /// SQL.
    Sql,
    /// Security rules of Firebase.
    Rules,
    /// Markdown with components, which a bundler turns into a page.
    Mdx,
    /// Documentation.
    Prose,
    /// Anything else that is text.
    Other,
}

/// Facts about a file that follow from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nature {
    /// How it is read.
    pub language: Language,
    /// Tests and stories.
    pub is_test: bool,
    /// Seed, test, demo or example data.
    pub is_fixture: bool,
    /// An example of a settings file: its values are placeholders by purpose.
    pub is_example: bool,
}

impl Nature {
    /// What the name tells. `name` is relative, with `/`.
    pub fn of(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let base = lower.rsplit('/').next().unwrap_or(&lower);
        let is_test = is_test(&lower, base);
        Self {
            language: language(base),
            is_test,
            is_fixture: is_test || is_fixture(&lower),
            is_example: is_example(base),
        }
    }
}

fn language(base: &str) -> Language {
    let extension = base.rsplit_once('.').map_or("", |(_, extension)| extension);
    if base.starts_with(".env") || extension == "env" || base == ".npmrc" || base == ".yarnrc" || base == ".netrc" {
        return Language::Env;
    }
    match extension {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Language::Script,
        "html" | "htm" | "svg" | "xhtml" => Language::Markup,
        "vue" | "svelte" | "astro" => Language::Component,
        "css" | "scss" | "sass" | "less" | "styl" | "pcss" => Language::Style,
        "json" | "json5" | "jsonc" | "webmanifest" => Language::Json,
        "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf" | "properties" | "sh" | "bash" | "zsh" | "tf" | "tfvars" => {
            Language::Config
        }
        "sql" => Language::Sql,
        "rules" => Language::Rules,
        "mdx" => Language::Mdx,
        "md" | "markdown" | "txt" | "rst" => Language::Prose,
        _ if base.starts_with("dockerfile") || base == "procfile" => Language::Config,
        _ => Language::Other,
    }
}

fn is_test(lower: &str, base: &str) -> bool {
    let folders =
        ["__tests__", "__mocks__", "test", "tests", "e2e", "cypress", "playwright", "spec", "stories", "__fixtures__"];
    let in_folder = lower.split('/').rev().skip(1).any(|folder| folders.contains(&folder));
    let marks = [".test.", ".spec.", ".stories.", ".story.", ".cy.", ".e2e."];
    in_folder || marks.iter().any(|mark| base.contains(mark))
}

/// A word of the path says that the values are made up.
fn is_fixture(lower: &str) -> bool {
    let words = [
        "seed", "seeds", "seeder", "seeders", "seeding", "fixture", "fixtures", "mock", "mocks", "mockdata", "demo",
        "sample", "samples", "faker", "dummy", "example", "examples",
    ];
    lower.split(['/', '-', '_', '.']).any(|word| words.contains(&word))
}

fn is_example(base: &str) -> bool {
    let marks = ["example", "sample", "template", "dist", "defaults", "schema"];
    base.split(['.', '-', '_']).skip(1).any(|part| marks.contains(&part))
        && (base.contains("env") || base.contains("config"))
}

/// How a secret that somebody else's scanner found in a file counts: not at all in foreign folders and example settings.
pub fn class_of(name: &str) -> Option<Class> {
    let nature = Nature::of(name);
    let foreign = name.split('/').rev().skip(1).any(is_foreign);
    if foreign || nature.is_example {
        return None;
    }
    Some(if nature.is_fixture { Class::Fixture } else { Class::Live })
}

/// Whether a text is the output of a bundler: long lines, hardly a break.
pub fn is_minified(name: &str, text: &str) -> bool {
    if name.ends_with(".min.js") || name.ends_with(".bundle.js") {
        return true;
    }
    let lines = || memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    text.len() > 20_000 && text.len() / lines() > 500
}

/// Text of bytes, or nothing when they are no text. Bytes that are no UTF-8 are replaced.
pub fn text_of(bytes: Vec<u8>) -> Option<String> {
    if memchr::memchr(0, &bytes[..bytes.len().min(8192)]).is_some() {
        return None;
    }
    Some(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_file_is() {
        for (name, language) in [
            ("src/App.tsx", Language::Script),
            (".env.production", Language::Env),
            ("apps/web/.env", Language::Env),
            ("src/Card.vue", Language::Component),
            ("firestore.rules", Language::Rules),
            ("database.rules.json", Language::Json),
            ("Dockerfile", Language::Config),
            ("README.md", Language::Prose),
        ] {
            assert_eq!(Nature::of(name).language, language, "{name}");
        }
    }

    #[test]
    fn tests_fixtures_and_examples_are_told_by_name() {
        assert!(Nature::of("src/App.test.tsx").is_test && Nature::of("e2e/login.ts").is_test);
        assert!(!Nature::of("src/contest.ts").is_test && !Nature::of("src/latest/a.ts").is_fixture);
        assert!(Nature::of("scripts/seed.mjs").is_fixture && Nature::of("src/mock-data.ts").is_fixture);
        assert!(Nature::of(".env.example").is_example && Nature::of("config.sample.json").is_example);
        assert!(!Nature::of(".env.production").is_example);
    }

    #[test]
    fn bundles_are_minified_and_hand_written_code_is_not() {
        assert!(is_minified("a.js", &"x".repeat(30_000)));
        assert!(!is_minified("a.js", &"const a = 1;\n".repeat(3000)));
    }
}
