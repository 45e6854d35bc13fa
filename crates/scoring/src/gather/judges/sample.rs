//! The source that C7's judges read: entry files, then the largest hand-written components, hooks and pages, then the rest.

use super::super::StepError;
use super::masked;
use crate::evidence::judgement::Excerpt;
use benchwright_source::{are_banners_believed, says_generated};
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const MAX_FILES: usize = 12;
const MAX_BYTES: usize = 12_000;
/// A file of which less can be shown says nothing of how it is built; then fewer files are shown.
const LEAST_SHARE: usize = 1_200;
const MAX_WALKED: usize = 50_000;
const MAX_DEPTH: usize = 16;
const MAX_FILE_BYTES: u64 = 400_000;
const MAX_ENTRIES: usize = 4;
/// Files that are opened to see whether they were written by hand.
const MAX_READ: usize = 400;

const EXTENSIONS: [&str; 9] = ["ts", "tsx", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro"];
const FOREIGN_FOLDERS: [&str; 22] = [
    "node_modules",
    "dist",
    "build",
    "out",
    "coverage",
    "vendor",
    "third_party",
    "generated",
    "__generated__",
    "test",
    "tests",
    "__tests__",
    "__mocks__",
    "e2e",
    "cypress",
    "playwright",
    "stories",
    "storybook",
    "fixtures",
    "migrations",
    "shadcn",
    "magicui",
];
/// Folders that are served as they are, and those below them that hold what others wrote.
const SERVED_FOLDERS: [&str; 2] = ["public", "static"];
const LIBRARY_FOLDERS: [&str; 3] = ["lib", "libs", "plugins"];
const PARTS_FOLDERS: [&str; 14] = [
    "components",
    "hooks",
    "pages",
    "features",
    "views",
    "screens",
    "routes",
    "app",
    "composables",
    "containers",
    "sections",
    "widgets",
    "layouts",
    "contexts",
];
const ENTRIES: [&str; 5] = ["main", "index", "app", "server", "_app"];
/// How much of a file is read to see whether it has a banner or a licence.
const BANNER_BYTES: u64 = 4096;

/// One file as it will be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What is kept of it in the evidence.
    pub excerpt: Excerpt,
    /// The text, masked and cut.
    pub text: String,
}

/// A file that may be shown, as far as its name and size tell.
#[derive(Debug)]
struct Candidate {
    path: String,
    file: PathBuf,
    tier: u8,
    bytes: u64,
    /// A script that browsers get as it is.
    served: bool,
}

/// A file that will be shown.
#[derive(Debug)]
struct Chosen {
    path: String,
    text: String,
}

/// Takes the sample of a source tree. Equal trees give equal samples.
pub fn of(root: &Path, tool: Option<&str>) -> Result<Vec<Piece>, StepError> {
    let mut found = Vec::new();
    let mut walked = 0;
    walk(root, root, 0, &mut walked, &mut found)?;
    found.sort_by(|a, b| (a.tier, b.bytes, &a.path).cmp(&(b.tier, a.bytes, &b.path)));
    found.truncate(MAX_READ);
    // First the libraries, as their bytes say nothing of how far banners are to be believed.
    found.retain(|candidate| !(candidate.served && begins_with_licence(&head(&candidate.file))));
    leave_out_generated(&mut found);
    let mut chosen = Vec::new();
    let mut entries = 0;
    for candidate in &found {
        let is_entry = candidate.tier == 0;
        // A tree with many entry files must not crowd out what the rubric is about.
        if chosen.len() == MAX_FILES || (is_entry && entries == MAX_ENTRIES) {
            continue;
        }
        let Some(text) = hand_written(&candidate.file) else { continue };
        entries += usize::from(is_entry);
        let text = masked::without_tool(&masked::secrets(&candidate.path, &text), tool);
        chosen.push(Chosen { path: masked::without_tool(&candidate.path, tool), text });
    }
    Ok(shared_out(chosen))
}

