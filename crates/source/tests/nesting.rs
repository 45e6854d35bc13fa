//! Scripts that nest as deep as their tokens allow, up to the limit: read or left out, but survived, with every construct that recurses.

#![allow(clippy::unwrap_used, reason = "a test that cannot make its tree must fail")]

use benchwright_source::{Constraint, ConstraintKind, Limits, Survey, survey};
use std::fs;

/// A script of nothing but one construct: what comes first, what opens a level, what stands in the middle, what closes a level, what comes last.
struct Nest {
    file: &'static str,
    first: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
    last: &'static str,
}

impl Nest {
    /// Lines of a length that people write, so that it is not taken for the output of a bundler.
    fn text(&self, levels: usize) -> String {
        let lines = |unit: &str| {
            let line = unit.repeat(16) + "\n";
            if unit.is_empty() { String::new() } else { line.repeat(levels / 16) }
        };
        [self.first, &lines(self.open), self.middle, &lines(self.close), self.last].concat()
    }

    /// Levels that need as many tokens as are parsed, or a few less.
    fn most_levels(&self) -> usize {
        let tokens = |text: &str| {
            let is_word = |c: char| c.is_ascii_alphanumeric();
            let signs = text.chars().filter(|c| !is_word(*c) && !c.is_whitespace()).count();
            signs + text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).count()
        };
        (Limits::default().script_tokens - 64) / tokens(&format!("{} {}", self.open, self.close))
    }

    fn read(&self, levels: usize) -> Survey {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(self.file), self.text(levels)).unwrap();
        let wanted = [ConstraintKind::ExactCopy, ConstraintKind::HexValue, ConstraintKind::Structural]
            .map(|kind| Constraint { kind, value: "#123456 (x)".to_owned() });
        survey(folder.path(), &wanted, &Limits { threads: 1, ..Limits::default() }).unwrap()
    }

    /// At the limit it is parsed; without its end the parser gives up in its depth; beyond the limit it is left out, and told.
    fn is_survived(&self) {
        let at_limit = self.read(self.most_levels());
        assert_eq!((at_limit.scripts, at_limit.unparsed), (1, 0), "{}", self.open);
        let open = Self { middle: "", close: "", ..*self };
        let without_end = open.read(open.most_levels());
        assert_eq!(without_end.scripts + without_end.unparsed, 1, "{}", self.open);
        let bytes = self.open.len() + self.close.len();
        let beyond = self.read(Limits::default().script_bytes / bytes * 15 / 16);
        assert_eq!((beyond.scripts, beyond.unparsed), (0, 1), "{}", self.open);
    }
}

macro_rules! survived {
    ($($name:ident: $file:literal $first:literal $open:literal $middle:literal $close:literal $last:literal;)*) => {
        $(
            #[test]
            fn $name() {
                Nest { file: $file, first: $first, open: $open, middle: $middle, close: $close, last: $last }.is_survived();
            }
        )*
    };
}

survived! {
    brackets: "a.tsx" "x=" "(" "1" ")" "";
    lists: "a.ts" "x=" "[" "" "]" "";
    blocks: "a.js" "" "{" "" "}" "";
    objects: "a.ts" "x=" "{a:" "1" "}" "";
    negations: "a.ts" "" "!" "x" "" "";
    words_before: "a.ts" "" "typeof void " "x" "" "";
    arrows: "a.ts" "x=" "a=>" "a" "" "";
    choices: "a.ts" "x=" "a?b:" "c" "" "";
    conditions: "a.ts" "" "if(a)" "b" "" "";
    else_ifs: "a.ts" "" "if(a){}else " "{}" "" "";
    made: "a.ts" "x=" "new " "a" "" "";
    templates: "a.ts" "x=" "`${" "a" "}`" "";
    elements: "a.tsx" "x=" "<a>" "b" "</a>" "";
    elements_in_attributes: "a.jsx" "x=" "<a b={" "c" "}/>" "";
    type_arguments: "a.ts" "type x=" "Array<" "a" ">" "";
    tuples: "a.ts" "type x=" "[" "a" "]" "";
    conditional_types: "a.ts" "type x=" "a extends b?c:" "d" "" "";
    unions: "a.ts" "type x=" "(a|" "b" ")" "";
    members: "a.ts" "a" ".b" "" "" "";
    environments: "a.ts" "process" ".env" "" "" "";
    sums: "a.ts" "x=a" "+a" "" "" "";
    texts: "a.ts" "x=''" "+'b'" "" "" "";
    calls: "a.ts" "a" "()" "" "" "";
    methods: "a.ts" "a" ".b()" "" "" "";
    arguments: "a.ts" "" "a(" "b" ")" "";
    assignments: "a.ts" "" "a=" "b" "" "";
    loops: "a.ts" "" "while(a)" "b" "" "";
    functions: "a.ts" "" "function a(){" "" "}" "";
    classes: "a.ts" "x=" "class{a=" "b" "}" "";
}

#[test]
fn a_script_in_a_page_has_the_same_room() {
    let page = Nest { file: "a.html", first: "<script>x=", open: "(", middle: "1", close: ")", last: "</script>" };
    let component =
        Nest { file: "a.vue", first: "<script>type x=", open: "[", middle: "a", close: "]", last: "</script>" };
    for nest in [page, component] {
        nest.is_survived();
    }
}

#[test]
fn a_hundred_thousand_links_are_parsed_only_as_far_as_the_limit() {
    for (open, parsed) in [(".b", false), ("+a", false), ("!", true)] {
        let first = if parsed { "" } else { "a" };
        let read = Nest { file: "a.ts", first, open, middle: if parsed { "a" } else { "" }, close: "", last: "" }
            .read(100_000);
        assert_eq!((read.scripts, read.unparsed), (usize::from(parsed), usize::from(!parsed)), "{open}");
    }
}

#[test]
fn long_files_that_hardly_nest_are_parsed() {
    let line = "export const rememberedPreferences = createPreferences({ defaultLanguage: 'en', showWelcomeMessage: true });\n";
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..4500).map(|n| line.replace("Preferences", &format!("Preferences{n}"))).collect();
    fs::write(folder.path().join("a.ts"), &text).unwrap();
    let read = survey(folder.path(), &[], &Limits::default()).unwrap();
    assert_eq!((read.scripts, read.unparsed), (1, 0), "{} bytes", text.len());
}

#[test]
fn constants_of_constants_take_neither_for_ever_nor_all_memory() {
    let made_of_the_last = |level: usize| format!("const c{level} = `{}`;", format!("${{c{}}}", level - 1).repeat(10));
    let mut lines = vec!["const c0 = 'lol';".to_owned()];
    lines.extend((1..=11).map(made_of_the_last));
    lines.push("document.body.innerHTML = c11; document.title = 'plain ' + c0;".to_owned());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ts"), lines.join("\n")).unwrap();
    let wanted = Constraint { kind: ConstraintKind::ExactCopy, value: "plain lol".to_owned() };
    let read = survey(folder.path(), &[wanted], &Limits::default()).unwrap();
    assert_eq!((read.scripts, read.sightings[0].files), (1, 1));
}
