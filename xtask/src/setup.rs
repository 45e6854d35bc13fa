//! `cargo xtask setup`: installs what is missing, and says what it found.

use crate::arguments::Arguments;
use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::{project, site, wasm};
use std::fs;
use std::path::{Path, PathBuf};

const OLDEST_NODE: u32 = 18;
const CHROMIUM_NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const CHROME_ON_MACOS: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

pub fn run(arguments: Arguments) -> Done {
    arguments.finish()?;
    install_missing()
}

/// Makes the machine ready; quick when there is nothing to do.
pub fn install_missing() -> Done {
    system_packages()?;
    instruments()?;
    site::install_missing()?;
    wasm::install_missing();
    Ok(())
}

/// The Chromium or Chrome that will be used.
pub fn chromium() -> Option<PathBuf> {
    find_program(&CHROMIUM_NAMES)
        .or_else(|| CHROME_ON_MACOS.iter().map(PathBuf::from).find(|program| program.is_file()))
}

/// The pinned Node inside the instruments.
pub fn pinned_node() -> Result<PathBuf, Failure> {
    let modules = project::root().join("instruments/node_modules");
    let (os, cpu) = (node_os(), node_cpu());
    [format!("node-{os}-{cpu}"), format!("node-bin-{os}-{cpu}")]
        .iter()
        .map(|package| modules.join(package).join("bin/node"))
        .find(|node| node.is_file())
        .ok_or_else(|| {
            Failure::environment(format!("the pinned Node for {os} on {cpu} is not installed; run `cargo xtask setup`"))
        })
}

fn node_os() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { "linux" }
}

fn node_cpu() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" }
}

/// A system package this project needs, and whether it is there.
struct Need {
    what: &'static str,
    found: Option<String>,
    packages: &'static [&'static str],
}

