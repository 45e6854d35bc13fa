//! The values of a compose file that may be written in several ways, taken apart. What is said against them has no place yet.

use super::values::{self, Variables};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

const MAX_NAME: usize = 40;

type Taken<T> = Result<T, String>;

/// How an image is built.
#[derive(Debug, PartialEq, Eq)]
pub struct Build {
    pub context: String,
    pub dockerfile: String,
    pub arguments: Vec<(String, String)>,
    pub target: Option<String>,
}

/// A mount before anybody has looked where it leads.
#[derive(Debug, PartialEq, Eq)]
pub struct Mount {
    pub source: Option<String>,
    pub target: String,
    pub read_only: bool,
}

/// The same value with its variables filled in.
pub fn filled(value: &Value, variables: &Variables) -> Taken<Value> {
    Ok(match value {
        Value::String(text) => Value::String(values::filled(text, variables)?),
        Value::Array(list) => Value::Array(list.iter().map(|value| filled(value, variables)).collect::<Taken<_>>()?),
        Value::Object(map) => Value::Object(
            map.iter().map(|(key, value)| Ok((key.clone(), filled(value, variables)?))).collect::<Taken<_>>()?,
        ),
        other => other.clone(),
    })
}

/// A text, number or yes and no, as text.
pub fn scalar(value: &Value) -> Taken<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(yes) => Ok(yes.to_string()),
        _ => Err("expected a text".to_owned()),
    }
}

