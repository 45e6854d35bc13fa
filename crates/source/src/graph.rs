//! Who runs which file, told by imports from the entries of bundlers and servers, not by the names of folders.

use crate::file::Language;
use crate::findings::Side;
use crate::script::Facts;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A file as the graph sees it.
#[derive(Debug, Default)]
pub struct Node {
    /// How it is read.
    pub language: Option<Language>,
    /// What its scripts say.
    pub facts: Facts,
    /// Scripts a page loads, as written.
    pub sources: Vec<String>,
    /// Components of it that also run in the browser.
    pub hydrates: bool,
}

/// A `package.json`.
#[derive(Debug, Default)]
pub struct Package {
    folder: String,
    name: String,
    dependencies: BTreeSet<String>,
    starts: Vec<String>,
}

/// `@/…` and its kind.
#[derive(Debug)]
pub struct Alias {
    folder: String,
    prefix: String,
    target: String,
}

/// Everything the sides follow from.
#[derive(Debug, Default)]
pub struct Project {
    /// By relative name.
    pub nodes: BTreeMap<String, Node>,
    /// All packages of the tree.
    pub packages: Vec<Package>,
    /// All aliases of the tree.
    pub aliases: Vec<Alias>,
}

/// The sides of all files.
#[derive(Debug, Default)]
pub struct Sides {
    sides: BTreeMap<String, Side>,
    /// Some entry was found, of either side.
    pub entries_known: bool,
}

impl Sides {
    /// Who runs a file.
    pub fn of(&self, name: &str) -> Side {
        self.sides.get(name).copied().unwrap_or(Side::Neither)
    }
}

const EXTENSIONS: [&str; 11] = ["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro"];

/// Reads a `package.json`.
pub fn package(name: &str, text: &str) -> Option<Package> {
    let folder = folder_of(name).to_owned();
    let json: Value = serde_json::from_str(text).ok()?;
    let keys =
        |field: &str| json[field].as_object().into_iter().flat_map(|map| map.keys().cloned()).collect::<Vec<_>>();
    let mut starts: Vec<String> = json["main"].as_str().map(str::to_owned).into_iter().collect();
    for (script, command) in json["scripts"].as_object().into_iter().flatten() {
        let base = script.split(':').next().unwrap_or(script);
        if ["start", "dev", "serve", "server", "api", "backend"].contains(&base) {
            starts.extend(
                command
                    .as_str()
                    .unwrap_or_default()
                    .split_whitespace()
                    .filter(|word| is_script_name(word))
                    .map(str::to_owned),
            );
        }
    }
    Some(Package {
        name: json["name"].as_str().unwrap_or_default().to_owned(),
        dependencies: keys("dependencies").into_iter().chain(keys("devDependencies")).collect(),
        starts,
        folder,
    })
}

/// Reads the aliases of a `tsconfig` or `jsconfig`, comments and trailing commas allowed.
pub fn aliases(name: &str, text: &str) -> Vec<Alias> {
    let folder = folder_of(name);
    let Ok(json) = serde_json::from_str::<Value>(&plain_json(text)) else { return Vec::new() };
    let options = &json["compilerOptions"];
    let base = options["baseUrl"].as_str().unwrap_or(".");
    let mut found = Vec::new();
    for (pattern, targets) in options["paths"].as_object().into_iter().flatten() {
        let target = targets.as_array().and_then(|targets| targets.first()).and_then(Value::as_str);
        if let Some(target) = target {
            let target = join(&join(folder, base), target.trim_end_matches('*'));
            found.push(Alias { folder: folder.to_owned(), prefix: pattern.trim_end_matches('*').to_owned(), target });
        }
    }
    found
}

/// JSON without comments and trailing commas.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match (in_string, c, chars.peek()) {
            (true, '\\', _) => {
                plain.push(c);
                plain.extend(chars.next());
            }
            (_, '"', _) => {
                in_string = !in_string;
                plain.push(c);
            }
            (false, '/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            (false, '/', Some('*')) => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            (false, '}' | ']', _) => {
                let kept = plain.trim_end().trim_end_matches(',').len();
                plain.truncate(kept);
                plain.push(c);
            }
            _ => plain.push(c),
        }
    }
    plain
}

impl Project {
    /// Whether any package or script of the tree uses a service of that prefix.
    pub fn depends_on(&self, prefix: &str) -> bool {
        self.packages.iter().any(|package| package.dependencies.iter().any(|one| one.starts_with(prefix)))
            || self.nodes.values().any(|node| node.facts.imports.iter().any(|one| one.specifier.contains(prefix)))
    }

