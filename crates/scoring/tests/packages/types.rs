//! Types are checked against what the clean install brought.

use crate::support::{APP, Yard};
use benchwright_domain::{BlobId, ScorerId};
use benchwright_fixtures::{Package, Registry};
use benchwright_sandbox::Manager;
use benchwright_scoring::conduct::gather;
use benchwright_scoring::evidence::{Absence, Evidence, EvidenceKind, Types};
use benchwright_scoring::gather::install::Installed;
use benchwright_scoring::gather::types::Checker;
use benchwright_scoring::plan::Plan;
use benchwright_scoring::record::{RecordError, Recorder};
use benchwright_scoring::request::{Access, Request};

const DECLARATIONS: &str = "import { Ring } from 'leaf';\n\
    export declare function grow(metres: number): { height: number; rings: Ring[] };\n";

/// Two mistakes that only the package's types show, one that anybody sees, and a parameter whose type comes from the package.
const CODE: &str = "import { grow } from 'trunk';\n\
    export const tree = grow('tall');\n\
    export const height: string = tree.height;\n\
    export const widths = tree.rings.map((ring) => ring.width);\n\
    export const own: number = 'seven';\n";

async fn check(yard: &Yard, installed: Option<&Installed>) -> Types {
    let mut checker = Checker::start(&yard.tree(), &yard.bench, &yard.scratch).await.unwrap();
    if installed.is_some() {
        checker.read_ahead().await;
    }
    checker.check(installed, &yard.bench).await.unwrap()
}

/// Code and line of every error, by code.
fn errors(types: &Types) -> Vec<(&str, u32)> {
    let mut found: Vec<_> =
        types.rules.iter().flat_map(|rule| rule.places.iter().map(|place| (rule.rule.as_str(), place.line))).collect();
    found.sort_unstable();
    found
}

fn typed_registry() -> Registry {
    let ring = "export interface Ring { width: number }\n";
    Registry::start([
        Package::new("trunk", "1.0.0").needs("leaf", "^1.0.0").file("package/index.d.ts", DECLARATIONS),
        Package::new("leaf", "1.0.1").file("package/index.d.ts", ring),
        Package::new("leaf", "2.0.0").file("package/index.d.ts", ring.replace("number", "string")),
    ])
    .unwrap()
}

/// Made by another Node or on another processor, as far as Node can tell.
#[tokio::test]
async fn a_snapshot_that_does_not_fit_costs_time_alone() {
    let registry = Registry::start([]).unwrap();
    let mut yard = Yard::new(&registry.url());
    yard.put("src/main.ts", CODE);
    let own = check(&yard, None).await;
    assert!(yard.bench.instruments.compiler.is_some(), "the set-up keeps one: run `cargo xtask setup`");
    let foreign = yard.base.path().join("foreign.snapshot");
    std::fs::write(&foreign, "made elsewhere").unwrap();
    yard.bench.instruments.compiler = Some(foreign);
    assert_eq!(check(&yard, None).await, own);
    assert_eq!(errors(&own), [("TS2322", 5)]);
}

/// Installs with a manager, and checks with and without what was installed.
async fn sees_installed_types(manager: Manager) {
    let registry = typed_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).put("src/main.ts", CODE).lock(manager).await;
    let (install, installed) = yard.install().await;
    assert!(installed.is_some(), "{install:?}");

    let with = check(&yard, installed.as_ref()).await;
    assert!(with.installed);
    assert_eq!(errors(&with), [("TS2322", 3), ("TS2322", 5), ("TS2345", 2)], "{with:?}");
    assert_eq!((with.missing_modules, with.left_out.len()), (0, 0), "{with:?}");

    let without = check(&yard, None).await;
    assert!(!without.installed);
    assert_eq!(errors(&without), [("TS2322", 5)], "{without:?}");
    assert_eq!((without.missing_modules, without.missing[0].module.as_str()), (1, "trunk"));
    assert!(
        without.left_out.contains_key("TS7006"),
        "the untyped parameter follows from the missing module: {without:?}"
    );
}

/// Keeps the names of what is recorded.
#[derive(Default)]
struct Names(Vec<String>);