fn object<'a>(value: &'a Value, keys: &[&str]) -> Taken<&'a Map<String, Value>> {
    let map = value.as_object().ok_or("expected a text or a map")?;
    match map.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` is not allowed here; only {} are", keys.join(", "))),
        None => Ok(map),
    }
}

fn list(value: &Value) -> Taken<&Vec<Value>> {
    value.as_array().ok_or_else(|| "expected a list".to_owned())
}

/// A command line: one text, or a list of words.
pub fn command(value: &Value) -> Taken<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Array(words) => {
            Ok(Value::Array(words.iter().map(|word| scalar(word).map(Value::String)).collect::<Taken<_>>()?))
        }
        other => scalar(other).map(Value::String),
    }
}

/// Variables as a map or as a list of `NAME=value`. A name alone would take the value from this machine, and has none.
pub fn environment(value: &Value) -> Taken<Variables> {
    match value {
        Value::Object(map) => {
            let given = map.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| Ok((name.clone(), scalar(value)?))).collect()
        }
        Value::Array(lines) => {
            let lines = lines.iter().map(scalar).collect::<Taken<Vec<_>>>()?;
            Ok(lines
                .iter()
                .filter_map(|line| line.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect())
        }
        _ => Err("expected a map or a list of `NAME=value`".to_owned()),
    }
}

/// Files of variables, and whether they must be there.
pub fn env_files(value: &Value) -> Taken<Vec<(String, bool)>> {
    let one = |value: &Value| match value {
        Value::Object(_) => {
            let map = object(value, &["path", "required"])?;
            let path = map.get("path").map(scalar).ok_or("`path` is missing")??;
            Ok((path, map.get("required").and_then(Value::as_bool).unwrap_or(true)))
        }
        other => scalar(other).map(|path| (path, true)),
    };
    match value {
        Value::Array(files) => files.iter().map(one).collect(),
        other => one(other).map(|file| vec![file]),
    }
}

/// Ports inside of the container. Those outside are ours to choose.
pub fn ports(value: &Value) -> Taken<Vec<u16>> {
    let one = |value: &Value| -> Taken<Option<u16>> {
        let text = match value {
            Value::Object(_) => {
                let keys = ["target", "published", "protocol", "host_ip", "mode", "name", "app_protocol"];
                let map = object(value, &keys)?;
                let protocol = map.get("protocol").and_then(Value::as_str).unwrap_or("tcp");
                format!("{}/{protocol}", map.get("target").map(scalar).ok_or("`target` is missing")??)
            }
            other => scalar(other)?,
        };
        let (port, protocol) = text.split_once('/').unwrap_or((&text, "tcp"));
        if protocol != "tcp" {
            return Ok(None);
        }
        let inner = port.rsplit(':').next().unwrap_or(port).split('-').next().unwrap_or_default();
        inner.parse().ok().filter(|port| *port > 0).map(Some).ok_or_else(|| "this is no port".to_owned())
    };
    Ok(list(value)?.iter().map(one).collect::<Taken<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Services that come first, and how far they have to be.
pub fn waits_for(value: &Value) -> Taken<BTreeMap<String, String>> {
    const CONDITIONS: [&str; 3] = ["service_started", "service_healthy", "service_completed_successfully"];
    let named = |name: &str, condition: &str| {
        let known = is_name(name) && CONDITIONS.contains(&condition);
        known
            .then(|| (name.to_owned(), condition.to_owned()))
            .ok_or_else(|| "this is no service to wait for".to_owned())
    };
    match value {
        Value::Array(names) => names.iter().map(|name| named(&scalar(name)?, CONDITIONS[0])).collect(),
        Value::Object(map) => {
            let condition = |value: &Value| -> Taken<String> {
                let map = object(value, &["condition", "required", "restart"])?;
                map.get("condition").map_or_else(|| Ok(CONDITIONS[0].to_owned()), scalar)
            };
            map.iter().map(|(name, value)| named(name, &condition(value)?)).collect()
        }
        _ => Err("expected a list of services".to_owned()),
    }
}

/// How a service is found to be well.
pub fn healthcheck(value: &Value) -> Taken<Value> {
    let keys = ["test", "interval", "timeout", "retries", "start_period", "start_interval", "disable"];
    let mut map = object(value, &keys)?.clone();
    // Older versions of compose do not know it.
    map.remove("start_interval");
    if let Some(test) = map.get("test") {
        command(test)?;
    }
    if map.iter().any(|(key, value)| key != "test" && scalar(value).is_err()) {
        return Err("expected numbers and durations".to_owned());
    }
    Ok(Value::Object(map))
}

/// Where an image is built, and how.
pub fn build(value: &Value) -> Taken<Build> {
    if let Value::String(context) = value {
        return Ok(Build {
            context: context.clone(),
            dockerfile: "Dockerfile".to_owned(),
            arguments: Vec::new(),
            target: None,
        });
    }
    let map = object(value, &["context", "dockerfile", "args", "target", "labels"])?;
    let text = |key: &str| map.get(key).map(scalar).transpose();
    let target = text("target")?;
    if target.as_deref().is_some_and(|target| !is_name(target)) {
        return Err("this is no stage of a Dockerfile".to_owned());
    }
    Ok(Build {
        context: text("context")?.unwrap_or_else(|| ".".to_owned()),
        dockerfile: text("dockerfile")?.unwrap_or_else(|| "Dockerfile".to_owned()),
        arguments: map.get("args").map(environment).transpose()?.unwrap_or_default().into_iter().collect(),
        target,
    })
}

/// Mounts in their short and in their long form.
pub fn mounts(value: &Value) -> Taken<Vec<Mount>> {
    list(value)?.iter().map(mount).collect()
}

fn mount(value: &Value) -> Taken<Mount> {
    let mount = match value {
        Value::Object(_) => {
            let map = object(value, &["type", "source", "target", "read_only"])?;
            let text = |key: &str| map.get(key).map(scalar).transpose();
            match text("type")?.as_deref() {
                Some("bind" | "volume") | None => {}
                Some(other) => return Err(format!("mounts of the type `{}` are not allowed", short(other))),
            }
            let read_only = map.get("read_only").and_then(Value::as_bool).unwrap_or(false);
            Mount { source: text("source")?, target: text("target")?.ok_or("`target` is missing")?, read_only }
        }
        other => short_mount(&scalar(other)?)?,
    };
    let climbs = Path::new(&mount.target).components().any(|part| part == Component::ParentDir);
    if !mount.target.starts_with('/') || mount.target.contains(':') || climbs {
        return Err(format!("`{}` is no place in a container", short(&mount.target)));
    }
    Ok(mount)
}

/// `source:target:mode`, `source:target` or `target`.
fn short_mount(text: &str) -> Taken<Mount> {
    let parts: Vec<&str> = text.split(':').collect();
    let (source, target, mode) = match parts[..] {
        [target] => (None, target, ""),
        [source, target] => (Some(source), target, ""),
        [source, target, mode] => (Some(source), target, mode),
        _ => return Err("expected `source:target`".to_owned()),
    };
    if !mode.split(',').all(|word| matches!(word, "" | "ro" | "rw" | "z" | "Z" | "cached" | "delegated" | "consistent"))
    {
        return Err(format!("the mode `{}` of a mount is not allowed", short(mode)));
    }
    let read_only = mode.split(',').any(|word| word == "ro");
    Ok(Mount { source: source.map(str::to_owned), target: target.to_owned(), read_only })
}

/// Whether a path is relative and never climbs above where it begins.
pub fn stays_inside(path: &str) -> bool {
    let mut depth = 0_i32;
    !path.starts_with('~')
        && !path.contains("://")
        && !path.contains('\0')
        && Path::new(path).components().all(|part| {
            depth += match part {
                Component::Normal(_) => 1,
                Component::ParentDir => -1,
                Component::CurDir => 0,
                Component::RootDir | Component::Prefix(_) => return false,
            };
            depth >= 0
        })
}

/// The same path without detours.
pub fn tidied(path: &str) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => tidy.push(name),
            Component::ParentDir => {
                tidy.pop();
            }
            _ => {}
        }
    }
    tidy
}

/// Names of services, volumes and stages.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits) && !name.starts_with('-')
}

/// Names of images, as registries have them.
pub fn is_image(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    name.len() <= 200 && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits)
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}
