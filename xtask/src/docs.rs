//! `cargo xtask docs`: METHODOLOGY.md from the scorers' own documentation.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::{project, results};
use std::fs;

/// Also renews the page over the dated benchmark results, unless it only checks.
pub fn run(mut arguments: Arguments) -> Done {
    let only_check = arguments.flag("--check");
    arguments.finish()?;
    if !only_check {
        results::renew_summary()?;
    }
    let file = project::root().join("METHODOLOGY.md");
    let fresh = Call::cargo("run --quiet --package benchwright -- explain --methodology").text()?;
    let present = fs::read_to_string(&file).unwrap_or_default();
    if present == fresh {
        println!("docs: METHODOLOGY.md is up to date");
        return Ok(());
    }
    if only_check {
        return Err(Failure::check("METHODOLOGY.md differs from what the scorers say; run `cargo xtask docs`"));
    }
    fs::write(&file, fresh).naming("write METHODOLOGY.md")?;
    println!("docs: wrote METHODOLOGY.md");
    Ok(())
}
