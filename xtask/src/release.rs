//! `cargo xtask release`: one archive in which the program finds its instruments, and its checksum.

use crate::arguments::Arguments;
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::project::{self, Scratch};
use crate::setup;
use std::fs;
use std::path::Path;

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    setup::install_missing()?;
    println!("building benchwright in release mode, with everything");
    Call::cargo("build --release --package benchwright --features full").run()?;
    let name = format!("benchwright-{}-{}", project::version()?, target()?);
    let scratch = Scratch::new("release")?;
    lay_out(&scratch.path().join(&name))?;
    let dist = project::root().join("dist");
    fs::create_dir_all(&dist).naming("make dist/")?;
    let archive = format!("{name}.tar.gz");
    let pack =
        Call::new("tar").words("--owner=0 --group=0 -czf").arg(dist.join(&archive)).arg("-C").arg(scratch.path());
    pack.arg(&name).run()?;
    let sums = checksum(&archive, &dist)?;
    fs::write(dist.join("SHA256SUMS"), sums).naming("write dist/SHA256SUMS")?;
    prove(&dist.join(&archive), &name)?;
    let size = fs::metadata(dist.join(&archive)).naming("look at the archive")?.len();
    println!("release: dist/{archive} ({} MB) and dist/SHA256SUMS", size / 1_000_000);
    Ok(())
}

/// The target triple of this machine's compiler.
fn target() -> Result<String, Failure> {
    let said = Call::new("rustc").arg("-vV").text()?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::environment("rustc does not say which target it builds for"))
}

fn lay_out(folder: &Path) -> Done {
    let root = project::root();
    fs::create_dir_all(folder.join("bin")).naming("make the release folder")?;
    copy(&project::release_binary(), &folder.join("bin"))?;
    copy(&root.join("instruments"), folder)?;
    fs::remove_dir_all(folder.join("instruments/test")).naming("leave the instruments' tests out")?;
    // The quiz page's script; its weights are fetched where they are wanted.
    fs::create_dir_all(folder.join("site")).naming("make the folder of the quiz page")?;
    copy(&root.join("site/dist"), &folder.join("site"))?;
    for name in ["README.md", "LICENSE", "CHANGELOG.md", "METHODOLOGY.md", "SECURITY.md"] {
        copy(&root.join(name), folder)?;
    }
    // Both are true of this machine alone.
    for name in ["node_modules/.benchwright-stamp", "generated/compiler.snapshot"] {
        let _ = fs::remove_file(folder.join("instruments").join(name));
    }
    Ok(())
}

fn copy(from: &Path, into: &Path) -> Done {
    Call::new("cp").arg("-R").arg(from).arg(into).run()
}

/// A line as `sha256sum --check` reads it.
fn checksum(archive: &str, dist: &Path) -> Result<String, Failure> {
    if find_program(&["sha256sum"]).is_some() {
        return Call::new("sha256sum").arg(archive).dir(dist).text();
    }
    Call::new("shasum").words("-a 256").arg(archive).dir(dist).text()
}

/// Unpacks the archive elsewhere and asks the program there whether it finds everything.
fn prove(archive: &Path, name: &str) -> Done {
    let elsewhere = Scratch::new("unpacked")?;
    Call::new("tar").arg("-xzf").arg(archive).arg("-C").arg(elsewhere.path()).run()?;
    let program = elsewhere.path().join(name).join("bin/benchwright");
    Call::new(program).arg("doctor").dir(elsewhere.path()).run()
}
