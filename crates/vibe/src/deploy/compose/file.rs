//! The compose file as its author wrote it: the keys that are understood, and why the others are not.

use benchwright_domain::yaml::{self, Problem, Refusal, Severity};
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::fmt;

/// Ample for a handful of services.
const MAX_NODES: usize = 4_000;

/// Keys that reach out of the app, and what they would reach.
const REASONS: [(&[&str], &str); 9] = [
    (&["privileged"], "a privileged container can do everything that this machine's administrator can"),
    (
        &[
            "network_mode",
            "pid",
            "ipc",
            "uts",
            "userns_mode",
            "cgroup",
            "cgroup_parent",
            "volumes_from",
            "external_links",
        ],
        "it shares a part of this machine, or of somebody else's containers",
    ),
    (&["devices", "device_cgroup_rules", "gpus", "runtime"], "devices of this machine are not the app's"),
    (
        &["cap_add", "security_opt", "sysctls", "group_add", "ulimits", "storage_opt"],
        "it loosens what holds a container",
    ),
    (&["extends", "include"], "it leads to another file; write everything into this one"),
    (
        &["secrets", "configs", "credential_spec"],
        "it leads to files outside of the app; put them into the app's folder",
    ),
    (
        &["extra_hosts", "dns", "dns_search", "links", "mac_address"],
        "services find each other by their names, and nothing else",
    ),
    (&["external", "driver", "driver_opts"], "volumes and networks are the app's own, and made anew each time"),
    (&["profiles", "develop", "models", "provider", "post_start", "pre_stop"], "it is not needed to start an app"),
];

/// Keys of the file as a whole. Whoever writes one that begins with `x-` talks to other programs, or to itself.
const KEYS: [&str; 5] = ["name", "networks", "services", "version", "volumes"];

/// The file.
#[derive(Debug)]
pub struct WrittenFile {
    pub services: BTreeMap<String, Spanned<WrittenService>>,
    pub volumes: BTreeMap<String, Option<WrittenVolume>>,
}

impl<'de> Deserialize<'de> for WrittenFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = WrittenFile;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map with `services`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenFile, A::Error> {
        let (mut services, mut volumes) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "services" => services = Some(map.next_value()?),
                "volumes" => volumes = map.next_value()?,
                "networks" => drop(map.next_value::<Option<BTreeMap<String, Option<WrittenNetwork>>>>()?),
                "name" | "version" => drop(map.next_value::<IgnoredAny>()?),
                extension if extension.starts_with("x-") => drop(map.next_value::<IgnoredAny>()?),
                unknown => return Err(A::Error::unknown_field(unknown, &KEYS)),
            }
        }
        let services = services.ok_or_else(|| A::Error::missing_field("services"))?;
        Ok(WrittenFile { services, volumes: volumes.unwrap_or_default() })
    }
}

/// A volume without wishes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenVolume {
    #[serde(rename = "name")]
    _name: Option<IgnoredAny>,
    #[serde(rename = "labels")]
    _labels: Option<IgnoredAny>,
    #[serde(rename = "driver")]
    _driver: Option<VolumeDriver>,
}

/// A network without wishes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenNetwork {
    #[serde(rename = "name")]
    _name: Option<IgnoredAny>,
    #[serde(rename = "labels")]
    _labels: Option<IgnoredAny>,
    #[serde(rename = "driver")]
    _driver: Option<NetworkDriver>,
}

/// The driver that a volume has anyway.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VolumeDriver {
    Local,
}

/// The driver that a network has anyway.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NetworkDriver {
    Bridge,
}

/// A service. What may be written in several ways is taken apart later; what does not matter here is ignored: names of
/// containers, labels, restarts, and limits, which are ours.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenService {
    pub image: Option<Spanned<String>>,
    pub build: Option<Spanned<Value>>,
    pub command: Option<Spanned<Value>>,
    pub entrypoint: Option<Spanned<Value>>,
    pub environment: Option<Spanned<Value>>,
    pub env_file: Option<Spanned<Value>>,
    pub ports: Option<Spanned<Value>>,
    pub expose: Option<Spanned<Value>>,
    pub depends_on: Option<Spanned<Value>>,
    pub healthcheck: Option<Spanned<Value>>,
    pub volumes: Option<Spanned<Value>>,
    pub working_dir: Option<Spanned<String>>,
    pub user: Option<Spanned<Value>>,
    #[serde(rename = "networks")]
    _networks: Option<IgnoredAny>,
    #[serde(rename = "container_name")]
    _container_name: Option<IgnoredAny>,
    #[serde(rename = "hostname")]
    _hostname: Option<IgnoredAny>,
    #[serde(rename = "restart")]
    _restart: Option<IgnoredAny>,
    #[serde(rename = "labels")]
    _labels: Option<IgnoredAny>,
    #[serde(rename = "logging")]
    _logging: Option<IgnoredAny>,
    #[serde(rename = "deploy")]
    _deploy: Option<IgnoredAny>,
    #[serde(rename = "mem_limit")]
    _mem_limit: Option<IgnoredAny>,
    #[serde(rename = "mem_reservation")]
    _mem_reservation: Option<IgnoredAny>,
    #[serde(rename = "shm_size")]
    _shm_size: Option<IgnoredAny>,
    #[serde(rename = "cpus")]
    _cpus: Option<IgnoredAny>,
    #[serde(rename = "init")]
    _init: Option<IgnoredAny>,
    #[serde(rename = "tty")]
    _tty: Option<IgnoredAny>,
    #[serde(rename = "stdin_open")]
    _stdin_open: Option<IgnoredAny>,
    #[serde(rename = "platform")]
    _platform: Option<IgnoredAny>,
    #[serde(rename = "pull_policy")]
    _pull_policy: Option<IgnoredAny>,
    #[serde(rename = "stop_grace_period")]
    _stop_grace_period: Option<IgnoredAny>,
    #[serde(rename = "stop_signal")]
    _stop_signal: Option<IgnoredAny>,
    #[serde(rename = "read_only")]
    _read_only: Option<IgnoredAny>,
    #[serde(rename = "cap_drop")]
    _cap_drop: Option<IgnoredAny>,
}

/// Reads the file, or says which line cannot be accepted, and why.
pub fn read(name: &str, text: &str) -> Result<WrittenFile, Problem> {
    yaml::read_merging(text, MAX_NODES).map_err(|refusal| {
        let problem = reason(&refusal).unwrap_or(refusal.problem);
        Problem {
            file: name.to_owned(),
            line: refusal.line,
            column: refusal.column,
            severity: Severity::Error,
            problem,
        }
    })
}

/// Why a key that is not understood is refused, if its name tells.
fn reason(refusal: &Refusal) -> Option<String> {
    // Drivers are the only values that are looked at while the file is read.
    if refusal.problem.contains("unknown variant ") {
        return Some(refused("driver"));
    }
    let unknown =
        refusal.problem.strip_prefix("unknown field ").or_else(|| refusal.problem.split("unknown field ").nth(1))?;
    let key = unknown.trim_start_matches(['`', '"', '\'']);
    let key: String = key.chars().take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect();
    Some(refused(&key))
}

fn refused(key: &str) -> String {
    match REASONS.iter().find(|(keys, _)| keys.contains(&key)) {
        Some((_, why)) => format!("`{key}` is not allowed: {why}"),
        None => format!("`{key}` is not understood, so it is not allowed"),
    }
}
