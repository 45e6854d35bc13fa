use crate::support::{APP, Yard, absence, class, instruments, small_packages, small_registry};
use benchwright_fixtures::{Package, Registry, refused_port};
use benchwright_sandbox::{Manager, RegistryAccess};
use benchwright_scoring::evidence::Absence;
use benchwright_scoring::evidence::install::FailureClass;
use std::path::{Path, PathBuf};

/// Installs from one manager's lockfile, twice: the second time nothing is downloaded.
async fn installs_and_stays_warm(manager: Manager) {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(manager).await;
    let before = registry.downloads();
    let (install, installed) = yard.install().await;
    assert_eq!(install.attempts.len(), 1);
    assert_eq!(install.attempts[0].failure, None);
    assert_eq!(install.attempts[0].manager, manager);
    let modules = installed.unwrap().checkout.join("node_modules");
    assert!(modules.join("trunk/index.js").is_file(), "{}", modules.display());
    assert_eq!(registry.downloads() - before, 2, "both tarballs were fetched");
    let (again, _) = yard.install().await;
    assert_eq!(again, install);
    assert_eq!(registry.downloads() - before, 2, "the second install fetched tarballs again");
}

#[tokio::test]
async fn npm_installs_from_its_lockfile_and_stays_warm() {
    installs_and_stays_warm(Manager::Npm).await;
}

#[tokio::test]
async fn pnpm_installs_from_its_lockfile_and_stays_warm() {
    installs_and_stays_warm(Manager::Pnpm).await;
}

#[tokio::test]
async fn classic_yarn_installs_from_its_lockfile_and_stays_warm() {
    installs_and_stays_warm(Manager::YarnClassic).await;
}

#[tokio::test]
async fn modern_yarn_installs_from_its_lockfile_and_stays_warm() {
    installs_and_stays_warm(Manager::YarnBerry).await;
}

#[tokio::test]
async fn an_earlier_number_of_modern_yarns_format_is_no_fault_and_an_older_format_gives_no_verdict() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::YarnBerry).await;
    let lock = std::fs::read_to_string(yard.source().join("yarn.lock")).unwrap();
    for (number, expected) in [(8, None), (6, Some(FailureClass::Unsupported))] {
        assert!(lock.contains("__metadata:\n  version: 10\n"), "the pinned Yarn has a new format: {lock}");
        yard.put("yarn.lock", lock.replacen("  version: 10\n", &format!("  version: {number}\n"), 1));
        let (install, _) = yard.install().await;
        assert_eq!(class(&install.attempts[0]), expected, "{install:?}");
    }
}

#[tokio::test]
async fn bun_installs_from_its_lockfile_and_stays_warm() {
    installs_and_stays_warm(Manager::Bun).await;
}

const OTHER_APP: &str = r#"{"name":"app","version":"1.0.0","dependencies":{"trunk":"^1.0.0","bough":"^1.0.0"}}"#;

/// A lockfile of an earlier `package.json` is told apart from one that cannot be read.
async fn tells_stale_from_damaged(manager: Manager, lockfile: &str) {
    let packages = small_packages().into_iter().chain([Package::new("bough", "1.0.0")]);
    let registry = Registry::start(packages).unwrap();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(manager).await;
    yard.put("package.json", OTHER_APP);
    let (install, installed) = yard.install().await;
    assert_eq!(class(&install.attempts[0]), Some(FailureClass::OutOfSync), "{install:?}");
    assert!(installed.is_none());
    let damage = match manager {
        Manager::YarnBerry => "__metadata:\n  version: 8\n\"trunk@npm:^1.0.0\":\n  version: [\n",
        _ => "{ \"this is\": not a lockfile <<<<<<< HEAD",
    };
    yard.put(lockfile, damage);
    let (install, _) = yard.install().await;
    assert_eq!(class(&install.attempts[0]), Some(FailureClass::Damaged), "{install:?}");
}

#[tokio::test]
async fn npm_tells_a_stale_lockfile_from_a_damaged_one() {
    tells_stale_from_damaged(Manager::Npm, "package-lock.json").await;
}

#[tokio::test]
async fn pnpm_tells_a_stale_lockfile_from_a_damaged_one() {
    tells_stale_from_damaged(Manager::Pnpm, "pnpm-lock.yaml").await;
}

#[tokio::test]
async fn classic_yarn_tells_a_stale_lockfile_from_a_damaged_one() {
    tells_stale_from_damaged(Manager::YarnClassic, "yarn.lock").await;
}

#[tokio::test]
async fn modern_yarn_tells_a_stale_lockfile_from_a_damaged_one() {
    tells_stale_from_damaged(Manager::YarnBerry, "yarn.lock").await;
}

#[tokio::test]
async fn bun_tells_a_stale_lockfile_from_a_damaged_one() {
    tells_stale_from_damaged(Manager::Bun, "bun.lock").await;
}

