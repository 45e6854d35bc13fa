use super::*;
use std::fs;

const PACKAGE: (&str, &str) = ("package.json", r#"{"scripts":{"start":"node ."}}"#);
const PAGE: (&str, &str) = ("index.html", "<h1>App</h1>");
const RECIPE: (&str, &str) = ("Dockerfile", "FROM node:22-alpine\nCOPY . .\n");
const FRONT: &str = "services:\n  app:\n    build: .\n    ports: ['4173']\n";

/// What starts a bundle with these files: `native`, `compose`, or why nothing does.
fn way(files: &[(&str, &str)], backend: Backend) -> Result<&'static str, DeployError> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let bundle = Bundle::open(folder.path(), folder.path()).unwrap();
    Way::of(&bundle, backend).map(|way| match way {
        Way::Native(_) => "native",
        Way::Compose(_) => "compose",
    })
}

#[test]
fn an_app_of_several_services_is_not_started_without_them() {
    let with = |start, compose: &str| {
        way(&[start, RECIPE, ("web/Dockerfile", RECIPE.1), ("compose.yaml", compose)], Backend::Auto)
    };
    let two = format!("{FRONT}  db:\n    image: postgres:16\n");
    let elsewhere = FRONT.replace("build: .", "build: ./web");
    let made_by_others = FRONT.replace("build: .", "image: node:22-alpine");
    let refused = format!("{FRONT}    privileged: true\n");
    assert_eq!(with(PACKAGE, FRONT).unwrap(), "native");
    for compose in [&two, &elsewhere, &made_by_others, &refused] {
        assert_eq!(with(PACKAGE, compose).unwrap(), "compose", "{compose}");
    }
    assert_eq!(with(PAGE, FRONT).unwrap(), "native");
    let unbuilt = [PAGE, ("package.json", "{}"), RECIPE, ("compose.yaml", FRONT)];
    assert_eq!(way(&unbuilt, Backend::Auto).unwrap(), "compose", "it may have to be built first");
    for start in [PACKAGE, PAGE] {
        assert_eq!(way(&[start], Backend::Auto).unwrap(), "native");
        assert_eq!(
            way(&[start, ("compose.yaml", two.as_str())], Backend::Native).unwrap(),
            "native",
            "who asks for it gets it"
        );
    }
}

#[test]
fn a_backend_that_does_not_fit_is_the_fault_of_whoever_asked_for_it() {
    let nothing_to_run = way(&[RECIPE, ("compose.yaml", FRONT)], Backend::Native).unwrap_err();
    let no_containers = way(&[PAGE], Backend::Compose).unwrap_err();
    for error in [nothing_to_run, no_containers] {
        assert!(error.is_bad_input() && !error.is_environment(), "{error}");
    }
}
