//! Whether an image does what is done without containers, and nothing else: the whole app is copied, its packages are installed, it is built
//! and its script starts it, or its files are served. Whatever else a recipe says would be missing there.

use super::dockerfile::instructions;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Variables that say where to listen, which each backend says in its own way.
const LISTENING: [&str; 2] = ["PORT", "HOST"];
/// Words that say so in a command.
const WHERE: [&str; 8] = ["--", "--host", "--hostname", "--port", "-H", "-p", "0.0.0.0", "::"];
/// What prepares a package, without options.
const PREPARATIONS: [&str; 13] = [
    "npm ci",
    "npm install",
    "npm i",
    "npm run build",
    "npm cache clean",
    "npm prune",
    "yarn install",
    "yarn build",
    "yarn run build",
    "pnpm install",
    "pnpm build",
    "pnpm run build",
    "corepack enable",
];
/// What serves the files of the folder it is started in, without options.
const FILE_SERVERS: [&str; 8] = [
    "serve",
    "npx serve",
    "http-server",
    "npx http-server",
    "python http.server",
    "python3 http.server",
    "nginx daemon off;",
    "httpd-foreground",
];
/// Images that serve files as they come.
const FILE_SERVER_IMAGES: [&str; 2] = ["nginx", "httpd"];

/// The recipe of an image, as far as it can be like what is done without one.
#[derive(Debug, Default)]
pub struct Recipe {
    image: String,
    folder: String,
    copies: Vec<Copied>,
    runs: Vec<String>,
    entrypoint: String,
    command: String,
}

/// What is copied where to.
#[derive(Debug)]
struct Copied {
    what: Vec<String>,
    to: String,
}

impl Recipe {
    /// Reads a recipe; none when it says something that nobody does without containers.
    pub fn read(text: &str) -> Option<Self> {
        let mut recipe = Self::default();
        for (_, line) in instructions(text) {
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            recipe.follow(&word.to_ascii_uppercase(), rest.trim())?;
        }
        Some(recipe)
    }

    fn follow(&mut self, word: &str, rest: &str) -> Option<()> {
        match word {
            "FROM" => {
                rest.split_whitespace().find(|word| !is_option(word))?.clone_into(&mut self.image);
                (self.entrypoint, self.command) = Default::default();
            }
            // What another stage of the recipe made was followed there.
            "COPY" if rest.split_whitespace().any(|word| word.starts_with("--from=")) => {}
            "COPY" => self.copies.push(Copied::of(&line(rest))?),
            "RUN" => self.runs.push(rest.to_owned()),
            "CMD" => self.command = line(rest),
            "ENTRYPOINT" => self.entrypoint = line(rest),
            // What moves about in the app starts a part of it.
            "WORKDIR" if self.folder.is_empty() || self.folder == rest => rest.clone_into(&mut self.folder),
            "ENV" if sets_where_to_listen(rest) => {}
            "EXPOSE" | "HEALTHCHECK" | "LABEL" | "STOPSIGNAL" | "USER" => {}
            comment if comment.starts_with('#') => {}
            _ => return None,
        }
        Some(())
    }

    /// Whether it prepares the package of a folder and starts it by a script of its manifest.
    pub fn runs_script(&self, root: &Path, script: &str) -> bool {
        let whole = |copied: &Copied| copied.takes(".") && [".", "./", &self.folder].contains(&copied.to.as_str());
        let started = self.started();
        let mut started: Vec<&str> = commands(&started).collect();
        self.copies.iter().any(whole)
            && self.copies.iter().all(|copied| whole(copied) || copied.keeps_names())
            && self.runs.iter().all(|run| commands(run).all(prepares))
            && started.pop().is_some_and(|last| starts(last, root, script))
            && started.into_iter().all(prepares)
    }

    /// Whether it serves the files of the app as they are.
    pub fn serves_files(&self) -> bool {
        let name = self.image.split([':', '@']).next().unwrap_or_default();
        let started = without_options(&self.started());
        self.copies.iter().any(|copied| copied.takes(".") || copied.takes("index.html"))
            && self.copies.iter().all(|copied| copied.takes(".") || copied.keeps_names())
            && self.runs.iter().all(|run| installs_file_server(run))
            && (FILE_SERVERS.contains(&started.as_str()) || (started.is_empty() && FILE_SERVER_IMAGES.contains(&name)))
    }

