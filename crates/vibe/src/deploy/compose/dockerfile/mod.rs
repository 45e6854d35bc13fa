//! A look at the recipe of an image before it is built. Its steps run in a container that reaches nothing but our proxy; what it may not do is have
//! the builder itself, which is outside of that container, fetch something, or lend them something of this machine.

mod lines;
mod stages;

pub use lines::instructions;
pub use stages::Recipe;

use lines::{BLANK, first_word};

const MAX_BYTES: usize = 256 * 1024;
const INSTRUCTIONS: [&str; 18] = [
    "add",
    "arg",
    "cmd",
    "copy",
    "entrypoint",
    "env",
    "expose",
    "from",
    "healthcheck",
    "label",
    "maintainer",
    "onbuild",
    "run",
    "shell",
    "stopsignal",
    "user",
    "volume",
    "workdir",
];
const OF_COPIES: [&str; 7] = ["chmod", "checksum", "chown", "exclude", "keep-git-dir", "link", "parents"];
/// What a source of `ADD` must not hold. The builder fetches addresses, and takes away quotes, backslashes and variables before it looks for one.
const OF_ADDRESSES: [char; 5] = [':', '\\', '$', '@', '`'];
/// Readers of recipes that belong to Docker. Builders that know this line run whatever image it names.
const FRONTENDS: [&str; 2] = ["docker/dockerfile", "docker/dockerfile-upstream"];

/// A line, and why it is not allowed.
pub type Refusal = (usize, String);
/// Names and values.
type Options = Vec<(String, String)>;

/// Reads a recipe that gets these values for its arguments, or says which line asks for something that is not allowed.
pub fn read(text: &str, arguments: &[(String, String)]) -> Result<Recipe, Refusal> {
    if text.len() > MAX_BYTES {
        return Err((1, "it is longer than any recipe".to_owned()));
    }
    lines::check(text)?;
    let mut recipe = Recipe::new(arguments);
    for (number, line) in instructions(text) {
        let judged = match line.strip_prefix('#') {
            Some(comment) => directive(comment),
            None => step(&line, &mut recipe),
        };
        judged.map_err(|why| (number, why))?;
    }
    Ok(recipe)
}

/// Judges a step that an image adds to every build on top of it.
pub fn check_trigger(step: &str) -> Result<(), String> {
    let recipe = read(step, &[]).map_err(|(_, why)| why)?;
    if recipe.images(None).is_empty() { Ok(()) } else { Err("it takes files of another image".to_owned()) }
}

/// A comment may tell the builder how the recipe is to be read.
fn directive(comment: &str) -> Result<(), String> {
    let Some((name, value)) = comment.split_once('=') else { return Ok(()) };
    let value = value.trim();
    match name.trim().to_ascii_lowercase().as_str() {
        "escape" if value != "\\" => Err("`escape` is not allowed: lines end as everybody's do".to_owned()),
        "syntax" if !is_of_docker(value) => Err("`syntax` names a reader of recipes that is not Docker's".to_owned()),
        _ => Ok(()),
    }
}

fn is_of_docker(frontend: &str) -> bool {
    let name = frontend.strip_prefix("docker.io/").unwrap_or(frontend);
    FRONTENDS.contains(&name.split([':', '@']).next().unwrap_or_default())
}

