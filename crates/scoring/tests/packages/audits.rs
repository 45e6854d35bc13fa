use crate::support::{APP, Yard, absence, small_packages, small_registry};
use benchwright_fixtures::{Advisory, Package, Registry, refused_port};
use benchwright_sandbox::Manager;
use benchwright_scoring::evidence::Absence;
use benchwright_scoring::evidence::audit::{AuditedLockfile, Remedy};
use benchwright_scoring::gather::audit;

fn leaky_registry() -> Registry {
    let newer = Package::new("leaf", "1.0.2");
    let packages = small_packages().into_iter().chain([newer, Package::new("tool", "1.0.0")]);
    Registry::with_advisories(
        packages,
        [
            Advisory::new("leaf", "high", "<=1.0.1", "Leaves fall on passers-by"),
            Advisory::new("tool", "critical", "*", "Tools cut"),
        ],
    )
    .unwrap()
}

#[tokio::test]
async fn a_committed_lockfile_is_audited_without_what_is_only_for_development() {
    let quiet = small_registry();
    let yard = Yard::new(&quiet.url());
    yard.put("package.json", APP).lock(Manager::Npm).await;
    let lock = std::fs::read_to_string(yard.source().join("package-lock.json")).unwrap();
    let registry = leaky_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).put("package-lock.json", lock.replace(&quiet.url(), &registry.url()));
    let audit = audit::run(&yard.tree(), &yard.bench, &yard.scratch).await.unwrap();
    assert_eq!(audit.lockfile, AuditedLockfile::Committed { name: "package-lock.json".to_owned() });
    assert_eq!((audit.counts.high, audit.counts.critical), (1, 0), "{audit:?}");
    let leaf = audit.vulnerable.iter().find(|vulnerable| vulnerable.name == "leaf").unwrap();
    assert_eq!((leaf.path.as_slice(), &leaf.remedy), (&["trunk".to_owned(), "leaf".to_owned()][..], &Remedy::Update));
    assert_eq!(leaf.via, ["Leaves fall on passers-by"]);
    assert_eq!(audit.date.len(), 10);
}

#[tokio::test]
async fn without_a_lockfile_of_npms_one_is_generated_and_says_what_was_left_out() {
    let registry = leaky_registry();
    let yard = Yard::new(&registry.url());
    let app = r#"{"name":"app","version":"1.0.0","dependencies":{"trunk":"^1.0.0","mine":"workspace:*"},"devDependencies":{"tool":"1.0.0"}}"#;
    yard.put("package.json", app).put("bun.lockb", "x");
    let audit = audit::run(&yard.tree(), &yard.bench, &yard.scratch).await.unwrap();
    let left_out = vec!["mine@workspace:*".to_owned()];
    assert_eq!(audit.lockfile, AuditedLockfile::Generated { legacy_peer_deps: false, left_out });
    assert_eq!((audit.counts.high, audit.counts.critical), (0, 0), "npm chose the mended version: {audit:?}");
    assert_eq!(audit.production_packages, 3);
}

#[tokio::test]
async fn a_registry_without_advisories_is_no_input() {
    let registry = small_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP);
    let absence = absence(audit::run(&yard.tree(), &yard.bench, &yard.scratch).await);
    assert!(matches!(&absence, Absence::NoInput { reason } if reason.contains("405")), "{absence:?}");
}

#[tokio::test]
async fn a_registry_that_is_not_there_is_no_input_either() {
    let yard = Yard::new(&format!("http://127.0.0.1:{}/", refused_port().unwrap()));
    yard.put("package.json", APP);
    let absence = absence(audit::run(&yard.tree(), &yard.bench, &yard.scratch).await);
    assert!(matches!(&absence, Absence::NoInput { reason } if reason.contains("reached")), "{absence:?}");
}

#[tokio::test]
async fn nobody_is_asked_where_there_is_nothing_to_ask() {
    let yard = Yard::new("http://127.0.0.1:9/");
    let none = absence(audit::run(&yard.tree(), &yard.bench, &yard.scratch).await);
    assert!(matches!(none, Absence::NotAsked { .. }));
    yard.put("package.json", r#"{"name":"app","devDependencies":{"tool":"1"}}"#);
    let audit = audit::run(&yard.tree(), &yard.bench, &yard.scratch).await.unwrap();
    assert_eq!((audit.lockfile, audit.counts.high), (AuditedLockfile::NothingToAudit, 0));
}
