//! What npm needs to know of an app in order to ask for its advisories, and nothing else of it.

use crate::gather::install::target::Target;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::{fs, io};

const MAX_LEFT_OUT: usize = 20;
const LISTS: [&str; 2] = ["dependencies", "optionalDependencies"];

/// Copies `package.json` and one lockfile.
pub(super) fn copy(source: &Path, root: &Path, into: &Path, lockfile: &str) -> io::Result<()> {
    fs::create_dir_all(into)?;
    for name in ["package.json", lockfile] {
        fs::copy(source.join(root).join(name), into.join(name))?;
    }
    Ok(())
}

/// Writes a `package.json` with the production dependencies that come from a registry. Returns those that do not.
pub(super) fn write(source: &Path, target: &Target, into: &Path) -> io::Result<Vec<String>> {
    // Of a workspace, the app's own package is asked about: its neighbours are not what is shipped.
    let own: Option<Value> = fs::read(source.join(&target.package).join("package.json"))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let (manifest, left_out) = production(own.as_ref().unwrap_or(&target.manifest), &target.manifest);
    fs::create_dir_all(into)?;
    fs::write(into.join("package.json"), manifest.to_string())?;
    Ok(left_out)
}

fn production(own: &Value, root: &Value) -> (Value, Vec<String>) {
    let mut manifest = json!({"name": "audited", "version": "1.0.0", "private": true});
    let mut left_out = Vec::new();
    for list in LISTS {
        let Some(named) = own.get(list).and_then(Value::as_object) else { continue };
        let mut kept = Map::new();
        for (name, spec) in named {
            match spec.as_str().and_then(from_a_registry) {
                Some(spec) => drop(kept.insert(name.clone(), spec.into())),
                None => left_out.push(format!("{}@{}", cut(name, 80), cut(spec.as_str().unwrap_or("?"), 80))),
            }
        }
        manifest[list] = Value::Object(kept);
    }
    // npm does not follow the overrides of members.
    if let Some(overrides) = root.get("overrides").filter(|overrides| overrides.is_object()) {
        manifest["overrides"] = overrides.clone();
    }
    left_out.sort();
    left_out.truncate(MAX_LEFT_OUT);
    (manifest, left_out)
}

/// A version, range, tag or alias. Advisories are about what registries serve; paths and repositories have none.
fn from_a_registry(spec: &str) -> Option<String> {
    let spec = spec.trim();
    let alias = spec.strip_prefix("npm:");
    let plain = !alias.unwrap_or(spec).contains([':', '\\']) && (alias.is_some() || !spec.contains('/'));
    plain.then(|| spec.to_owned())
}

fn cut(text: &str, limit: usize) -> String {
    // An address may carry credentials before its host.
    let shown = text.rsplit_once('@').filter(|_| text.contains("://")).map_or(text, |(_, rest)| rest);
    shown.chars().take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_production_dependencies_from_a_registry_are_asked_about() {
        let own = json!({
            "scripts": {"postinstall": "evil"},
            "dependencies": {
                "a": "^1.0.0", "b": "workspace:*", "c": "patch:c@npm:1#x", "d": "file:../../etc", "e": "npm:@x/y@^2", "f": "latest",
                "g": "github:x/y", "h": "x/y", "i": "https://joe:pw@h.example/x.tgz", "j": 7, "k": ">=1 <2 || 3.x", "l": "link:../l"
            },
            "devDependencies": {"z": "1"},
            "overrides": {"leaf": "1.0.2"}
        });
        let (manifest, left_out) = production(&own, &own);
        let kept: Vec<_> = manifest["dependencies"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(kept, ["a", "e", "f", "k"]);
        assert!(manifest.get("devDependencies").is_none() && manifest.get("scripts").is_none());
        assert_eq!(manifest["overrides"]["leaf"], "1.0.2");
        assert_eq!(left_out.len(), 8);
        assert!(left_out.contains(&"b@workspace:*".to_owned()) && !left_out.concat().contains("pw"), "{left_out:?}");
    }
}
