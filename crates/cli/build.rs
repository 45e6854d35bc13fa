//! Lists the prompts, the questions and the reference runs of the corpus, so that the binary carries them wherever it is copied to.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    embed("prompts", "yaml", "corpus.rs", &[])?;
    embed("references", "json", "references.rs", &[])?;
    embed("questions", "yaml", "questions.rs", &["review"])
}

/// Writes a list of name and text of every file of a folder of the corpus that ends so, but for some.
fn embed(folder: &str, ending: &str, list: &str, without: &[&str]) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../corpus").join(folder).canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    files.sort();
    let mut text = "&[\n".to_owned();
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if !without.contains(&name.as_ref()) {
            writeln!(text, "({name:?}, include_str!({:?})),", path.display().to_string())?;
        }
    }
    text.push_str("]\n");
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join(list), text)?)
}
