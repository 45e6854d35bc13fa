//! What `npm audit --json` says.

use super::ways::Ways;
use crate::evidence::Audit;
use crate::evidence::audit::{Remedy, Severities, Vulnerable};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const MAX_VULNERABLE: usize = 40;
const MAX_VIA: usize = 5;
const MAX_PATH: usize = 8;
const MAX_TEXT: usize = 200;

/// An answer, or why there is none.
#[derive(Debug)]
pub(super) enum Answer {
    /// The registry has said what it knows.
    Report(Box<Report>),
    /// The registry does not offer advisories.
    NoEndpoint { status: u64 },
    /// Nobody answered.
    Unreachable,
    /// npm failed before it asked, or said something we do not understand.
    Unreadable { said: String },
}

#[derive(Debug, Deserialize)]
pub(super) struct Report {
    #[serde(default)]
    vulnerabilities: BTreeMap<String, Entry>,
    metadata: Metadata,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    vulnerabilities: Severities,
    #[serde(default)]
    dependencies: BTreeMap<String, u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    severity: String,
    #[serde(default)]
    is_direct: bool,
    #[serde(default)]
    via: Vec<Value>,
    #[serde(default)]
    effects: Vec<String>,
    #[serde(default)]
    range: String,
    #[serde(default)]
    fix_available: Value,
}

impl Answer {
    /// Reads what npm wrote to standard output.
    pub fn read(stdout: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(stdout) else {
            let said = String::from_utf8_lossy(&stdout[..stdout.len().min(MAX_TEXT)]).trim().to_owned();
            return Self::Unreadable { said };
        };
        if let Ok(report) = Report::deserialize(&value) {
            return Self::Report(Box::new(report));
        }
        let text = |name: &str| value[name].as_str().or_else(|| value["error"][name].as_str()).unwrap_or_default();
        let said = cut([text("message"), text("summary"), text("detail")].join(" ").trim());
        match value["statusCode"].as_u64() {
            Some(status @ 400..) => Self::NoEndpoint { status },
            _ if text("code").starts_with("ECONN") || text("code") == "ENOTFOUND" => Self::Unreachable,
            _ => Self::Unreadable { said },
        }
    }

    /// Puts a report into evidence.
    pub fn into_audit(self, audit: Audit, ways: &Ways) -> Audit {
        let Self::Report(report) = self else { return audit };
        let mut names: Vec<&String> = report.vulnerabilities.keys().collect();
        names.sort_by_key(|name| (rank(&report.vulnerabilities[*name].severity), *name));
        let vulnerable = names.into_iter().take(MAX_VULNERABLE).map(|name| report.vulnerable(name, ways)).collect();
        Audit {
            counts: report.metadata.vulnerabilities,
            production_packages: report.metadata.dependencies.get("prod").copied().unwrap_or_default(),
            vulnerable,
            ..audit
        }
    }
}

impl Report {
    fn vulnerable(&self, name: &str, ways: &Ways) -> Vulnerable {
        let entry = &self.vulnerabilities[name];
        let of = |key: &str| {
            let texts = entry.via.iter().filter_map(|via| via.as_str().or_else(|| via[key].as_str()));
            texts.map(cut).collect::<BTreeSet<_>>().into_iter().take(MAX_VIA).collect::<Vec<_>>()
        };
        let fix = &entry.fix_available;
        let remedy = match (fix["name"].as_str(), fix["version"].as_str()) {
            (Some(name), Some(version)) => Remedy::Upgrade {
                name: cut(name),
                version: cut(version),
                major: fix["isSemVerMajor"].as_bool().unwrap_or_default(),
            },
            _ if fix.as_bool() == Some(true) => Remedy::Update,
            _ => Remedy::None,
        };
        Vulnerable {
            name: cut(name),
            severity: cut(&entry.severity),
            range: cut(&entry.range),
            via: of("title"),
            links: of("url").into_iter().filter(|link| link.starts_with("https://")).collect(),
            path: ways.to(name).unwrap_or_else(|| self.path_to(name)).iter().map(|name| cut(name)).collect(),
            remedy,
        }
    }

