//! How a package came into an app, told from npm's lockfile.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

const MAX_LOCKFILE_BYTES: u64 = 64 * 1024 * 1024;

/// Who needs whom, by name. Where a package is there in several versions, all of them count as one.
#[derive(Debug, Default)]
pub(super) struct Ways {
    direct: BTreeSet<String>,
    needs: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
struct Lockfile {
    #[serde(default)]
    packages: BTreeMap<String, Locked>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Locked {
    dependencies: BTreeMap<String, String>,
    optional_dependencies: BTreeMap<String, String>,
    peer_dependencies: BTreeMap<String, String>,
}

impl Ways {
    /// Reads the lockfile in a folder. One that cannot be read shows no ways.
    pub fn read(folder: &Path) -> Self {
        ["npm-shrinkwrap.json", "package-lock.json"]
            .iter()
            .find_map(|name| Self::of(&folder.join(name)))
            .unwrap_or_default()
    }

    fn of(file: &Path) -> Option<Self> {
        fs::symlink_metadata(file).ok().filter(|found| found.is_file() && found.len() <= MAX_LOCKFILE_BYTES)?;
        Self::parse(&fs::read(file).ok()?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let lockfile: Lockfile = serde_json::from_slice(bytes).ok()?;
        let mut ways = Self::default();
        for (place, locked) in lockfile.packages {
            let lists = [locked.dependencies, locked.optional_dependencies, locked.peer_dependencies];
            let names = lists.into_iter().flat_map(BTreeMap::into_keys);
            // What stands outside `node_modules` is the app itself, or a member of its workspace.
            match place.rsplit_once("node_modules/") {
                Some((_, name)) => ways.needs.entry(name.to_owned()).or_default().extend(names),
                None => ways.direct.extend(names),
            }
        }
        Some(ways)
    }

    /// The shortest way from a direct dependency to a package, both included.
    pub fn to(&self, name: &str) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, Option<&str>> =
            self.direct.iter().map(|direct| (direct.as_str(), None)).collect();
        let mut queue: VecDeque<&str> = came_from.keys().copied().collect();
        while let Some(at) = queue.pop_front() {
            if at == name {
                let mut way: Vec<String> =
                    std::iter::successors(Some(at), |at| came_from[*at]).map(str::to_owned).collect();
                way.reverse();
                return Some(way);
            }
            for next in self.needs.get(at).into_iter().flatten() {
                if !came_from.contains_key(next.as_str()) {
                    came_from.insert(next, Some(at));
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_in_is_found_and_circles_end() {
        let lockfile = r#"{"packages": {
            "": {"dependencies": {"a": "1", "b": "1"}},
            "node_modules/a": {"dependencies": {"c": "1"}},
            "node_modules/b": {"dependencies": {"a": "1"}},
            "node_modules/a/node_modules/c": {"dependencies": {"@x/d": "1", "a": "1"}},
            "node_modules/@x/d": {}
        }}"#;
        let ways = Ways::parse(lockfile.as_bytes()).unwrap();
        assert_eq!(ways.to("@x/d").unwrap(), ["a", "c", "@x/d"]);
        assert_eq!(ways.to("b").unwrap(), ["b"]);
        assert_eq!(ways.to("nobody"), None);
        assert!(Ways::parse(b"<html>").is_none());
    }
}