    /// Walks from all entries.
    pub fn sides(&self) -> Sides {
        let (mut client, server) = self.entries();
        let entries_known = !client.is_empty() || !server.is_empty();
        // A server component hands over to the browser where a module says `'use client'`.
        client.extend(self.nodes.iter().filter(|(_, node)| node.facts.use_client).map(|(name, _)| name.clone()));
        let in_client = self.reach(&client, true);
        let in_server = self.reach(&server, false);
        let mut sides = BTreeMap::new();
        sides.extend(in_server.into_iter().map(|name| (name, Side::Server)));
        sides.extend(in_client.into_iter().map(|name| (name, Side::Client)));
        Sides { sides, entries_known }
    }

    fn reach(&self, entries: &BTreeSet<String>, client: bool) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut todo: Vec<String> = entries.iter().cloned().collect();
        while let Some(name) = todo.pop() {
            let Some(node) = self.nodes.get(&name) else { continue };
            let stays_on_server = node.facts.use_server || name.contains(".server.");
            if client && stays_on_server && !entries.contains(&name) || !reached.insert(name.clone()) {
                continue;
            }
            let framework = self.keeps_server_functions(&name);
            for import in &node.facts.imports {
                if client && framework && import.only_on_server {
                    continue;
                }
                todo.extend(self.resolve(&name, &import.specifier));
            }
        }
        reached
    }

    /// Whether the file belongs to a framework that takes certain exports out of the bundle.
    pub fn keeps_server_functions(&self, name: &str) -> bool {
        self.package_of(name).is_some_and(|package| {
            package.dependencies.iter().any(|one| {
                one == "next" || one.starts_with("@remix-run/") || one == "@react-router/node" || one == "gatsby"
            })
        })
    }

    fn package_of(&self, name: &str) -> Option<&Package> {
        self.packages
            .iter()
            .filter(|package| is_within(name, &package.folder))
            .max_by_key(|package| package.folder.len())
    }

    fn entries(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let mut client = BTreeSet::new();
        let mut server = BTreeSet::new();
        for (name, node) in &self.nodes {
            for source in &node.sources {
                client.extend(self.resolve_source(name, source));
            }
            if node.language == Some(Language::Markup) {
                client.insert(name.clone());
            }
            if node.hydrates {
                let parts = node.facts.imports.iter().filter_map(|import| self.resolve(name, &import.specifier));
                client.extend(parts.filter(|part| extension_of(part) != "astro"));
            }
            match self.by_convention(name, node) {
                Some(Side::Client) => drop(client.insert(name.clone())),
                Some(Side::Server) => drop(server.insert(name.clone())),
                _ if node.facts.starts_client => drop(client.insert(name.clone())),
                _ if node.facts.starts_server => drop(server.insert(name.clone())),
                _ => {}
            }
        }
        for package in &self.packages {
            let started = package.starts.iter().filter_map(|start| self.find(&join(&package.folder, start)));
            server.extend(started.filter(|name| !client.contains(name)));
        }
        (client, server)
    }

    /// What frameworks make of a file by its name within the package.
    fn by_convention(&self, name: &str, node: &Node) -> Option<Side> {
        let package = self.package_of(name)?;
        let uses = |dependency: &str| {
            package.dependencies.iter().any(|one| one == dependency || one.starts_with(&format!("{dependency}/")))
        };
        let inner = name.strip_prefix(&package.folder)?.trim_start_matches('/');
        let inner = inner.strip_prefix("src/").unwrap_or(inner);
        let base = inner.rsplit('/').next().unwrap_or(inner);
        let stem = base.split('.').next().unwrap_or(base);
        if !matches!(node.language, Some(Language::Script | Language::Component | Language::Mdx)) {
            return None;
        }
        if uses("next") {
            return next(inner, stem, node.facts.use_client);
        }
        if uses("@sveltejs/kit") {
            let server = base.starts_with("+server") || base.contains(".server.");
            return if server { Some(Side::Server) } else { base.starts_with('+').then_some(Side::Client) };
        }
        if uses("nuxt") {
            let client = ["pages/", "components/", "layouts/", "composables/", "plugins/", "app.vue", "app/"];
            let on_server = inner.starts_with("server/").then_some(Side::Server);
            return on_server.or_else(|| client.iter().any(|start| inner.starts_with(start)).then_some(Side::Client));
        }
        if uses("@remix-run") || uses("@react-router/node") {
            let on_server = base.contains(".server.") || stem == "entry" && base.contains("server");
            let routes = inner.starts_with("app/routes")
                || inner.starts_with("app/root")
                || inner.starts_with("app/entry.client");
            return if on_server { Some(Side::Server) } else { routes.then_some(Side::Client) };
        }
        if uses("expo-router") && inner.starts_with("app/") || uses("gatsby") && inner.starts_with("pages/") {
            return Some(Side::Client);
        }
        (uses("astro") && inner.starts_with("pages/")).then_some(Side::Server)
    }

    /// A script of a page: relative to it, or to the folder it is served from.
    fn resolve_source(&self, page: &str, source: &str) -> Option<String> {
        if source.contains("://") || source.starts_with("//") {
            return None;
        }
        let plain = source.split(['?', '#']).next().unwrap_or(source);
        let folder = folder_of(page);
        let from_root = plain.strip_prefix('/');
        let places = match from_root {
            Some(rest) => vec![
                join(folder, rest),
                join(&join(folder, "public"), rest),
                join(&join(folder, ".."), rest),
                rest.to_owned(),
            ],
            None => vec![join(folder, plain)],
        };
        places.iter().find_map(|place| self.find(place))
    }

    /// The file an import means, if it is one of this tree.
    fn resolve(&self, from: &str, specifier: &str) -> Option<String> {
        // A leading hash is part of the name: subpath imports begin with it.
        let end = specifier
            .char_indices()
            .skip(1)
            .find(|(_, c)| matches!(c, '?' | '#'))
            .map_or(specifier.len(), |(at, _)| at);
        let plain = &specifier[..end];
        if plain.starts_with('.') {
            return self.find(&join(folder_of(from), plain));
        }
        if plain.starts_with('/') {
            return self.resolve_source(from, plain);
        }
        let by_alias = self
            .aliases
            .iter()
            .filter(|alias| is_within(from, &alias.folder) && plain.starts_with(&alias.prefix))
            .find_map(|alias| self.find(&join(&alias.target, &plain[alias.prefix.len()..])));
        by_alias.or_else(|| self.by_common_alias(from, plain)).or_else(|| self.by_package(plain))
    }

    /// `@/` and `~/` mean the source folder nearly everywhere, also when only the bundler's settings say so.
    fn by_common_alias(&self, from: &str, plain: &str) -> Option<String> {
        let rest = ["@/", "~/", "$lib/", "src/"].iter().find_map(|prefix| plain.strip_prefix(prefix))?;
        let folder = self.package_of(from).map_or("", |package| package.folder.as_str());
        ["src", "", "app", "src/lib"].iter().find_map(|base| self.find(&join(&join(folder, base), rest)))
    }

    /// Another package of the same tree.
    fn by_package(&self, plain: &str) -> Option<String> {
        let package = self.packages.iter().find(|one| {
            !one.name.is_empty()
                && (plain == one.name || plain.strip_prefix(&one.name).is_some_and(|rest| rest.starts_with('/')))
        })?;
        let rest = plain[package.name.len()..].trim_start_matches('/');
        ["", "src"].iter().find_map(|base| self.find(&join(&join(&package.folder, base), rest)))
    }

    /// The file at a place, with or without its extension, or the index of a folder.
    fn find(&self, place: &str) -> Option<String> {
        let known = |name: &str| self.nodes.contains_key(name).then(|| name.to_owned());
        let as_written = known(place);
        let typed = || {
            place
                .rsplit_once('.')
                .filter(|(_, end)| ["js", "jsx", "mjs"].contains(end))
                .map(|(stem, _)| stem.to_owned())
        };
        as_written
            .or_else(|| EXTENSIONS.iter().find_map(|extension| known(&format!("{place}.{extension}"))))
            .or_else(|| EXTENSIONS.iter().find_map(|extension| known(&join(place, &format!("index.{extension}")))))
            .or_else(|| {
                typed().and_then(|stem| EXTENSIONS.iter().find_map(|extension| known(&format!("{stem}.{extension}"))))
            })
    }
}