    fn started(&self) -> String {
        format!("{} {}", self.entrypoint, self.command).trim().to_owned()
    }
}

impl Copied {
    fn of(line: &str) -> Option<Self> {
        let words = line.split_whitespace().filter(|word| !is_option(word));
        let mut what: Vec<String> = words.map(str::to_owned).collect();
        let to = what.pop()?;
        Some(Self { what, to })
    }

    fn takes(&self, wanted: &str) -> bool {
        self.what.iter().any(|path| path.trim_end_matches('/') == wanted || path.strip_prefix("./") == Some(wanted))
    }

    /// Whether every file is called as it is in the app. One that is put in the place of another is not.
    fn keeps_names(&self) -> bool {
        let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
        self.to.ends_with(['.', '/']) || self.what.iter().all(|path| name(path) == name(&self.to))
    }
}

/// Whether variables of a recipe say only where to listen.
fn sets_where_to_listen(variables: &str) -> bool {
    let mut words = variables.split_whitespace();
    if variables.contains('=') {
        words.all(|word| is_where_to_listen(word.split('=').next().unwrap_or_default()))
    } else {
        words.next().is_some_and(is_where_to_listen)
    }
}

/// Whether a variable says where to listen.
pub fn is_where_to_listen(variable: &str) -> bool {
    LISTENING.contains(&variable)
}

/// A command as one line, however it is written.
fn line(written: &str) -> String {
    let words = serde_json::from_str::<Vec<String>>(written).map(|words| words.join(" "));
    let line = words.unwrap_or_else(|_| written.to_owned());
    let inner = ["sh -c ", "/bin/sh -c "].into_iter().find_map(|shell| line.strip_prefix(shell));
    inner.map_or_else(|| line.clone(), str::to_owned)
}

