use super::*;
use serde_json::json;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const DOCKERFILE: &str = "FROM node:22-alpine\nCOPY . .\nCMD [\"npm\", \"start\"]\n";

/// What becomes of a compose file in an app with a few files.
fn planned(text: &str) -> Result<Plan, String> {
    planned_in(&app(), text)
}

fn app() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in [
        ("Dockerfile", DOCKERFILE),
        ("web/Dockerfile.front", DOCKERFILE),
        ("evil/Dockerfile", "FROM x\nADD http://169.254.169.254/ /x\n"),
        (".env", "NAME=Ada\nAPP_PUBLIC_PORT=8123\n"),
        ("keys.env", "KEY=abc$def\n"),
        ("data/seed.sql", "select 1;"),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn planned_in(folder: &TempDir, text: &str) -> Result<Plan, String> {
    fs::write(folder.path().join("compose.yaml"), text).unwrap();
    read(folder.path(), Path::new("compose.yaml")).map_err(|error| {
        assert!(!error.is_environment());
        error.to_string()
    })
}

/// A service that is fine, with one more line.
fn with(line: &str) -> String {
    format!("services:\n  app:\n    build: .\n    ports: [\"3000\"]\n    {line}\n")
}

#[test]
fn the_usual_file_is_understood() {
    let plan = planned(
        "version: '3.8'\n\
         services:\n\
         \x20 zeeter:\n\
         \x20   build: {context: ./web, dockerfile: Dockerfile.front, args: {MODE: live}}\n\
         \x20   ports: ['${APP_PUBLIC_PORT}:4173']\n\
         \x20   env_file: [keys.env]\n\
         \x20   environment: ['GREETING=Hello ${NAME}', DEBUG]\n\
         \x20   depends_on: {db: {condition: service_healthy}}\n\
         \x20   restart: unless-stopped\n\
         \x20 db:\n\
         \x20   image: postgres:16\n\
         \x20   environment: {POSTGRES_PASSWORD: secret, PORT: 5432}\n\
         \x20   expose: [5432]\n\
         \x20   volumes: ['./data:/docker-entrypoint-initdb.d:ro', 'state:/var/lib/postgresql/data', /scratch]\n\
         \x20   healthcheck: {test: [CMD, pg_isready], interval: 2s, retries: 5}\n\
         volumes:\n\
         \x20 state:\n",
    )
    .unwrap();
    let [front, database] = &plan.services[..] else { panic!("two services") };
    assert_eq!((plan.front, front.name.as_str(), &front.ports[..]), (0, "zeeter", &[4173][..]));
    let Source::Build { context, dockerfile, arguments, .. } = &front.source else { panic!("a build") };
    assert_eq!((context.as_path(), dockerfile.as_path()), (Path::new("web"), Path::new("web/Dockerfile.front")));
    assert_eq!(arguments, &[("MODE".to_owned(), "live".to_owned())]);
    let variables: Vec<_> = front.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(variables, [("GREETING", "Hello Ada"), ("KEY", "abc$def")]);
    assert_eq!(front.waits_for["db"], "service_healthy");
    assert_eq!(database.environment["PORT"], "5432");
    assert_eq!(database.mounts.len(), 3);
}

#[test]
fn what_reaches_out_of_the_app_is_refused_with_line_and_reason() {
    for (line, reason) in [
        ("privileged: true", "`privileged` is not allowed"),
        ("network_mode: host", "`network_mode` is not allowed"),
        ("pid: host", "`pid` is not allowed"),
        ("ipc: host", "`ipc` is not allowed"),
        ("devices: ['/dev/sda:/dev/sda']", "`devices` is not allowed"),
        ("cap_add: [SYS_ADMIN]", "`cap_add` is not allowed"),
        ("security_opt: ['seccomp:unconfined']", "`security_opt` is not allowed"),
        ("extends: {file: ../other.yml, service: x}", "`extends` is not allowed"),
        ("extra_hosts: ['host.docker.internal:host-gateway']", "`extra_hosts` is not allowed"),
        ("secrets: [key]", "`secrets` is not allowed"),
        ("volumes_from: [x]", "`volumes_from` is not allowed"),
        ("frobnicate: 1", "`frobnicate` is not understood"),
        ("volumes: ['/var/run/docker.sock:/var/run/docker.sock']", "socket of Docker"),
        ("volumes: ['/:/host']", "leads out of the app"),
        ("volumes: ['../..:/host']", "leads out of the app"),
        ("volumes: ['~/.ssh:/keys']", "leads out of the app"),
        ("volumes: ['./data/../../x:/keys']", "leads out of the app"),
        ("volumes: [{type: bind, source: /etc, target: /etc2}]", "leads out of the app"),
        ("volumes: [{type: npipe, source: x, target: /x}]", "type `npipe`"),
        ("volumes: [{type: bind, source: ., target: /x, bind: {propagation: shared}}]", "`bind` is not allowed here"),
        ("volumes: ['./data:/x:shared']", "mode `shared`"),
        ("volumes: ['other:/x']", "not declared"),
        ("volumes: ['./data:/x/../y']", "no place in a container"),
        ("env_file: ../secrets.env", "not in the app's folder"),
        ("env_file: /etc/passwd", "not in the app's folder"),
        ("env_file: missing.env", "is not there"),
        ("environment: {A: '${MISSING:?give one}'}", "`MISSING` has no value"),
        ("depends_on: {'../x': {condition: service_started}}", "no service to wait for"),
        ("healthcheck: {test: x, frob: 1}", "`frob` is not allowed here"),
    ] {
        let error = planned(&with(line)).unwrap_err();
        assert!(error.contains("compose.yaml:5:") && error.contains(reason), "{line}: {error}");
    }
}

#[test]
fn builds_stay_in_the_app() {
    for (build, reason) in [
        ("../other", "not in the app's folder"),
        ("/etc", "not in the app's folder"),
        ("https://github.com/a/b.git", "not in the app's folder"),
        ("nowhere", "is not there"),
        ("evil", "evil/Dockerfile:2: `ADD` takes files of the app only"),
        ("{context: web, dockerfile: ../../Dockerfile}", "not in the app's folder"),
        ("{context: ., network: host}", "`network` is not allowed here"),
        ("{context: ., privileged: true}", "`privileged` is not allowed here"),
        ("{context: ., ssh: [default]}", "`ssh` is not allowed here"),
        ("{context: ., additional_contexts: {x: /etc}}", "`additional_contexts` is not allowed here"),
    ] {
        let text = format!("services:\n  app:\n    ports: ['3000']\n    build: {build}\n");
        let error = planned(&text).unwrap_err();
        assert!(error.contains("compose.yaml:4:") && error.contains(reason), "{build}: {error}");
    }
}

#[test]
fn links_lead_nowhere_else_however_they_are_chained() {
    let (app, outside) = (app(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("x.env"), "A=1").unwrap();
    symlink(outside.path(), app.path().join("way-out")).unwrap();
    let deep = app.path().join("deep/a/b");
    fs::create_dir_all(&deep).unwrap();
    symlink("../../..", deep.join("up")).unwrap();
    let ups = "/..".repeat(app.path().components().count());
    symlink(format!("deep/a/b/up{ups}{}", outside.path().display()), app.path().join("chained")).unwrap();
    for line in [
        "volumes: ['./way-out:/x']",
        "env_file: way-out/x.env",
        "volumes: ['./chained:/x']",
        "volumes: ['./chained/not/there:/x']",
        "volumes: ['./way-out/not-there:/x']",
    ] {
        let error = planned_in(&app, &with(line)).unwrap_err();
        assert!(error.contains("leads out of the app"), "{line}: {error}");
    }
    symlink("gone", app.path().join("dangling")).unwrap();
    assert!(planned_in(&app, &with("volumes: ['./dangling/x:/x']")).unwrap_err().contains("is not there"));
    let plan = planned_in(&app, &with("volumes: ['./data/not/there:/x']")).unwrap();
    assert_eq!(plan.services[0].mounts[0].source(), Some(Path::new("data/not/there")));
}

#[test]
fn values_come_from_files_of_the_app_and_not_from_where_links_lead() {
    let (app, outside) = (app(), tempfile::tempdir().unwrap());
    let keys = outside.path().join("credentials");
    fs::write(&keys, "KEY=of-the-machine\n").unwrap();
    let told = |app: &TempDir| {
        planned_in(app, &with("environment: {KEY: '${KEY:-none}'}")).unwrap().services[0].environment["KEY"].clone()
    };
    fs::write(app.path().join(".env"), "KEY=of-the-app\n").unwrap();
    assert_eq!(told(&app), "of-the-app");
    fs::remove_file(app.path().join(".env")).unwrap();
    symlink(&keys, app.path().join(".env")).unwrap();
    assert_eq!(told(&app), "none");
    symlink("keys.env", app.path().join("linked.env")).unwrap();
    assert!(planned_in(&app, &with("env_file: linked.env")).unwrap_err().contains("cannot be read"));
    fs::remove_file(app.path().join("Dockerfile")).unwrap();
    symlink("web/Dockerfile.front", app.path().join("Dockerfile")).unwrap();
    assert!(planned_in(&app, &with("")).unwrap_err().contains("`Dockerfile` cannot be read"));
}

#[tokio::test]
async fn a_copy_of_a_bundle_has_none_of_its_links() {
    let (app, base) = (app(), tempfile::tempdir().unwrap());
    symlink("data", app.path().join("same")).unwrap();
    symlink("/etc", app.path().join("etc")).unwrap();
    let copy = base.path().join("copy");
    copy_tree(app.path(), &copy).await.unwrap();
    assert!(copy.join("data/seed.sql").is_file());
    assert!(!copy.join("same").is_symlink() && !copy.join("etc").is_symlink());
}

#[test]
fn what_a_service_may_replace_is_not_what_another_one_mounts() {
    let copies = |first: &str, second: &str| {
        let text = format!(
            "services:\n  web:\n    build: .\n    ports: ['80']\n    volumes: {first}\n  db:\n    image: postgres:16\n    volumes: {second}\n"
        );
        planned(&text).unwrap().sources().map(|(copy, _)| copy).collect::<Vec<_>>()
    };
    assert_eq!(copies("['.:/app']", "['./data:/data']"), [0, 1]);
    assert_eq!(copies("['.:/app:ro']", "['./data:/data']"), [0, 0], "who only reads replaces nothing");
    assert_eq!(copies("['./data:/app']", "['./data:/data']"), [0, 0], "a mount itself cannot be replaced from within");
    assert_eq!(copies("['.:/app', './data:/app/data']", "['./data/x:/data']"), [0, 1, 2]);
    assert_eq!(copies("['.:/app', './data:/app/data']", "[/scratch]"), [0, 0], "nobody else mounts anything");
}

#[test]
fn images_that_an_app_is_built_on_are_known_before_it_is_built() {
    let app = app();
    let recipe = "ARG NODE=20\nFROM node:${NODE}-alpine AS made\nFROM nginx:1\nCOPY --from=made /x /x\n";
    fs::write(app.path().join("Dockerfile"), recipe).unwrap();
    let bases = |build: &str| {
        let text = format!("services:\n  app:\n    ports: ['80']\n    build: {build}\n");
        match &planned_in(&app, &text).unwrap().services[0].source {
            Source::Build { bases, .. } => bases.clone(),
            other @ Source::Image(_) => panic!("{other:?}"),
        }
    };
    assert_eq!(bases("."), ["nginx:1", "node:20-alpine"]);
    assert_eq!(bases("{context: ., target: made, args: {NODE: 22}}"), ["node:22-alpine"]);
}

#[test]
fn the_file_as_a_whole_is_refused_where_it_must_be() {
    for (text, reason) in [
        ("services: {}\n", "1 to 6 services"),
        ("services:\n  app: {image: x}\n", "no service has `ports`"),
        ("services:\n  app: {ports: ['80/udp'], image: x}\n", "no TCP port"),
        ("services:\n  app: {ports: ['80']}\n", "an `image` or a `build`"),
        ("services:\n  app: {ports: ['80'], image: '-v /:/x'}\n", "no name of an image"),
        ("include: [../x.yaml]\nservices: {}\n", "`include` is not allowed"),
        (
            "services:\n  app: {ports: ['80'], image: x}\nvolumes: {a: {driver_opts: {device: /etc}}}\n",
            "`driver_opts` is not allowed",
        ),
        ("services:\n  app: {ports: ['80'], image: x}\nnetworks: {a: {external: true}}\n", "`external` is not allowed"),
        ("services:\n  app: {ports: ['x'], image: x}\n", "no port"),
        ("services:\n  'a b': {ports: ['80'], image: x}\n", "short name"),
        ("services: [\n", "compose.yaml:"),
    ] {
        let error = planned(text).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn what_several_services_have_in_common_is_taken_over() {
    let shared = |common: &str| {
        planned(&format!(
            "x-app: &app {{{common}}}\nservices:\n  web:\n    <<: *app\n    ports: ['80']\n  job:\n    <<: *app\n    command: node job.js\n"
        ))
    };
    let plan = shared("build: ., environment: {NAME: it}, command: node web.js").unwrap();
    let commands: Vec<_> = plan.services.iter().map(|service| service.command.clone().unwrap()).collect();
    assert_eq!(commands, [json!("node web.js"), json!("node job.js")], "a key of one's own goes before");
    assert!(plan.services.iter().all(|service| service.environment["NAME"] == "it"));
    let error = shared("build: ., privileged: true").unwrap_err();
    assert!(error.contains("`privileged` is not allowed"), "{error}");
}

#[test]
fn what_changes_nothing_is_accepted() {
    let around =
        |text: &str| planned(&format!("services:\n  app: {{ports: ['80'], image: x, volumes: ['a:/a']}}\n{text}"));
    for harmless in [
        "volumes: {a: {driver: local}}",
        "volumes: {a: }\nnetworks: {front: {driver: bridge, name: f}, back: }",
        "volumes: {a: {name: kept}}\nnetworks: ",
        "volumes: {a: }\nx-common: &common {LOG: info}\nx-note: [1, 2]",
    ] {
        assert!(around(harmless).is_ok(), "{harmless}: {:?}", around(harmless));
    }
    for line in ["shm_size: 256m", "mem_reservation: 128m"] {
        assert!(planned(&with(line)).is_ok(), "{line}");
    }
    for (refused, place, reason) in [
        ("volumes: {a: {driver: nfs}}", "3:", "`driver` is not allowed: volumes and networks are the app's own"),
        ("volumes: {a: }\nnetworks: {n: {driver: host}}", "4:", "`driver` is not allowed"),
        ("volumes: {a: }\nnetworks: {n: {driver: local}}", "4:", "`driver` is not allowed"),
        ("volumes: {a: {driver: local, driver_opts: {o: bind}}}", "3:", "`driver_opts` is not allowed"),
        ("volumes: {a: }\nxcommon: {}", "4:1:", "`xcommon` is not understood"),
        ("volumes: {a: }\nsecrets: {k: {file: ../key}}", "4:1:", "`secrets` is not allowed"),
    ] {
        let error = around(refused).unwrap_err();
        assert!(error.contains(&format!("compose.yaml:{place}")) && error.contains(reason), "{refused}: {error}");
    }
    assert!(planned("volumes: {}\n").unwrap_err().contains("services"));
}

#[test]
fn what_is_run_has_our_limits_and_no_variable_is_left_to_fill_in() {
    let plan = planned(&with(
        "volumes: ['./data:/data', '/cache']\n    environment: {PRICE: '$$5 ${NAME}'}\n    privileged_: 1",
    ));
    assert!(plan.unwrap_err().contains("`privileged_`"));
    let plan = planned(&with("volumes: ['./data:/data', '/cache']\n    environment: {PRICE: '$$5 ${NAME}'}")).unwrap();
    let allowance = Allowance::default();
    let text = render::render(
        &plan,
        &|service| format!("ours-{service}"),
        &|source| Path::new("/tmp/instance/app").join(source),
        &allowance,
    );
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let app = &file["services"]["app"];
    assert_eq!(app["image"], "ours-app");
    assert_eq!(app["environment"]["PRICE"], "$$5 Ada");
    assert_eq!(app["volumes"][0]["source"], "/tmp/instance/app/data");
    assert_eq!((&app["cpus"], &app["ulimits"]["fsize"]), (&json!(allowance.cpus), &json!(allowance.disk_bytes)));
    assert_eq!((&app["mem_limit"], &app["memswap_limit"]), (&json!(allowance.memory_bytes), &app["mem_limit"]));
    let log_file: usize = app["logging"]["options"]["max-size"].as_str().unwrap().parse().unwrap();
    assert!(log_file >= 4 * allowance.log_bytes && app["logging"]["options"]["max-file"] == "2");
    assert_eq!(app["pids_limit"], allowance.processes);
    assert_eq!(file["networks"]["default"]["internal"], true);
    for key in ["build", "ports", "privileged", "network_mode"] {
        assert!(app.get(key).is_none(), "{key}");
    }
}
