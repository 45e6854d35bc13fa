//! The compose file that is really run: what was understood of the app's, with our limits, and nothing else.

use super::plan::{Mount, Plan, Service, Source};
use crate::deploy::Allowance;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What no container of an app needs.
const DROPPED: [&str; 4] = ["NET_RAW", "MKNOD", "AUDIT_WRITE", "SETFCAP"];

const LEAST_LOG_FILE: usize = 4 * 1024 * 1024;

/// Writes the file. `image_of` names the images that were built, `place_of` says where this instance has what it mounts of the app.
pub fn render(
    plan: &Plan,
    image_of: &dyn Fn(&str) -> String,
    place_of: &dyn Fn(&Path) -> PathBuf,
    allowance: &Allowance,
) -> String {
    let services: Map<String, Value> = plan
        .services
        .iter()
        .map(|service| (service.name.clone(), rendered(service, image_of, place_of, allowance)))
        .collect();
    let mounts = plan.services.iter().flat_map(|service| &service.mounts);
    let volumes: BTreeSet<&String> = mounts
        .filter_map(|mount| match mount {
            Mount::Volume { name, .. } => name.as_ref(),
            Mount::OfTheApp { .. } => None,
        })
        .collect();
    let volumes: Map<String, Value> = volumes.into_iter().map(|name| (name.clone(), json!({}))).collect();
    // The network leads from container to container and to this machine, which looks at the app through it, and nowhere else.
    let file = json!({"services": services, "volumes": volumes, "networks": {"default": {"internal": true}}});
    escaped(file).to_string()
}

fn rendered(
    service: &Service,
    image_of: &dyn Fn(&str) -> String,
    place_of: &dyn Fn(&Path) -> PathBuf,
    allowance: &Allowance,
) -> Value {
    let image = match &service.source {
        Source::Image(image) => image.clone(),
        Source::Build { .. } => image_of(&service.name),
    };
    let wait = |(name, condition): (&String, &String)| (name.clone(), json!({"condition": condition}));
    let mut written = json!({
        "image": image,
        "environment": service.environment,
        "expose": service.ports.iter().map(u16::to_string).collect::<Vec<_>>(),
        "depends_on": service.waits_for.iter().map(wait).collect::<Map<_, _>>(),
        "volumes": service.mounts.iter().map(|mount| mounted(mount, place_of)).collect::<Vec<_>>(),
        "cpus": allowance.cpus,
        "mem_limit": allowance.memory_bytes,
        "memswap_limit": allowance.memory_bytes,
        "pids_limit": allowance.processes,
        "ulimits": {"core": 0, "fsize": allowance.disk_bytes},
        "logging": {"driver": "json-file", "options": {"max-size": log_file_bytes(allowance).to_string(), "max-file": "2"}},
        "cap_drop": DROPPED,
        "security_opt": ["no-new-privileges:true"],
        "restart": "no",
        "init": true,
    });
    let optional = [
        ("command", service.command.clone()),
        ("entrypoint", service.entrypoint.clone()),
        ("healthcheck", service.healthcheck.clone()),
        ("working_dir", service.working_dir.clone().map(Value::String)),
        ("user", service.user.clone().map(Value::String)),
    ];
    for (key, value) in optional {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            written[key] = value;
        }
    }
    written
}

/// How long Docker lets a log grow before it begins a new file. Who follows one that is changed at every turn loses it,
/// so that is rare: only after much more than what we keep.
fn log_file_bytes(allowance: &Allowance) -> usize {
    allowance.log_bytes.saturating_mul(4).max(LEAST_LOG_FILE)
}

fn mounted(mount: &Mount, place_of: &dyn Fn(&Path) -> PathBuf) -> Value {
    match mount {
        Mount::OfTheApp { source, target, read_only } => {
            json!({"type": "bind", "source": place_of(source), "target": target, "read_only": read_only})
        }
        Mount::Volume { name: Some(name), target } => json!({"type": "volume", "source": name, "target": target}),
        Mount::Volume { name: None, target } => json!({"type": "volume", "target": target}),
    }
}

/// Variables have been filled in already; compose must not look for any.
fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace('$', "$$")),
        Value::Array(list) => list.into_iter().map(escaped).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, escaped(value))).collect(),
        other => other,
    }
}