#[tokio::test]
async fn every_lockfile_is_tried_and_one_install_is_kept() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::Npm).await.lock(Manager::Bun).await;
    yard.put("pnpm-lock.yaml", "{{{");
    let (install, installed) = yard.install().await;
    let tried: Vec<_> = install.attempts.iter().map(|attempt| (attempt.lockfile.as_str(), class(attempt))).collect();
    let damaged = Some(FailureClass::Damaged);
    assert_eq!(tried, [("package-lock.json", None), ("pnpm-lock.yaml", damaged), ("bun.lock", None)], "{install:?}");
    assert!(installed.unwrap().checkout.join("node_modules").is_dir());
    let left = std::fs::read_dir(yard.scratch.path()).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("install-")).count();
    assert_eq!(left, 1, "installs that nobody needs are thrown away");
}

#[tokio::test]
async fn a_member_of_a_workspace_is_installed_from_the_workspaces_lockfile() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put(
        "package.json",
        r#"{"name":"all","private":true,"workspaces":["apps/*"],"dependencies":{"leaf":"^1.0.0"}}"#,
    );
    yard.lock(Manager::Npm).await.put("apps/web/package.json", APP.replace("\"app\"", "\"web\""));
    let (install, _) = yard.install().await;
    assert_eq!((install.package.as_str(), install.root.as_str()), ("apps/web", "."));
    assert_eq!(class(&install.attempts[0]), Some(FailureClass::OutOfSync), "the member came after the lockfile");
}

#[tokio::test]
async fn demands_on_versions_of_tools_do_not_fail_an_install() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).lock(Manager::Pnpm).await.lock(Manager::YarnClassic).await;
    let demands = r#","packageManager":"pnpm@9.0.0","engines":{"node":"99","pnpm":"1"}}"#;
    yard.put("package.json", APP.trim_end_matches('}').to_owned() + "}" + demands);
    let (install, _) = yard.install().await;
    assert!(install.attempts.iter().all(|attempt| attempt.failure.is_none()), "{install:?}");
}

#[tokio::test]
async fn without_a_package_or_dependencies_there_is_nothing_to_install() {
    let yard = Yard::new("http://127.0.0.1:9/");
    yard.put("index.html", "<p>hello</p>");
    assert!(matches!(absence(yard.try_install().await), Absence::NotAsked { .. }));
    yard.put("package.json", r#"{"name":"page"}"#);
    assert!(matches!(absence(yard.try_install().await), Absence::NotAsked { .. }));
    yard.put("package.json", APP);
    let (install, installed) = yard.install().await;
    assert_eq!((install.attempts.len(), install.dependencies), (0, 1));
    assert!(installed.is_none());
}

#[tokio::test]
async fn a_registry_that_is_not_there_is_not_the_apps_fault() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP);
    for manager in [Manager::Npm, Manager::Pnpm, Manager::Bun, Manager::YarnClassic] {
        yard.lock(manager).await;
    }
    let gone = RegistryAccess::at(&format!("http://127.0.0.1:{}/", refused_port().unwrap())).unwrap();
    let mut away = Yard::with_access(gone);
    for lockfile in ["package-lock.json", "pnpm-lock.yaml", "bun.lock", "yarn.lock"] {
        let text = std::fs::read_to_string(yard.source().join(lockfile)).unwrap();
        away.put(lockfile, text.replace(&registry.url(), &away.bench.registry.registry.clone()));
    }
    away.bench.registry.cache = None;
    away.put("package.json", APP);
    let (install, _) = away.install().await;
    let classes: Vec<_> = install.attempts.iter().map(class).collect();
    assert_eq!(classes, [Some(FailureClass::RegistryUnreachable); 4], "{install:?}");
}

/// The one test that leaves this machine: TLS, certificates and the tunnel are those of a user.
#[tokio::test]
async fn the_public_registry_is_reached_through_the_tunnel() {
    let certificates = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].iter().find_map(std::env::var_os);
    let certificates = certificates.map(PathBuf::from).filter(|path| Path::new(path).is_file());
    let yard = Yard::with_access(RegistryAccess { certificates, ..instruments().public_registry });
    yard.put("package.json", r#"{"name":"app","version":"1.0.0","dependencies":{"is-number":"6.0.0"}}"#);
    let lock = r#"{"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{
        "":{"name":"app","version":"1.0.0","dependencies":{"is-number":"6.0.0"}},
        "node_modules/is-number":{"version":"6.0.0"}}}"#;
    yard.put("package-lock.json", lock);
    let (install, installed) = yard.install().await;
    if class(&install.attempts[0]) == Some(FailureClass::RegistryUnreachable) {
        benchwright_fixtures::skip(&format!("the public registry cannot be reached from here: {install:?}"));
        return;
    }
    assert_eq!(install.attempts[0].failure, None, "{install:?}");
    assert!(installed.unwrap().checkout.join("node_modules/is-number/package.json").is_file());
}