fn step(line: &str, recipe: &mut Recipe) -> Result<(), String> {
    let (word, rest) = first_word(line);
    let word = word.to_ascii_lowercase();
    if !INSTRUCTIONS.contains(&word.as_str()) {
        return Err("this is no instruction".to_owned());
    }
    if matches!(word.as_str(), "add" | "copy" | "run") && has_document(rest) {
        return Err("the builder here knows no here-documents (`<<`); write out what is in it".to_owned());
    }
    match word.as_str() {
        "onbuild" => step(rest, recipe),
        "add" => add(rest),
        "copy" => copy(rest, recipe),
        "run" => run(rest),
        "from" => recipe.begin_stage(rest),
        "arg" => {
            recipe.learn(rest);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether lines that follow could be taken for a text, and no instructions. A shell's `<<<` is none, nor is what stands in a list of words.
fn has_document(rest: &str) -> bool {
    let begins = |at: usize| {
        let next = rest[at + 2..].chars().next();
        !rest[..at].ends_with('<') && next.is_some_and(|next| next != '<' && !next.is_whitespace())
    };
    serde_json::from_str::<Vec<String>>(rest).is_err() && rest.match_indices("<<").any(|(at, _)| begins(at))
}

fn add(rest: &str) -> Result<(), String> {
    let (options, rest) = options(rest)?;
    only("ADD", &options, &OF_COPIES)?;
    if rest.contains(OF_ADDRESSES) {
        return Err("`ADD` takes files of the app only, by plain names; fetch others in a `RUN` step".to_owned());
    }
    Ok(())
}

fn copy(rest: &str, recipe: &mut Recipe) -> Result<(), String> {
    let (sources, others): (Options, Options) = options(rest)?.0.into_iter().partition(|(name, _)| name == "from");
    sources.iter().try_for_each(|(_, source)| recipe.take_from(source))?;
    only("COPY", &others, &OF_COPIES)
}

/// A step may have no other network than the one it is given, and nothing mounted but caches and its own files.
fn run(rest: &str) -> Result<(), String> {
    let (options, _) = options(rest)?;
    let is_harmless = |(name, value): &(String, String)| match name.as_str() {
        "network" => matches!(value.as_str(), "default" | "none"),
        "security" => value == "sandbox",
        "mount" => is_own_mount(value),
        _ => false,
    };
    match options.iter().find(|option| !is_harmless(option)) {
        Some((name, value)) => Err(format!("`--{name}={value}` is not allowed: it leads out of the step")),
        None => Ok(()),
    }
}

fn is_own_mount(value: &str) -> bool {
    value.to_ascii_lowercase().split(',').all(|part| match part.split_once('=') {
        Some(("type", kind)) => matches!(kind, "bind" | "cache" | "tmpfs"),
        Some(("from", _)) => false,
        _ => true,
    })
}

/// Options at the beginning of an instruction, and what comes behind them. Docker takes them apart by rules of its own; an option that is not as
/// plain as most are could hide another one.
fn options(rest: &str) -> Result<(Options, &str), String> {
    let (mut found, mut rest) = (Options::new(), rest);
    while rest.starts_with("--") {
        let (word, behind) = rest.split_at(rest.find(BLANK).unwrap_or(rest.len()));
        rest = behind.trim_start_matches(BLANK);
        if word == "--" {
            break;
        }
        let (name, value) = word[2..].split_once('=').unwrap_or((&word[2..], ""));
        let value = unquoted(value);
        if !format!("{name}{value}").chars().all(|c| c.is_ascii_alphanumeric() || "-_=:,./+*@${}".contains(c)) {
            return Err(format!("the option `--{}` is not written plainly", name.escape_debug()));
        }
        found.push((name.to_owned(), value.to_owned()));
    }
    Ok((found, rest))
}

fn only(instruction: &str, options: &[(String, String)], known: &[&str]) -> Result<(), String> {
    match options.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, _)) => Err(format!("`{instruction}` has no option `--{name}`")),
        None => Ok(()),
    }
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), Refusal> {
        read(text, &[]).map(|_| ())
    }

    fn is_refused(line: &str) -> bool {
        check(&format!("FROM x\n{line}\n")).is_err_and(|(number, _)| number >= 2)
    }

    #[test]
    fn the_usual_recipe_is_fine() {
        let text = "# syntax=docker/dockerfile:1\nARG NODE=22\nFROM node:${NODE}-alpine AS made\nWORKDIR /app\nCOPY package*.json ./\n\
                    # escape the quotes\nRUN npm ci \\\n  # quietly\n  && echo http://x $((1 << 2)) <<< \"$(cat y)\"\nADD --chown=node:node src ./src\n\
                    RUN --mount=type=cache,target=/app/.npm npm run build\nfrom nginx:alpine\nCOPY --chown=\"101:101\" --from=made /app/dist /srv\n\
                    ADD [\"a b.txt\", \"/srv/\"]\nHEALTHCHECK --interval=5s CMD wget -q http://localhost/ || exit 1\nCMD [\"npm\", \"start\"]\n";
        assert_eq!(check(text), Ok(()));
        assert_eq!(check("# escape=\\\nFROM x\n"), Ok(()));
    }

    #[test]
    fn the_builder_itself_fetches_nothing() {
        for line in [
            "ADD http://169.254.169.254/latest /x",
            "add --chown=1 https://a.example/x.tar /x",
            "ONBUILD ADD http://a/ /x",
            "ONBUILD\tonbuild  ADD http://a/ /x",
            "ADD [\"http://a/\", \"/x\"]",
            "ADD[\"http://a/\", \"/x\"]",
            "ADD git@github.com:a/b.git /x",
            "ARG U\nADD $U /x",
            "ADD \\\n# note\n\n http://a/ /x",
            "ADD ht\\\ntp://a/ /x",
            "ADD [\"http:\\u002f\\u002f169.254.169.254/latest\", \"/x\"]",
            "ADD http:\"//127.0.0.1:8080/\" /x",
            "ADD http:\\//10.0.0.1/ /x",
            "ADD\u{b}http://a/ /x",
            "ADD\u{c}http://a/ /x",
            "ADD\u{a0}http://a/ /x",
            "ADD --link --chmod=755 http://a/ /x",
            "ADD --checksum=sha256:00 -- http://a/ /x",
            "ADD --chown=\"a http://b/\" /x",
            "ADD `x` /x",
            "RUN true \\\\\nADD http://a/ /x",
            "RUN true \\\u{a0}\nADD http://a/ /x",
        ] {
            assert!(is_refused(line), "{line:?}");
        }
        assert!(check(&"x".repeat(MAX_BYTES + 1)).is_err());
    }

    #[test]
    fn nothing_tells_the_builder_to_read_it_in_another_way() {
        for first in [
            "# escape=`",
            "#Escape = `",
            "\u{feff}# escape=`",
            "# syntax=acme/evil:1",
            "# syntax=10.0.0.1/dockerfile",
            "# syntax=docker/dockerfile.evil/x",
        ] {
            assert_eq!(check(&format!("{first}\nFROM x\n")).unwrap_err().0, 1, "{first:?}");
        }
        for line in
            ["RUN <<EOF\napk add curl\nEOF", "COPY <<'a\\' /x", "RUN true 3<<-\"E\"", "RUN true ${x:-}<<E", "FROB x"]
        {
            assert!(is_refused(line), "{line:?}");
        }
    }

    #[test]
    fn a_step_gets_nothing_of_this_machine() {
        for options in [
            "--network=host",
            "--network",
            "--security=insecure",
            "--mount=type=ssh",
            "--mount=type=secret,id=key",
            "--mount=Type=SSH,id=key",
            "--mount=target=/x,from=10.0.0.1/app",
            "--mount=\"type=cache\",\"from=acme/app\"",
            "--device=vendor.example/device",
            "--network=none --network=host",
            "--network=\"none\u{e0}\"--network=host",
            "--net\\work=host",
        ] {
            assert!(is_refused(&format!("RUN {options} true")), "{options}");
            assert!(is_refused(&format!("ONBUILD RUN {options} true")), "{options}");
        }
        assert!(!is_refused("RUN --network=none --mount=type=bind,target=/x echo --network=host"));
    }

    #[test]
    fn a_step_that_an_image_brings_is_judged_like_those_of_the_app() {
        for step in ["ADD http://10.0.0.1/ /x", "COPY --from=10.0.0.1/app /x /x", "RUN --network=host true"] {
            assert!(check_trigger(step).is_err(), "{step}");
        }
        for step in ["COPY . /app", "RUN npm ci"] {
            assert_eq!(check_trigger(step), Ok(()), "{step}");
        }
    }
}