fn commands(line: &str) -> impl Iterator<Item = &str> {
    line.split("&&").map(str::trim)
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

fn without_options(command: &str) -> String {
    let words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let is_needed = |word: &&str| !is_option(word) && *word != "." && !says_where(word);
    words.filter(is_needed).collect::<Vec<_>>().join(" ")
}

fn without_where(command: &str) -> String {
    command.split_whitespace().filter(|word| !says_where(word)).collect::<Vec<_>>().join(" ")
}

fn says_where(word: &str) -> bool {
    let named = word.split('=').next().unwrap_or_default();
    WHERE.contains(&named) || word.bytes().all(|byte| byte.is_ascii_digit())
}

fn prepares(command: &str) -> bool {
    PREPARATIONS.contains(&without_options(command).as_str())
}

fn installs_file_server(command: &str) -> bool {
    let command = without_options(command);
    let installed = ["npm install ", "npm i "].into_iter().find_map(|install| command.strip_prefix(install));
    installed.is_some_and(|package| FILE_SERVERS.contains(&package))
}

/// Whether a command runs a script of a package, by its name or word for word.
fn starts(command: &str, root: &Path, script: &str) -> bool {
    let command = without_where(command.strip_prefix("exec ").unwrap_or(command));
    let by_name = ["npm", "pnpm", "yarn"]
        .into_iter()
        .any(|manager| command == format!("{manager} {script}") || command == format!("{manager} run {script}"));
    by_name || text_of(root, script).is_some_and(|text| command == without_where(&text))
}

fn text_of(root: &Path, script: &str) -> Option<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(root.join("package.json")).ok()?).ok()?;
    manifest["scripts"][script].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: &str = "FROM node:22-alpine\nWORKDIR /app\nCOPY package*.json ./\nRUN npm ci --omit=dev\nCOPY . .\nRUN npm run build\n\
                         ENV HOST=0.0.0.0 PORT=4173\nEXPOSE 4173\n";

    fn runs(recipe: &str, scripts: &str, script: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("package.json"), format!(r#"{{"scripts":{scripts}}}"#)).unwrap();
        Recipe::read(recipe).is_some_and(|recipe| recipe.runs_script(folder.path(), script))
    }

    #[test]
    fn a_script_is_run_however_that_is_written() {
        for command in [
            "CMD [\"npm\", \"start\"]",
            "CMD npm start",
            "cmd exec npm run start",
            "CMD [\"sh\", \"-c\", \"npm run build && exec npm start\"]",
            "ENTRYPOINT [\"npm\"]\nCMD [\"run\", \"start\"]",
            "CMD [\"yarn\", \"start\"]",
            "CMD [\"node\", \"server.js\"]",
            "CMD [\"npm\", \"start\", \"--\", \"--host\", \"0.0.0.0\", \"--port=4173\"]",
        ] {
            assert!(runs(&format!("{USUAL}{command}\n"), r#"{"start":"node server.js"}"#, "start"), "{command}");
        }
        let staged = format!(
            "{USUAL}CMD npm run other\nFROM node:22-alpine\nWORKDIR /app\nCOPY --from=0 /app/dist ./dist\nCMD npm run preview\n"
        );
        assert!(runs(&staged, r#"{"preview":"vite preview"}"#, "preview"));
    }

    #[test]
    fn something_else_is_started() {
        for command in [
            "",
            "CMD [\"node\", \"server.js\"]",
            "CMD node --env-file=.env.production server.js",
            "CMD npm run serve",
            "CMD node seed.js && npm run preview",
            "CMD PORT=1 SECRET=x npm run preview",
            "ENTRYPOINT [\"./start.sh\"]\nCMD [\"npm\", \"run\", \"preview\"]",
        ] {
            assert!(!runs(&format!("{USUAL}{command}\n"), r#"{"preview":"vite preview"}"#, "preview"), "{command}");
        }
    }

    #[test]
    fn what_a_recipe_does_besides_would_be_missing() {
        let started = format!("{USUAL}CMD npm start\n");
        assert!(runs(&started, "{}", "start"));
        for line in [
            "ENV JWT_SECRET=x",
            "ENV NODE_ENV production",
            "ENV PORT=4173 API=x",
            "ARG VITE_API=/api",
            "RUN node seed.js",
            "RUN npm ci && npx prisma generate",
            "RUN npm install express",
            "COPY .env.example .env",
            "COPY --chown=node .env.example /app/.env",
            "WORKDIR /app/server",
            "ADD data.tar.gz ./",
            "VOLUME /data",
        ] {
            let more = started.replace("EXPOSE", &format!("{line}\nEXPOSE"));
            assert!(!runs(&more, "{}", "start"), "{line}");
        }
        assert!(!runs(&started.replace("COPY . .", "COPY server ./"), "{}", "start"), "a part of the app");
    }

    #[test]
    fn files_are_served_where_that_is_plain() {
        let serves = |recipe: &str| Recipe::read(recipe).is_some_and(|recipe| recipe.serves_files());
        for recipe in [
            "FROM nginx:alpine\nCOPY . /usr/share/nginx/html\nEXPOSE 80\n",
            "FROM nginx\nCOPY index.html style.css /usr/share/nginx/html/\nCMD [\"nginx\", \"-g\", \"daemon off;\"]\n",
            "FROM node:22-alpine\nRUN npm install -g serve\nWORKDIR /app\nCOPY . .\nCMD [\"serve\", \"-s\", \".\", \"-l\", \"4173\"]\n",
            "FROM python:3-slim\nWORKDIR /app\nCOPY ./ ./\nCMD python -m http.server 4173 --bind 0.0.0.0\n",
        ] {
            assert!(serves(recipe), "{recipe}");
        }
        for recipe in [
            "FROM python:3-slim\nWORKDIR /app\nCOPY . .\nRUN pip install flask\nCMD [\"python\", \"app.py\"]\n",
            "FROM python:3-slim\nWORKDIR /app\nCOPY . .\nCMD [\"python\", \"app.py\"]\n",
            "FROM node:22-alpine\nCOPY . .\nCMD [\"node\", \"server.js\"]\n",
            "FROM node:22-alpine\nCOPY . .\nCMD npx serve dist\n",
            "FROM node:22-alpine\nCOPY . .\n",
            "FROM nginx\nCOPY dist /usr/share/nginx/html\n",
            "FROM nginx\nCOPY . /app\nRUN node make.js\n",
        ] {
            assert!(!serves(recipe), "{recipe}");
        }
    }
}