fn system_packages() -> Done {
    let needs = needs();
    for need in &needs {
        if let Some(found) = &need.found {
            println!("setup: found {found}");
        }
    }
    let missing: Vec<&Need> = needs.iter().filter(|need| need.found.is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<_> = missing.iter().flat_map(|need| need.packages).copied().collect();
    let names: Vec<_> = missing.iter().map(|need| need.what).collect();
    install(&names, &packages)?;
    match self::needs().iter().find(|need| need.found.is_none()) {
        None => Ok(()),
        Some(need) => Err(Failure::environment(format!("{} is still missing after the installation", need.what))),
    }
}

/// Makes sure of a program that only some commands need.
pub fn debian_package(program: &str, package: &str) -> Done {
    if find_program(&[program]).is_some() {
        return Ok(());
    }
    install(&[package], &[package])
}

pub fn install(names: &[&str], packages: &[&str]) -> Done {
    let Some(apt_get) = Privilege::to_install() else { return Err(explain_how(names, packages)) };
    println!("setup: installing {} with apt-get ({})", names.join(", "), packages.join(" "));
    apt_get.call().words("-qq update").text()?;
    // Hundreds of small packages come with npm; dpkg would otherwise wait for the disk after each. Nothing that is here may go for it.
    let install =
        apt_get.call().words("-qq install -y --no-remove --no-install-recommends -o Dpkg::Options::=--force-unsafe-io");
    install.words(&packages.join(" ")).text().map(|_| ())
}

fn needs() -> Vec<Need> {
    let mut needs = vec![
        Need {
            what: "Chromium",
            found: chromium().map(|program| version_line(&program)),
            packages: &["chromium", "fonts-liberation"],
        },
        Need { what: "Node with npm", found: usable_node(), packages: &["nodejs", "npm"] },
    ];
    if cfg!(target_os = "linux") {
        let found = find_program(&["bwrap"]).map(|program| version_line(&program));
        needs.push(Need { what: "bubblewrap", found, packages: &["bubblewrap"] });
    }
    needs
}

fn version_line(program: &Path) -> String {
    let answer = Call::new(program).arg("--version").text().unwrap_or_default();
    let line = answer.lines().next().unwrap_or_default().trim().to_owned();
    if line.is_empty() { program.file_name().unwrap_or_default().to_string_lossy().into_owned() } else { line }
}

/// Node with npm, when it is new enough to run npm for the instruments.
fn usable_node() -> Option<String> {
    let npm = find_program(&["npm"])?;
    let version = Call::new(find_program(&["node", "nodejs"])?).arg("--version").text().ok()?;
    let npm_version = npm_version(&npm);
    is_new_enough(&version).then(|| format!("Node {} with npm{npm_version}", version.trim()))
}

/// Read from npm's own manifest where it can be found: starting npm takes half a second.
fn npm_version(npm: &Path) -> String {
    let manifest = fs::canonicalize(npm).ok().and_then(|real| Some(real.parent()?.parent()?.join("package.json")));
    let version = manifest.and_then(|file| crate::json::Json::read(&file).ok()?.text("version").map(str::to_owned));
    version.map(|version| format!(" {version}")).unwrap_or_default()
}

fn is_new_enough(version: &str) -> bool {
    let major = version.trim().trim_start_matches('v').split('.').next().unwrap_or_default();
    major.parse::<u32>().is_ok_and(|major| major >= OLDEST_NODE)
}

/// How apt-get may be run here.
enum Privilege {
    Root,
    Sudo,
}

impl Privilege {
    fn to_install() -> Option<Self> {
        find_program(&["apt-get"])?;
        if Call::new("id").arg("-u").text().is_ok_and(|id| id.trim() == "0") {
            return Some(Self::Root);
        }
        // Without a terminal sudo must not ask for a password: it would wait for ever.
        find_program(&["sudo"]).map(|_| Self::Sudo)
    }

    fn call(&self) -> Call {
        match self {
            Self::Root => Call::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive"),
            Self::Sudo => Call::new("sudo").words("DEBIAN_FRONTEND=noninteractive apt-get"),
        }
    }
}

fn explain_how(names: &[&str], packages: &[&str]) -> Failure {
    let how = if find_program(&["apt-get"]).is_some() {
        format!("as root: apt-get update && apt-get install -y {}", packages.join(" "))
    } else if cfg!(target_os = "macos") {
        "with Homebrew: brew install node && brew install --cask google-chrome".to_owned()
    } else if find_program(&["dnf"]).is_some() {
        "as root: dnf install chromium nodejs npm bubblewrap liberation-fonts".to_owned()
    } else if find_program(&["pacman"]).is_some() {
        "as root: pacman -S chromium nodejs npm bubblewrap ttf-liberation".to_owned()
    } else {
        format!(
            "with your system's packages: Chromium or Chrome, Node {OLDEST_NODE} or newer with npm, bubblewrap, the Liberation fonts"
        )
    };
    Failure::environment(format!("{} missing here; install {how}\nThen run the same command again.", list_is(names)))
}

fn list_is(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

/// Installs the pinned npm packages when the lock file, or what is made from them, has changed since the last time.
fn instruments() -> Done {
    let folder = project::root().join("instruments");
    let stamp = folder.join("node_modules/.benchwright-stamp");
    let wanted = stamp_text(&folder)?;
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) && folder.join("generated").is_dir() {
        println!("setup: found the instruments as locked");
        return Ok(());
    }
    println!("setup: installing the instruments with npm ci");
    let node = find_program(&["node", "nodejs"]).ok_or_else(|| Failure::environment("Node is missing"))?;
    Call::new(node).arg("install.mjs").dir(&folder).run()?;
    fs::write(&stamp, wanted).naming("write the stamp of the instruments")
}

fn stamp_text(folder: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let names = ["package-lock.json", "pins.json", "install.mjs", "setup.mjs", "injected-engine.mjs", "warm.mjs"];
    for name in names.into_iter().chain(["source/snapshot.cjs"]) {
        text += &fs::read_to_string(folder.join(name)).naming(&format!("read instruments/{name}"))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_is_new_enough_from_18_on() {
        for (version, enough) in
            [("v18.20.4\n", true), ("v22.1.0", true), ("v16.9.1", false), ("", false), ("nonsense", false)]
        {
            assert_eq!(is_new_enough(version), enough, "{version}");
        }
    }

    #[test]
    fn what_is_missing_is_named_with_a_way_to_get_it() {
        let failure = explain_how(&["Chromium", "bubblewrap"], &["chromium", "bubblewrap"]);
        assert_eq!(failure.code, 3);
        assert!(failure.message.contains("Chromium, bubblewrap are missing here; install"), "{}", failure.message);
    }
}
