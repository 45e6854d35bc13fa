//! What some tests talk to: PostgreSQL and a bucket service. Where they cannot be had, those tests do less, and say so.

use crate::call::{Call, find_program};
use crate::failure::Done;
use crate::{project, setup};
use std::path::{Path, PathBuf};

/// The bucket service, from PyPI. Only tests use it.
const MOTO: &str = "moto[server]==5.2.5";
const POSTGRES_OF_DEBIAN: &str = "/usr/lib/postgresql";

/// Installs what is missing. Never fails: a test that has nobody to talk to is skipped, loudly.
pub fn install_missing() {
    say("PostgreSQL", has_postgres(), install_postgres);
    say("moto", moto().is_file(), install_moto);
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

fn moto() -> PathBuf {
    folder().join("bin/moto_server")
}

fn folder() -> PathBuf {
    project::root().join("target/services/moto")
}

/// Into a folder of its own. Debian's Python has no `venv` unless a package brings it.
fn install_moto() -> Done {
    let folder = folder();
    if make_environment(&folder).is_err() {
        setup::debian_package("pyvenv", "python3-venv")?;
        make_environment(&folder)?;
    }
    let pip = folder.join("bin/pip");
    Call::new(pip).words("install --quiet --disable-pip-version-check").arg(MOTO).text().map(|_| ())
}

fn make_environment(folder: &Path) -> Done {
    Call::new("python3").words("-m venv --clear").arg(folder).text().map(|_| ())
}