/// Leaves out what says that a tool wrote it, unless too much says so for anybody to believe it.
fn leave_out_generated(found: &mut Vec<Candidate>) {
    let generated: Vec<bool> = found.iter().map(|candidate| says_generated(&head(&candidate.file))).collect();
    let bytes = |(candidate, _): (&Candidate, &bool)| candidate.bytes;
    let all = found.iter().zip(&generated);
    let claimed = all.clone().filter(|(_, generated)| **generated).map(bytes).sum();
    if are_banners_believed(claimed, all.map(bytes).sum()) {
        let mut generated = generated.into_iter();
        found.retain(|_| generated.next() != Some(true));
    }
}

/// The beginning of a file, empty where it cannot be read.
fn head(file: &Path) -> String {
    let mut head = Vec::new();
    let _ = fs::File::open(file).and_then(|file| file.take(BANNER_BYTES).read_to_end(&mut head));
    String::from_utf8_lossy(&head).into_owned()
}

/// Whether a script begins as libraries do: with a comment that tools are to keep, or that names a licence.
fn begins_with_licence(head: &str) -> bool {
    let head = head.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let end = if head.starts_with("/*") { "*/" } else { "\n" };
    let first = head.split(end).next().unwrap_or_default();
    let is_comment = first.starts_with("/*") || first.starts_with("//");
    first.starts_with("/*!") || is_comment && first.contains("@license")
}

fn walk(
    root: &Path,
    folder: &Path,
    depth: usize,
    walked: &mut usize,
    found: &mut Vec<Candidate>,
) -> Result<(), StepError> {
    let unreadable = |error: std::io::Error| StepError::Page(format!("the source cannot be read: {error}"));
    let listing = match fs::read_dir(folder) {
        // Below the root, what this user may not open is nothing to show. The evidence of the source names it.
        Err(error) if depth > 0 && error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(()),
        listing => listing.map_err(unreadable)?,
    };
    let mut entries: Vec<_> = listing.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        *walked += 1;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if *walked > MAX_WALKED || name.starts_with('.') {
            continue;
        }
        if kind.is_dir() && depth < MAX_DEPTH && !FOREIGN_FOLDERS.contains(&name.to_lowercase().as_str()) {
            walk(root, &entry.path(), depth + 1, walked, found)?;
        } else if kind.is_file() {
            found.extend(candidate(root, &entry.path()));
        }
    }
    Ok(())
}

fn candidate(root: &Path, file: &Path) -> Option<Candidate> {
    let path = file.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let below = below_served(&lower).filter(|_| matches!(extension, "js" | "mjs" | "cjs"));
    let library = below.as_deref().is_some_and(|below| is_library(below, stem));
    if !EXTENSIONS.contains(&extension) || is_foreign(&lower, stem) || library {
        return None;
    }
    let bytes = fs::metadata(file).ok()?.len();
    let tier = tier(&lower, stem);
    let served = below.is_some();
    (bytes <= MAX_FILE_BYTES).then(|| Candidate { path, file: file.to_owned(), tier, bytes, served })
}

/// The text of a file that a person, or a model in place of one, wrote.
fn hand_written(file: &Path) -> Option<String> {
    let text = String::from_utf8(fs::read(file).ok()?).ok()?;
    (!text.trim().is_empty() && !is_packed(&text)).then_some(text)
}

/// Vendored interface kits, tests, settings, stories, type declarations.
fn is_foreign(path: &str, stem: &str) -> bool {
    let kit = path.contains("components/ui/") || path.contains("components/ui-");
    let marked = [".d", ".test", ".spec", ".stories", ".story", ".config", ".setup", ".min", ".bundle", ".gen"];
    let settings = stem.starts_with("vite-env") || stem == "setuptests" || stem.ends_with("rc");
    kit || settings || marked.iter().any(|mark| stem.ends_with(mark))
}

