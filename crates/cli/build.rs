//! Lists the prompts of the corpus, so that the binary carries them wherever it is copied to.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../corpus/prompts").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut list = "&[\n".to_owned();
    for path in files {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(list, "({id:?}, include_str!({:?})),", path.display().to_string())?;
    }
    list.push_str("]\n");
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("corpus.rs"), list)?)
}