impl Recorder for Names {
    fn blob(&mut self, _: &[u8]) -> Result<BlobId, RecordError> {
        Ok(BlobId(String::new()))
    }

    fn read(&self, _: &BlobId) -> Result<Vec<u8>, RecordError> {
        Err(RecordError("nothing is kept".to_owned()))
    }

    fn evidence(&mut self, kind: &str, _: u32, _: &[u8], _: f64) -> Result<(), RecordError> {
        self.0.push(kind.to_owned());
        Ok(())
    }

    fn absent(&mut self, kind: EvidenceKind, _: &Absence, _: f64) -> Result<(), RecordError> {
        self.0.push(format!("no {}", kind.key()));
        Ok(())
    }
}

#[tokio::test]
async fn a_run_that_was_cut_off_after_its_install_is_checked_with_packages_all_the_same() {
    let registry = typed_registry();
    let yard = Yard::new(&registry.url());
    yard.put("package.json", APP).put("src/main.ts", CODE).lock(Manager::Npm).await;
    for (only, is_installed) in [(vec![ScorerId::C2, ScorerId::C8], true), (vec![ScorerId::C2], false)] {
        let request = Request {
            source: Some(yard.source()),
            only: Some(only.into_iter().collect()),
            ..Request::new("http://127.0.0.1:9/".to_owned())
        };
        let mut settled = Plan::of(&request).evidence;
        settled.remove(&EvidenceKind::Types);
        let mut names = Names::default();
        let (access, before) = (Access::default(), Evidence::default());
        let gathering = gather(&request, &access, &yard.bench, before, &settled, &mut names, &|_| {});
        let found = Box::pin(gathering).await.unwrap();
        assert_eq!(found.types.value.unwrap().installed, is_installed);
        assert_eq!(names.0, ["types"], "what was settled is not recorded again");
    }
}

#[tokio::test]
async fn types_that_npm_installed_show_errors_nobody_sees_without_them() {
    sees_installed_types(Manager::Npm).await;
}

#[tokio::test]
async fn types_that_pnpm_installed_show_errors_nobody_sees_without_them() {
    sees_installed_types(Manager::Pnpm).await;
}

/// The root needs another `leaf` than the member does, so that packages lie in both places: npm puts the member's beside it and hoists the rest,
/// pnpm puts links there that lead into the root's.
async fn sees_types_in_both_places_of_a_workspace(manager: Manager) {
    let registry = typed_registry();
    let yard = Yard::new(&registry.url());
    yard.put(
        "package.json",
        r#"{"name":"all","version":"1.0.0","private":true,"workspaces":["apps/*"],"dependencies":{"leaf":"^2.0.0"}}"#,
    );
    yard.put("pnpm-workspace.yaml", "packages: [apps/*]\n");
    let member = r#"{"name":"web","version":"1.0.0","scripts":{"dev":"vite"},"dependencies":{"leaf":"^1.0.0","trunk":"^1.0.0"}}"#;
    yard.put("apps/web/package.json", member).lock(manager).await;
    let width = "import type { Ring } from 'leaf';\nexport const width: Ring['width'] = 7;\n";
    yard.put("apps/web/src/main.ts", CODE).put("apps/web/src/own.ts", width);
    yard.put("tools/check.ts", width.replace('7', "'wide'"));
    let (install, installed) = yard.install().await;
    assert_eq!((install.package.as_str(), install.root.as_str()), ("apps/web", "."));
    assert_eq!(installed.as_ref().map_or(0, |installed| installed.folders.len()), 2, "{install:?}");
    let types = check(&yard, installed.as_ref()).await;
    assert!(types.installed);
    assert_eq!(errors(&types), [("TS2322", 3), ("TS2322", 5), ("TS2345", 2)], "{types:?}");
    assert_eq!(types.missing_modules, 0, "{types:?}");
}

#[tokio::test]
async fn a_member_of_an_npm_workspace_keeps_its_own_packages_and_the_hoisted_ones() {
    sees_types_in_both_places_of_a_workspace(Manager::Npm).await;
}

#[tokio::test]
async fn links_of_a_member_of_a_pnpm_workspace_lead_to_the_packages_of_its_root() {
    sees_types_in_both_places_of_a_workspace(Manager::Pnpm).await;
}