/// The rest of a path below a folder that is served as it is.
fn below_served(path: &str) -> Option<String> {
    let rooted = format!("/{path}");
    let below = |folder: &&str| Some(rooted.split_once(&format!("/{folder}/"))?.1.to_owned());
    SERVED_FOLDERS.iter().find_map(below)
}

/// A library by its place or its name, as no package manager keeps it: `lib/chart.js`, `jquery-3.7.1.js`.
fn is_library(below: &str, stem: &str) -> bool {
    let in_folder = below.split('/').rev().skip(1).any(|folder| LIBRARY_FOLDERS.contains(&folder));
    in_folder || has_version(stem) || stem == "mockserviceworker"
}

/// `jquery-3.7.1`, `chart-v4.4`.
fn has_version(stem: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    stem.split('-').skip(1).any(|part| {
        let version = part.trim_start_matches('v');
        let behind = version.trim_start_matches(is_digit);
        behind != version && behind.strip_prefix('.').is_some_and(|minor| minor.starts_with(is_digit))
    })
}

/// Minified, or data in the shape of a program.
fn is_packed(text: &str) -> bool {
    let lines = text.lines().count().max(1);
    text.len() / lines > 300 || text.lines().any(|line| line.len() > 5_000)
}

fn tier(path: &str, stem: &str) -> u8 {
    let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
    let entry = ENTRIES.contains(&stem) && folders.len() <= 1;
    let next_entry = matches!(stem, "page" | "layout" | "+page" | "+layout")
        && folders.len() <= 2
        && folders.first().is_some_and(|folder| matches!(*folder, "app" | "routes"));
    if entry || next_entry {
        return 0;
    }
    let is_part = folders.iter().any(|folder| PARTS_FOLDERS.contains(folder));
    if is_part && stem != "index" { 1 } else { 2 }
}

/// Shares the bytes out: small files whole, large ones to equal parts, and fewer files when the parts would get too small.
fn shared_out(mut chosen: Vec<Chosen>) -> Vec<Piece> {
    while !chosen.is_empty() {
        let level = water_level(&chosen);
        let whole = chosen.iter().all(|file| cost(file) <= level);
        if whole || level >= LEAST_SHARE || chosen.len() == 1 {
            return chosen.iter().map(|file| cut(file, level)).collect();
        }
        chosen.pop();
    }
    Vec::new()
}

/// Room for the line that names a file, and for the mark that it was cut.
const FRAME: usize = 160;

fn cost(file: &Chosen) -> usize {
    file.text.len() + file.path.len() + FRAME
}

/// How much each file may take so that all together take no more than there is.
fn water_level(chosen: &[Chosen]) -> usize {
    let mut sizes: Vec<usize> = chosen.iter().map(cost).collect();
    sizes.sort_unstable();
    let mut left = MAX_BYTES;
    for (number, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - number);
        if *size > share {
            return share;
        }
        left -= size;
    }
    MAX_BYTES
}