fn next(inner: &str, stem: &str, use_client: bool) -> Option<Side> {
    if inner.starts_with("pages/api/")
        || stem == "route" && inner.starts_with("app/")
        || ["middleware", "instrumentation", "proxy"].contains(&inner.split('.').next().unwrap_or_default())
    {
        return Some(Side::Server);
    }
    if inner.starts_with("pages/") {
        return Some(Side::Client);
    }
    let special = ["page", "layout", "template", "loading", "error", "not-found", "global-error", "default"];
    (inner.starts_with("app/") && special.contains(&stem)).then_some(if use_client {
        Side::Client
    } else {
        Side::Server
    })
}

fn is_script_name(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, extension)| ["js", "ts", "mjs", "cjs", "mts", "cts"].contains(&extension))
        && !word.contains("config")
}

fn extension_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The folder of a file; the root is empty.
fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_within(name: &str, folder: &str) -> bool {
    folder.is_empty() || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Joins and resolves `.` and `..`; what leads out of the tree stays at its root.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_within_the_tree() {
        assert_eq!(join("src/a", "../b/./c"), "src/b/c");
        assert_eq!(join("", "../../x"), "x");
    }

    #[test]
    fn settings_with_comments_are_read() {
        let text = "{ // paths\n \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"./src/*\"], }, }, /* end */ }";
        let found = aliases("web/tsconfig.json", text);
        assert_eq!((found[0].prefix.as_str(), found[0].target.as_str()), ("@/", "web/src"));
    }
}