    /// From a direct dependency to a package, along what it affects.
    fn path_to(&self, name: &str) -> Vec<String> {
        let mut path = vec![cut(name)];
        let mut at = name;
        while let Some(entry) = self.vulnerabilities.get(at).filter(|entry| !entry.is_direct) {
            let next = entry.effects.iter().filter(|next| !path.contains(next)).min();
            let Some(next) = next.filter(|_| path.len() < MAX_PATH) else { break };
            path.push(cut(next));
            at = next;
        }
        path.reverse();
        path
    }
}

fn rank(severity: &str) -> usize {
    ["critical", "high", "moderate", "low"].iter().position(|known| *known == severity).unwrap_or(4)
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report() -> Value {
        json!({
            "auditReportVersion": 2,
            "vulnerabilities": {
                "trunk": {"name": "trunk", "severity": "high", "isDirect": true, "via": ["leaf"], "effects": [], "range": "*", "nodes": [],
                    "fixAvailable": {"name": "trunk", "version": "2.0.0", "isSemVerMajor": true}},
                "leaf": {"name": "leaf", "severity": "high", "isDirect": false, "effects": ["trunk"], "range": "<=1.0.1", "nodes": [],
                    "via": [{"title": "Leaves fall", "url": "https://advisories.example/1", "severity": "high", "range": "<=1.0.1"}],
                    "fixAvailable": true},
                "worst": {"name": "worst", "severity": "critical", "isDirect": true, "via": [], "fixAvailable": false}
            },
            "metadata": {
                "vulnerabilities": {"info": 0, "low": 0, "moderate": 0, "high": 2, "critical": 1, "total": 3},
                "dependencies": {"prod": 4, "dev": 0, "total": 4}
            }
        })
    }

    #[test]
    fn the_worst_comes_first_with_its_path_and_its_remedy() {
        let answer = Answer::read(report().to_string().as_bytes());
        let audit = answer.into_audit(Audit::default(), &Ways::default());
        assert_eq!((audit.counts.critical, audit.counts.high, audit.production_packages), (1, 2, 4));
        let names: Vec<_> = audit.vulnerable.iter().map(|vulnerable| vulnerable.name.as_str()).collect();
        assert_eq!(names, ["worst", "leaf", "trunk"]);
        let leaf = &audit.vulnerable[1];
        assert_eq!(
            (leaf.path.as_slice(), &leaf.remedy),
            (&["trunk".to_owned(), "leaf".to_owned()][..], &Remedy::Update)
        );
        assert_eq!((leaf.via.as_slice(), leaf.links.len()), (&["Leaves fall".to_owned()][..], 1));
        let major = Remedy::Upgrade { name: "trunk".into(), version: "2.0.0".into(), major: true };
        assert_eq!(audit.vulnerable[2].remedy, major);
    }

    #[test]
    fn a_registry_without_advisories_is_told_from_nonsense() {
        let refused = json!({"message": "405 Method Not Allowed - POST …", "method": "POST", "statusCode": 405});
        assert!(matches!(Answer::read(refused.to_string().as_bytes()), Answer::NoEndpoint { status: 405 }));
        let broken = json!({"error": {"code": "ENOLOCK", "summary": "This command requires an existing lockfile."}});
        assert!(matches!(Answer::read(broken.to_string().as_bytes()), Answer::Unreadable { .. }));
        assert!(matches!(Answer::read(b"<html>"), Answer::Unreadable { .. }));
        assert!(matches!(Answer::read(b"{}"), Answer::Unreadable { .. }));
    }

    #[test]
    fn a_circle_of_effects_ends() {
        let circle = json!({"vulnerabilities": {
            "a": {"severity": "low", "effects": ["b"]}, "b": {"severity": "low", "effects": ["a"]}},
            "metadata": {"vulnerabilities": {"info": 0, "low": 2, "moderate": 0, "high": 0, "critical": 0}}});
        let audit = Answer::read(circle.to_string().as_bytes()).into_audit(Audit::default(), &Ways::default());
        assert_eq!(audit.vulnerable[0].path, ["b", "a"]);
    }
}
