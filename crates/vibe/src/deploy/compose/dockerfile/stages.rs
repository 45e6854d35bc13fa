//! Which images of others a recipe is built from. Docker fetches them itself and from wherever their names say, so all of them must be known.

use super::lines::BLANK;
use super::{only, options, unquoted};
use crate::deploy::compose::parts;
use std::collections::{BTreeMap, BTreeSet};

/// An image without anything in it, which nobody fetches.
const NOTHING: &str = "scratch";

/// What a recipe is made from.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    stages: Vec<Stage>,
    /// Values that whoever builds it gives to its arguments.
    given: BTreeMap<String, String>,
    /// Arguments of images' names, with the values that they have for certain.
    known: BTreeMap<String, String>,
    /// Those that may have any value.
    unclear: BTreeSet<String>,
    /// Whether it could be any of them.
    is_unclear: bool,
}

/// One of its stages.
#[derive(Debug, PartialEq, Eq)]
struct Stage {
    name: String,
    images: Vec<String>,
}

impl Recipe {
    pub fn new(arguments: &[(String, String)]) -> Self {
        Self { given: arguments.iter().cloned().collect(), ..Self::default() }
    }

    /// Images of others that it is built from as far as a stage; all of it without one.
    pub fn images(&self, target: Option<&str>) -> Vec<String> {
        let last = target.and_then(|target| self.stages.iter().rposition(|it| it.name.eq_ignore_ascii_case(target)));
        let stages = &self.stages[..last.map_or(self.stages.len(), |last| last + 1)];
        let images: BTreeSet<&String> = stages.iter().flat_map(|stage| &stage.images).collect();
        images.into_iter().cloned().collect()
    }

    /// Takes in a `FROM`.
    pub fn begin_stage(&mut self, rest: &str) -> Result<(), String> {
        let (options, rest) = options(rest)?;
        only("FROM", &options, &["platform"])?;
        if options.iter().any(|(_, platform)| !is_of_this_machine(platform)) {
            return Err("images are built for this machine; leave `--platform` out".to_owned());
        }
        let words: Vec<&str> = rest.split(BLANK).filter(|word| !word.is_empty()).collect();
        let (image, name) = match words[..] {
            [image] => (image, ""),
            [image, as_, name] if as_.eq_ignore_ascii_case("as") => (image, name),
            _ => return Err("expected `FROM image` or `FROM image AS stage`".to_owned()),
        };
        let image = self.filled(image).ok_or("it is not certain which image this is; write out its name")?;
        let images = of_others(&self.stages, &image)?;
        self.stages.push(Stage { name: name.to_owned(), images: images.into_iter().collect() });
        Ok(())
    }

    /// Takes in where a `COPY` takes files from. Stages have numbers, too.
    pub fn take_from(&mut self, source: &str) -> Result<(), String> {
        if !source.is_empty() && source.chars().all(|c| c.is_ascii_digit()) {
            return Ok(());
        }
        let (this, before) = self.stages.split_last_mut().ok_or("there is no `FROM` before it")?;
        this.images.extend(of_others(before, source)?);
        Ok(())
    }

    /// Takes in an `ARG`. Only those before the first stage can be part of an image's name.
    pub fn learn(&mut self, rest: &str) {
        if !self.stages.is_empty() {
            return;
        }
        // What stands behind a backslash could be part of the word, or not.
        self.is_unclear |= rest.contains('\\') || !rest.is_ascii();
        for word in words(rest) {
            let (name, default) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            self.is_unclear |= !is_variable(name);
            let value = self.given.get(name).cloned().or_else(|| self.as_default(default?));
            self.unclear.remove(name);
            self.known.remove(name);
            if let Some(value) = value {
                self.known.insert(name.to_owned(), value);
            } else {
                self.unclear.insert(name.to_owned());
            }
        }
    }

    /// A default as far as it is certain. In single quotes, variables are none.
    fn as_default(&self, written: &str) -> Option<String> {
        let is_literal = written.starts_with('\'') && written.contains('$');
        if is_literal { None } else { self.filled(unquoted(written)) }
    }

    /// A text with the values of arguments in it; none unless they are certain.
    fn filled(&self, text: &str) -> Option<String> {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, behind)) = rest.split_once('$') {
            let (name, default, behind) = used(behind)?;
            filled.push_str(before);
            filled.push_str(self.value(name, default)?);
            rest = behind;
        }
        filled.push_str(rest);
        let is_plain = filled.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:@".contains(c));
        is_plain.then_some(filled)
    }

    fn value<'a>(&'a self, name: &str, default: Option<&'a str>) -> Option<&'a str> {
        // The builder has proxies of its own for every recipe.
        if self.is_unclear || self.unclear.contains(name) || name.to_ascii_lowercase().ends_with("_proxy") {
            return None;
        }
        let known = self.known.get(name).map(String::as_str);
        if default.is_some() { known.filter(|value| !value.is_empty()).or(default) } else { known }
    }
}

