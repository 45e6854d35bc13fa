//! `cargo xtask bless`: takes what the program does now as what it should do. The diff is for the reviewer.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::Done;
use crate::{check, docs};

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    let accept = |call: Call| call.env("INSTA_UPDATE", "always").env("UPDATE_SCHEMA", "1");
    accept(check::rust_tests()?).run()?;
    docs::run(Arguments::none())?;
    println!("bless: done; read the diff before committing it");
    Ok(())
}
