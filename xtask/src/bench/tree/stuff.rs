//! What lies around in a repository: exports, translations, bundles of others, maps, styles, drawings, logs, a lockfile's worth of hashes.

use super::words::Words;
use std::fmt::{self, Write};

type Maker = fn(&mut String, &mut Words) -> fmt::Result;

/// One kind of file: what it begins with, what one record of it looks like, what it ends with. The shares of the bytes follow from the sizes.
struct Kind {
    folder: &'static str,
    ending: &'static str,
    size: usize,
    around: (&'static str, &'static str),
    record: Maker,
}

const fn kind(
    folder: &'static str,
    ending: &'static str,
    size: usize,
    around: (&'static str, &'static str),
    record: Maker,
) -> Kind {
    Kind { folder, ending, size, around, record }
}

const KINDS: [Kind; 8] = [
    kind("data/exports/", "json", 700_000, ("[\n", "  null\n]\n"), record),
    kind("src/locales/", "json", 120_000, ("{\n", "  \"end\": \"\"\n}\n"), translation),
    kind("public/vendor/", "js", 450_000, ("!function(){", "}();"), minified),
    kind("public/vendor/", "js.map", 500_000, ("{\"version\":3,\"mappings\":\"", "\"}"), mapping),
    kind("src/styles/", "css", 90_000, ("", ""), style),
    kind("public/drawings/", "svg", 150_000, ("<svg xmlns=\"http://www.w3.org/2000/svg\">\n", "</svg>\n"), drawing),
    kind("docs/minutes/", "md", 60_000, ("# Minutes\n\n", ""), prose),
    kind("data/logs/", "csv", 400_000, ("second,level,who,took,what,trace\n", ""), row),
];

pub(super) fn file(number: usize, words: &mut Words) -> (String, String) {
    let Kind { folder, ending, size, around: (begin, end), record } = &KINDS[number % KINDS.len()];
    // Between half and one and a half times the usual size.
    let size = size / 2 + words.below(*size);
    let mut text = String::with_capacity(size + 1024);
    text.push_str(begin);
    while text.len() < size {
        // Writing to a string cannot fail.
        let _ = record(&mut text, words);
    }
    text.push_str(end);
    (format!("{folder}{}-{number}.{ending}", words.word()), text)
}

fn record(text: &mut String, words: &mut Words) -> fmt::Result {
    let (id, total, day) = (words.number(), words.below(90_000), words.below(28) + 1);
    let (kind, state, note) = (words.word(), words.word(), words.phrase(9));
    writeln!(
        text,
        r#"  {{ "id": "{id:016x}", "kind": "{kind}", "state": "{state}_open", "total": {total}, "day": "2026-03-{day:02}", "note": "{note}" }},"#
    )
}

fn translation(text: &mut String, words: &mut Words) -> fmt::Result {
    let (section, entry, said) = (words.word(), words.word(), words.phrase(6));
    writeln!(text, r#"  "{section}.{entry}.title": "{said}","#)
}

fn minified(text: &mut String, words: &mut Words) -> fmt::Result {
    let (one, other, name) = (words.below(900), words.below(900), words.word());
    write!(
        text,
        "function e{one}(t,n){{var r=t.{name}_{other},i=n||{{}};return i.key=r.key,r&&r.{name}?a({one},r.{name}):new s(i,\"{name}\")}}"
    )
}

fn mapping(text: &mut String, words: &mut Words) -> fmt::Result {
    let names: [&str; 3] = [words.word(), words.word(), words.word()];
    write!(text, "{};AACA,{};IAAM,{},CAAC;", names[0], names[1], names[2])?;
    write!(text, "{}", words.hash(40))
}

fn style(text: &mut String, words: &mut Words) -> fmt::Result {
    let (block, part, size, colour) = (words.word(), words.word(), words.below(64), words.below(0xff_ffff));
    writeln!(text, ".{block}__{part} {{\n  margin: {size}px auto;\n  color: #{colour:06x};\n  display: flex;\n}}\n")
}

fn drawing(text: &mut String, words: &mut Words) -> fmt::Result {
    let (id, x, y) = (words.word(), words.below(4000), words.below(4000));
    writeln!(
        text,
        r#"<path id="{id}" d="M{x} {y}l12.5 {x}.25c3-{y} 4.75 12 9 {y}z" fill="none" stroke="currentColor"/>"#
    )
}

fn prose(text: &mut String, words: &mut Words) -> fmt::Result {
    writeln!(text, "The {} was moved to the next {}. {}.\n", words.word(), words.word(), words.phrase(24))
}

fn row(text: &mut String, words: &mut Words) -> fmt::Result {
    let (second, level, who, took) = (words.below(86_400), words.below(4), words.word(), words.below(4000));
    writeln!(text, "{second},{level},{who},{took},{},{}", words.phrase(4), words.hash(12))
}