/// The image of a name, unless it is that of a stage before.
fn of_others(before: &[Stage], name: &str) -> Result<Option<String>, String> {
    let is_stage = before.iter().any(|stage| !stage.name.is_empty() && stage.name.eq_ignore_ascii_case(name));
    if is_stage || name == NOTHING {
        return Ok(None);
    }
    if parts::is_image(name) { Ok(Some(name.to_owned())) } else { Err("this is no name of an image".to_owned()) }
}

/// Words between blanks that stand in no quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    let is_between = move |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && BLANK.contains(&c)
    };
    text.split(is_between).filter(|word| !word.is_empty())
}

/// The use of a variable behind its `$`: its name, its default, and what comes behind it.
fn used(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let (name, default, behind) = if let Some(inside) = text.strip_prefix('{') {
        let (inside, behind) = inside.split_once('}')?;
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, text)| (name, Some(text)));
        (name, default, behind)
    } else {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
        (&text[..end], None, &text[end..])
    };
    is_variable(name).then_some((name, default, behind))
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// An image for other machines is another image than the one that was looked at.
fn is_of_this_machine(platform: &str) -> bool {
    let is_arm = matches!(platform, "linux/arm64" | "linux/arm64/v8");
    if cfg!(target_arch = "aarch64") { is_arm } else { cfg!(target_arch = "x86_64") && platform == "linux/amd64" }
}

#[cfg(test)]
mod tests {
    use super::super::read;

    fn images(text: &str, arguments: &[(&str, &str)], target: Option<&str>) -> Result<Vec<String>, String> {
        let arguments: Vec<_> =
            arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        read(text, &arguments).map(|recipe| recipe.images(target)).map_err(|(_, why)| why)
    }

    #[test]
    fn images_of_others_are_told_from_stages_before() {
        let text = "FROM node:22 AS Made\nCOPY --from=made /a /a\nCOPY --from=busybox:1 /b /b\nFROM scratch\nFROM made\nCOPY --from=0 /c /c\n\
                    COPY --from=last /d /d\nFROM ghcr.io/acme/app@sha256:00 AS last\n";
        let all = ["busybox:1", "ghcr.io/acme/app@sha256:00", "last", "made", "node:22"];
        assert_eq!(images(text, &[], None).unwrap(), all, "a stage knows neither itself nor those behind it");
        assert_eq!(images(text, &[], Some("made")).unwrap(), ["busybox:1", "made", "node:22"]);
        let ours = if cfg!(target_arch = "aarch64") { "linux/arm64" } else { "linux/amd64" };
        assert_eq!(images(&format!("FROM --platform={ours} node:22"), &[], None).unwrap(), ["node:22"]);
    }

    #[test]
    fn a_name_made_of_arguments_is_the_one_that_docker_makes() {
        for (text, expected) in [
            ("ARG V=22\nFROM node:$V", "node:22"),
            ("ARG V=\"22\" BASE='node'\nFROM ${BASE}:${V}-alpine", "node:22-alpine"),
            ("ARG V=22 ABOUT=\"B=1 and V=1\"\nFROM node:$V", "node:22"),
            ("ARG BASE=node\nARG IMAGE=$BASE:22\nFROM $IMAGE", "node:22"),
            ("FROM node:${V:-20}", "node:20"),
            ("ARG V\nFROM node:$V", "node:18"),
            ("ARG V=22\nARG W=${V:-1}\nFROM node:$W", "node:18"),
        ] {
            let given = [("V", "18")];
            let given = if expected.ends_with("18") { &given[..] } else { &[] };
            assert_eq!(images(text, given, None).unwrap(), [expected], "{text}");
        }
    }

    #[test]
    fn a_name_that_docker_could_make_another_of_is_refused() {
        for text in [
            "FROM $BASE",
            "ARG BASE\nFROM $BASE",
            "FROM evil${HTTP_PROXY:+.local:80}/x",
            "FROM evil${https_proxy:-}.local/x",
            "ARG http_proxy=alpine\nFROM $http_proxy",
            "ARG V=2\nARG A=\\\" V=3\nFROM node:$V",
            "ARG A='$B'\nFROM alpine:$A",
            "FROM al\"pine\"",
            "FROM al\\pine",
            "FROM $1alpine",
            "FROM alpine:${A:-${B}}",
            "FROM alpine as",
            "FROM --platform=$BUILDPLATFORM alpine",
            "FROM --platform=linux/s390x alpine",
            "FROM x\nCOPY --from=$A /a /a",
            "FROM x\nCOPY --from /a /a",
            "FROM x\nCOPY --chown=\u{e0}--from=10.0.0.1/x /a /a",
            "FROM x\nCOPY --frob=1 /a /a",
        ] {
            assert!(images(text, &[], None).is_err(), "{text}");
        }
    }
}