fn cut(file: &Chosen, level: usize) -> Piece {
    let room = level.saturating_sub(file.path.len() + FRAME);
    let lines: Vec<&str> = file.text.lines().collect();
    let mut text = String::new();
    let mut shown = 0;
    for line in &lines {
        if text.len() + line.len() + 1 > room {
            break;
        }
        text.push_str(line);
        text.push('\n');
        shown += 1;
    }
    if shown < lines.len() {
        let _ = writeln!(text, "[cut here: {} more lines]", lines.len() - shown);
    }
    Piece { excerpt: Excerpt { path: file.path.clone(), lines: lines.len(), lines_shown: shown }, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::tree::tests::tree;
    use benchwright_fixtures::while_closed;

    fn code(lines: usize) -> String {
        "export const answer = compute(first, second);\n".repeat(lines)
    }

    fn paths(files: &[(&str, String)]) -> Vec<String> {
        of(tree(files).path(), None).unwrap().into_iter().map(|piece| piece.excerpt.path).collect()
    }

    #[test]
    fn entry_first_then_the_largest_parts_then_the_rest() {
        let files = [
            ("src/main.tsx", code(3)),
            ("src/App.tsx", code(5)),
            ("src/components/Tiny.tsx", code(2)),
            ("src/pages/Dashboard.tsx", code(40)),
            ("src/hooks/useNotes.ts", code(20)),
            ("src/lib/api.ts", code(60)),
        ];
        assert_eq!(
            paths(&files),
            [
                "src/App.tsx",
                "src/main.tsx",
                "src/pages/Dashboard.tsx",
                "src/hooks/useNotes.ts",
                "src/components/Tiny.tsx",
                "src/lib/api.ts"
            ]
        );
    }

    #[test]
    fn vendored_generated_tested_and_minified_files_are_not_shown() {
        let files = [
            ("src/components/ui/button.tsx", code(9)),
            ("node_modules/x/index.js", code(9)),
            ("src/a.test.ts", code(9)),
            ("src/vite-env.d.ts", code(9)),
            ("vite.config.ts", code(9)),
            ("src/Button.stories.tsx", code(9)),
            ("src/__tests__/b.ts", code(9)),
            ("src/client.ts", format!("// This file is automatically generated. Do not edit it.\n{}", code(9))),
            ("src/packed.js", "a=1;".repeat(5_000)),
            ("src/lib.min.js", code(9)),
            ("public/jquery.min.js", code(9)),
            ("public/vendor/chart.js", code(9)),
            ("static/tidy.js", format!("/*! Tidy 2.1 */{}", "a=1;".repeat(5_000))),
            ("static/vendor/moment.js", code(9)),
            ("static/js/jquery-3.7.1.js", code(9)),
            ("public/js/slider-v11.2.mjs", code(9)),
            ("public/Plugins/select.js", code(9)),
            ("apps/web/static/lib/chart/core.js", code(9)),
            ("public/mockServiceWorker.js", format!("/* eslint-disable */\n/**\n * Do NOT modify.\n */\n{}", code(90))),
            ("public/swiper.js", format!("\u{feff}/*!\n * Swiper 11\n */\n{}", code(9))),
            ("public/chart.js", format!("/**\n * @license MIT\n */\n{}", code(9))),
            ("src/notes.md", code(9)),
            ("src/Real.tsx", code(9)),
        ];
        assert_eq!(paths(&files), ["src/Real.tsx"]);
    }

    #[test]
    fn scripts_of_a_folder_that_is_served_as_it_is_are_shown() {
        assert_eq!(paths(&[("server.mjs", code(9)), ("public/app.js", code(30))]), ["public/app.js", "server.mjs"]);
        assert_eq!(
            paths(&[("static/menu.js", code(9)), ("static/notes.js", code(5))]),
            ["static/menu.js", "static/notes.js"]
        );
        let own = [
            ("libs/web/public/menu.js", format!("// Menu, see /*! below\n{}", code(9))),
            ("public/step-2.js", code(8)),
            ("src/lib/plugins/notes-1.2.js", format!("/*! @license */\n{}", code(7))),
            ("public/plugins/page.tsx", code(1)),
        ];
        let shown = paths(&own);
        assert_eq!(shown.len(), own.len(), "{shown:?}");
        let own_app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/apps/workshop-orders");
        let shown: Vec<_> = of(&own_app, None).unwrap().into_iter().map(|piece| piece.excerpt.path).collect();
        assert_eq!(shown, ["public/app.js", "server.mjs"]);
    }

    #[test]
    fn a_folder_that_may_not_be_opened_is_not_shown_and_hides_nothing_else() {
        let folder = tree(&[("src/App.tsx", code(5)), ("src/shut/b.ts", code(9)), ("src/c.ts", code(9))]);
        let shut = ["src/shut", "src/c.ts"].map(|place| folder.path().join(place));
        let pieces = while_closed(&shut, || of(folder.path(), None)).unwrap().unwrap();
        assert_eq!(pieces.iter().map(|piece| piece.excerpt.path.as_str()).collect::<Vec<_>>(), ["src/App.tsx"]);
        assert!(while_closed(&[folder.path().to_owned()], || of(folder.path(), None)).unwrap().is_err());
    }

    #[test]
    fn banners_on_everything_hide_nothing() {
        let hidden = format!("// @generated\n{}", code(9));
        let files = [("src/App.tsx", hidden.clone()), ("src/pages/Home.tsx", hidden)];
        assert_eq!(paths(&files), ["src/App.tsx", "src/pages/Home.tsx"]);
    }

    #[test]
    fn libraries_do_not_weigh_in_what_banners_are_believed_by() {
        let files = [
            ("src/a.ts", code(10)),
            ("src/b.ts", format!("// @generated\n{}", code(9))),
            ("public/jquery.js", format!("/*! jQuery */\n{}", code(900))),
        ];
        assert_eq!(paths(&files), ["src/a.ts", "src/b.ts"]);
    }

    #[test]
    fn a_line_of_fifty_megabytes_is_neither_read_nor_shown() {
        let files = [
            ("src/main.ts", code(3)),
            ("src/App.tsx", "a=1;".repeat(12_500_000)),
            ("src/pages/Home.tsx", format!("export const d = '{}';", "x".repeat(390_000))),
        ];
        assert_eq!(paths(&files), ["src/main.ts"]);
    }

    #[test]
    fn at_most_twelve_files_and_twelve_thousand_bytes_shared_out_fairly() {
        let files: Vec<(String, String)> =
            (0..30).map(|n| (format!("src/components/Part{n:02}.tsx"), code(20 + n))).collect();
        let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let pieces = of(tree(&files).path(), None).unwrap();
        assert!((8..=12).contains(&pieces.len()), "{}", pieces.len());
        let bytes: usize = pieces.iter().map(|piece| piece.text.len() + piece.excerpt.path.len()).sum();
        assert!((6_000..=12_000).contains(&bytes), "{bytes}");
        assert!(pieces.iter().all(|piece| piece.excerpt.lines_shown >= 10), "{pieces:?}");
        assert!(pieces[0].text.contains("[cut here: "));
        let small: Vec<(String, String)> = (0..30).map(|n| (format!("src/components/P{n:02}.tsx"), code(5))).collect();
        let small: Vec<(&str, String)> = small.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        assert_eq!(of(tree(&small).path(), None).unwrap().len(), 12);
    }

    #[test]
    fn small_files_are_whole_beside_a_giant() {
        let pieces = of(tree(&[("src/main.ts", code(4)), ("src/pages/Giant.tsx", code(2_000))]).path(), None).unwrap();
        assert_eq!((pieces[0].excerpt.lines_shown, pieces[0].excerpt.lines), (4, 4));
        assert!(pieces[1].excerpt.lines_shown > 200 && pieces[1].excerpt.lines == 2_000, "{:?}", pieces[1].excerpt);
    }

    #[test]
    fn secrets_and_the_tool_are_masked_in_texts_and_paths() {
        let text = "// built with Lovable\nconst key = 'sk-proj-abcdefgh1234567890';\n".to_owned();
        let pieces = of(tree(&[("src/lovable/client.ts", text)]).path(), Some("lovable")).unwrap();
        assert_eq!(pieces[0].excerpt.path, "src/[tool]/client.ts");
        assert_eq!(pieces[0].text, "// built with [tool]\nconst key = '[masked, 26 characters]';\n");
    }

    #[test]
    fn many_entry_files_do_not_crowd_out_the_rest() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let mut files: Vec<(String, String)> = names.iter().map(|n| (format!("{n}/index.ts"), code(3))).collect();
        files.push(("src/pages/Home.tsx".to_owned(), code(30)));
        let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let paths = paths(&files);
        assert_eq!((paths.len(), paths[4].as_str()), (5, "src/pages/Home.tsx"));
    }
}
