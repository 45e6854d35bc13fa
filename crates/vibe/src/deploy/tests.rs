use super::*;
use benchwright_sandbox::containers::ContainerError;
use std::fs;

const PACKAGE: (&str, &str) = ("package.json", r#"{"scripts":{"start":"node ."}}"#);
const PAGE: (&str, &str) = ("index.html", "<h1>App</h1>");
const RECIPE: (&str, &str) = ("Dockerfile", "FROM node:22-alpine\nWORKDIR /app\nCOPY . .\nCMD [\"npm\", \"start\"]\n");
const FILES: (&str, &str) = ("Dockerfile", "FROM nginx:alpine\nCOPY . /usr/share/nginx/html\n");
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
        Way::Native(..) => "native",
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
    let files = [PAGE, FILES, ("compose.yaml", FRONT)];
    assert_eq!(way(&files, Backend::Auto).unwrap(), "compose", "its server knows what to do with other addresses");
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
fn an_app_is_not_started_without_what_its_compose_file_tells_it() {
    let with = |line: &str| {
        let compose = format!("{FRONT}    {line}\nvolumes:\n  kept:\n");
        way(&[PACKAGE, RECIPE, (".env", "KEY=x\n"), ("compose.yaml", &compose)], Backend::Auto).unwrap()
    };
    for harmless in ["restart: always", "environment: {PORT: 4173, HOST: 0.0.0.0}", "command:"] {
        assert_eq!(with(harmless), "native", "{harmless}");
    }
    for told in [
        "environment: [JWT_SECRET=x]",
        "env_file: .env",
        "command: node worker.js",
        "entrypoint: ['./start.sh']",
        "working_dir: /app/server",
        "user: node",
        "volumes: ['kept:/app/data']",
        "volumes: ['./data:/data']",
    ] {
        assert_eq!(with(told), "compose", "{told}");
    }
    let build = FRONT.replace("build: .", "build: {context: ., args: {VITE_API: /api}}");
    assert_eq!(way(&[PACKAGE, RECIPE, ("compose.yaml", &build)], Backend::Auto).unwrap(), "compose");
}

#[test]
fn a_server_that_only_the_recipe_starts_is_not_left_out() {
    let recipe = "FROM node:22-alpine\nWORKDIR /app\nCOPY . .\nRUN npm install\nRUN npm run build\nCMD [\"node\", \"server.js\"]\n";
    let vite = ("package.json", r#"{"scripts":{"build":"vite build","preview":"vite preview"}}"#);
    let api = [PAGE, vite, ("server.js", ""), ("Dockerfile", recipe), ("compose.yaml", FRONT)];
    assert_eq!(way(&api, Backend::Auto).unwrap(), "compose");
    let recipe = "FROM python:3-slim\nWORKDIR /app\nCOPY . .\nCMD [\"python\", \"app.py\"]\n";
    let flask = [PAGE, ("app.py", ""), ("Dockerfile", recipe), ("compose.yaml", FRONT)];
    assert_eq!(way(&flask, Backend::Auto).unwrap(), "compose");
    assert_eq!(way(&flask, Backend::Native).unwrap(), "native", "who asks for it gets it");
}

#[test]
fn references_of_tasks_need_no_containers() {
    for app in benchwright_fixtures::TaskApp::all().unwrap() {
        let reference = app.reference().unwrap();
        let bundle = Bundle::open(reference.folder(), reference.folder()).unwrap();
        assert!(matches!(Way::of(&bundle, Backend::Auto), Ok(Way::Native(..))), "{}", app.task());
    }
}

#[test]
fn without_docker_a_way_out_is_named_where_there_is_one() {
    let missing = || DeployError::Containers(ContainerError::NoDocker { said: "no Docker".to_owned() });
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("compose.yaml"), FRONT).unwrap();
    let open = || Bundle::open(folder.path(), folder.path()).unwrap();
    let bare = missing().with_way_out(&open());
    fs::write(folder.path().join(PAGE.0), PAGE.1).unwrap();
    let error = missing().with_way_out(&open());
    for error in [&bare, &error] {
        assert!(error.lacks_containers() && error.is_environment() && error.to_string().contains("install Docker"));
    }
    assert!(
        error.to_string().contains("`--backend native`") && !bare.to_string().contains("native"),
        "{error} / {bare}"
    );
}

#[test]
fn a_backend_that_does_not_fit_is_the_fault_of_whoever_asked_for_it() {
    let nothing_to_run = way(&[RECIPE, ("compose.yaml", FRONT)], Backend::Native).unwrap_err();
    let no_containers = way(&[PAGE], Backend::Compose).unwrap_err();
    for error in [nothing_to_run, no_containers] {
        assert!(error.is_bad_input() && !error.is_environment(), "{error}");
    }
}
