//! What some tests need: PostgreSQL, a bucket service, a program that asks APIs, one that watches what reaches the disk. Where they cannot be had, those tests do less, and say so.

use crate::call::{Call, find_program};
use crate::failure::Done;
use crate::{project, setup};
use std::path::{Path, PathBuf};

/// The bucket service, from PyPI. Only tests use it.
const MOTO: &str = "moto[server]==5.2.5";
/// Asks an API what its document allows; from PyPI, for tests.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const POSTGRES_OF_DEBIAN: &str = "/usr/lib/postgresql";

/// Installs what is missing. Never fails: a test that lacks something is skipped, loudly.
pub fn install_missing() {
    say("PostgreSQL", has_postgres(), install_postgres);
    say("strace", find_program(&["strace"]).is_some(), || setup::debian_package("strace", "strace"));
    say("moto", folder("moto").join("bin/moto_server").is_file(), || install_from_pypi("moto", MOTO));
    let schemathesis = folder("schemathesis").join("bin/schemathesis");
    say("schemathesis", schemathesis.is_file(), || install_from_pypi("schemathesis", SCHEMATHESIS));
}

fn say(what: &str, is_there: bool, install: fn() -> Done) {
    if is_there {
        println!("services: found {what}");
        return;
    }
    println!("services: installing {what}");
    match install() {
        Ok(()) => println!("services: installed {what}"),
        Err(failure) => {
            println!("services: SKIPPED {what}: tests against it will do nothing here ({})", failure.message);
        }
    }
}

fn has_postgres() -> bool {
    let versions = std::fs::read_dir(POSTGRES_OF_DEBIAN).into_iter().flatten().flatten();
    versions.map(|version| version.path().join("bin/initdb")).any(|program| program.is_file())
        || find_program(&["initdb"]).is_some()
}

fn install_postgres() -> Done {
    setup::debian_package("initdb", "postgresql")
}

fn folder(name: &str) -> PathBuf {
    project::root().join("target/services").join(name)
}

/// Into a folder of its own. Debian's Python has no `venv` unless a package brings it.
fn install_from_pypi(name: &str, package: &str) -> Done {
    let folder = folder(name);
    if make_environment(&folder).is_err() {
        setup::debian_package("pyvenv", "python3-venv")?;
        make_environment(&folder)?;
    }
    let pip = folder.join("bin/pip");
    Call::new(pip).words("install --quiet --disable-pip-version-check").arg(package).text().map(|_| ())
}

fn make_environment(folder: &Path) -> Done {
    Call::new("python3").words("-m venv --clear").arg(folder).text().map(|_| ())
}
