//! The crate `quiz` for the page: the same code that the server runs, as WebAssembly.

use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::{project, setup};
use std::fs;
use std::path::{Path, PathBuf};

const TARGET: &str = "wasm32-unknown-unknown";
/// Crates that end up in the module.
const CRATES: [&str; 3] = ["crates/quiz-wasm", "crates/quiz", "crates/domain"];
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "lld-19"];
const DEBIAN_LINKER: &str = "wasm-ld-19";

/// Builds the module when anything it is made of has changed. Without it the quiz page says that it is not set up; all else works.
pub fn install_missing() {
    if let Err(failure) = build_if_changed() {
        println!(
            "setup: SKIPPED the quiz page's module: /quiz says that it is not set up here, and everything else works. It needs the target {TARGET} of \
             rustup, or Debian's packages {} ({})",
            DEBIAN_PACKAGES.join(", "),
            failure.message
        );
    }
}

/// Where the page loads it from.
pub fn module() -> PathBuf {
    project::root().join("site/dist/quiz.wasm")
}

fn build_if_changed() -> Done {
    let stamp = folder().join("stamp");
    let wanted = sources()?;
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) && module().is_file() {
        println!("setup: found the quiz page's module");
        return Ok(());
    }
    println!("setup: building the quiz page's module");
    build()?;
    let built = folder().join(TARGET).join("wasm/benchwright_quiz_wasm.wasm");
    fs::create_dir_all(project::root().join("site/dist")).naming("make site/dist")?;
    fs::copy(built, module()).naming("put the quiz page's module into site/dist")?;
    fs::write(&stamp, wanted).naming("write the stamp of the quiz page's module")
}

/// A target folder of its own, so that a build of the workspace is not thrown away by the other compiler.
fn folder() -> PathBuf {
    project::root().join("target/wasm")
}

fn build() -> Done {
    let cargo = Call::cargo("build --quiet --locked --package benchwright-quiz-wasm --profile wasm --target")
        .arg(TARGET)
        .arg("--target-dir")
        .arg(folder());
    if has_target() || added_target() {
        return cargo.run();
    }
    println!(
        "setup: rustup has no {TARGET} for this machine; Debian's compiler for the web builds it with its library (a minute or two, once)"
    );
    if debian_compiler().is_err() || find_program(&[DEBIAN_LINKER]).is_none() {
        setup::install(&["Debian's compiler for the web"], &DEBIAN_PACKAGES)?;
    }
    let compiler = debian_compiler()?;
    // The library has to be built as well, which only the nightly interface of cargo and compiler offers.
    cargo
        .words("-Zbuild-std=std,panic_abort")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", compiler)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER)
        .run()
}

fn has_target() -> bool {
    let Ok(sysroot) = Call::new("rustc").words("--print sysroot").text() else { return false };
    Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib").is_dir()
}

fn added_target() -> bool {
    find_program(&["rustup"]).is_some() && Call::new("rustup").words("target add").arg(TARGET).text().is_ok()
}

/// A compiler of Debian's that has the sources of its library beside it. The package `rustc-web` is called `rustc` once it is installed.
fn debian_compiler() -> Result<PathBuf, Failure> {
    let places = ["/usr/lib/rust-web/bin/rustc", "/usr/bin/rustc-web", "/usr/bin/rustc"].map(PathBuf::from);
    let found = places.into_iter().find(|place| place.is_file() && has_sources(place));
    found.ok_or_else(|| {
        Failure::environment("no compiler of Debian's is here that has the sources of its library beside it")
    })
}

fn has_sources(compiler: &Path) -> bool {
    let Ok(sysroot) = Call::new(compiler).words("--print sysroot").text() else { return false };
    Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std").is_dir()
}

/// Everything the module is made of, as one text.
fn sources() -> Result<String, Failure> {
    let mut files = vec![project::root().join("Cargo.lock"), project::root().join("Cargo.toml")];
    for krate in CRATES {
        files.push(project::root().join(krate).join("Cargo.toml"));
        rust_files(&project::root().join(krate).join("src"), &mut files)?;
    }
    files.sort();
    let texts: Result<Vec<String>, Failure> =
        files.iter().map(|file| fs::read_to_string(file).naming(&format!("read {}", file.display()))).collect();
    Ok(texts?.join("\n"))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> Done {
    for entry in fs::read_dir(folder).naming("list the sources of the quiz page's module")?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    Ok(())
}
