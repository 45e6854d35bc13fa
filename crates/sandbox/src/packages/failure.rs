//! Why an install failed, told from what the manager said and from what it asked of the network.

use super::Traffic;
use crate::process::Finished;
use serde::{Deserialize, Serialize};

const MAX_LINES: usize = 12;
const MAX_CHARACTERS: usize = 1_000;
/// A registry that has sent less than this when the time is over has not answered.
const AN_ANSWER: u64 = 512;

/// Hosts beside npm's registry that everybody may fetch from. If one of them cannot be reached, the fault is on our side.
const PUBLIC_HOSTS: [&str; 5] =
    ["registry.yarnpkg.com", "npm.jsr.io", "github.com", "codeload.github.com", "repo.yarnpkg.com"];
/// Registries that always ask who is there.
const PRIVATE_HOSTS: [&str; 10] = [
    "pkg.dev",
    "npm.pkg.github.com",
    "jfrog.io",
    "codeartifact",
    "pkgs.dev.azure.com",
    "pkgs.visualstudio.com",
    "gitlab.com/api",
    "npm.fontawesome.com",
    "cloudsmith.io",
    "gemfury",
];
const DENIED: [&str; 12] = [
    "e401",
    "e403",
    "401 unauthorized",
    "403 forbidden",
    "status code 401",
    "status code 403",
    "err_pnpm_fetch_401",
    "err_pnpm_fetch_403",
    "authentication",
    "unauthenticated",
    " 401",
    " 403",
];
const UNSUPPORTED: [&str; 7] = [
    // Yarn, of a lockfile of Yarn 2 or 3, which it would write anew.
    "migrated your project",
    "err_pnpm_lockfile_breaking_change",
    "not compatible with current pnpm",
    "unsupported lockfile version",
    "outdated lockfile version",
    "invalidlockfileversion",
    "unknownlockfileversion",
];
const DAMAGED: [&str; 27] = [
    // npm takes a lockfile it cannot read for none, and there is one, or it would not have been asked.
    "can only install with an existing",
    "err_pnpm_broken_lockfile",
    "broken lockfile",
    "merge conflict",
    "can't parse",
    "cannot parse",
    "could not parse",
    "failed to parse",
    "failed parsing",
    "parse error",
    "invalid package-lock",
    "invalid lockfile",
    "corrupt",
    "malformed",
    "ejsonparse",
    "error parsing",
    "yn0014",
    "syntax error",
    "unexpected token",
    "unknown token",
    "in /checkout/yarn.lock",
    "integrity check failed",
    "eintegrity",
    "yn0018",
    "err_pnpm_tarball_integrity",
    "integritycheckfailed",
    "unexpected end of",
];
const OUT_OF_SYNC: [&str; 22] = [
    "are in sync",
    "not in sync",
    "out of sync",
    "eusage",
    "missing: ",
    "err_pnpm_outdated_lockfile",
    "is not up to date with",
    "err_pnpm_lockfile_config_mismatch",
    "err_pnpm_lockfile_missing_dependency",
    "needs to be updated",
    "frozen-lockfile",
    "lockfile is frozen",
    "lockfile had changes",
    "yn0028",
    "would have been modified",
    "would have been created",
    "yn0050",
    "outdated_lockfile",
    "lockfile_config_mismatch",
    "not present in your lockfile",
    "doesn't seem to be present",
    "does not satisfy",
];
const OFFLINE: [&str; 22] = [
    "enotfound",
    "econnrefused",
    "econnreset",
    "etimedout",
    "eai_again",
    "ehostunreach",
    "enetunreach",
    "socket hang up",
    "network request",
    "connectionrefused",
    "connection refused",
    "connectionclosed",
    "failedtoopensocket",
    "self-signed",
    "self_signed",
    "unable to get local issuer",
    "unable_to_verify",
    " 502",
    " 503",
    " 504",
    " 429",
    "dns error",
];

/// Why an install failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of failure.
    pub class: FailureClass,
    /// What the manager said, cut and without paths of this machine.
    pub said: String,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The lockfile leads to a registry that not everybody may use.
    PrivateRegistry,
    /// The lockfile cannot be read.
    Damaged,
    /// The lockfile and `package.json` do not agree.
    OutOfSync,
    /// It took too long.
    Timeout,
    /// Anything else the app is to blame for.
    Other,
    /// The network or the registry failed us: says nothing about the app.
    RegistryUnreachable,
    /// The pinned managers cannot read this format, or are not there for this platform: says nothing about the app.
    Unsupported,
}

impl FailureClass {
    /// Whether the failure is the app's, not ours.
    pub fn is_the_apps(self) -> bool {
        !matches!(self, Self::RegistryUnreachable | Self::Unsupported)
    }
}

/// What a manager left behind, as text.
pub fn output(finished: &Finished) -> String {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    plain(&format!("{stdout}\n{}", finished.stderr_tail))
}

/// Classifies a failed run. `registries` are the hosts that everybody's packages come from.
pub fn of(finished: &Finished, traffic: &Traffic, registries: &[String], work: &str) -> Failure {
    let output = output(finished);
    let class = classify(finished, traffic, registries, &output.to_lowercase());
    Failure { class, said: said(&output, work) }
}

/// The host of everybody's packages that failed us: it was asked for in vain, or had not answered when the time was over.
pub(crate) fn lost_host<'a>(finished: &Finished, traffic: &'a Traffic, registries: &[String]) -> Option<&'a String> {
    let ours = |host: &&String| registries.contains(host) || PUBLIC_HOSTS.contains(&host.as_str());
    let is_silent = finished.timed_out && traffic.bytes < AN_ANSWER;
    let silent = || traffic.reached.iter().filter(|_| is_silent).find(ours);
    traffic.unreachable.iter().find(ours).or_else(silent)
}

fn classify(finished: &Finished, traffic: &Traffic, registries: &[String], output: &str) -> FailureClass {
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| output.contains(phrase));
    let ours = |host: &String| registries.contains(host) || PUBLIC_HOSTS.contains(&host.as_str());
    let foreign_unreachable = traffic.unreachable.iter().any(|host| !ours(host));
    if lost_host(finished, traffic, registries).is_some() {
        FailureClass::RegistryUnreachable
    } else if finished.timed_out {
        FailureClass::Timeout
    } else if !traffic.refused.is_empty() || foreign_unreachable || (has(&DENIED) && has(&PRIVATE_HOSTS)) {
        FailureClass::PrivateRegistry
    } else if has(&UNSUPPORTED) {
        FailureClass::Unsupported
    } else if has(&DAMAGED) {
        FailureClass::Damaged
    } else if has(&OUT_OF_SYNC) {
        FailureClass::OutOfSync
    } else if has(&OFFLINE) {
        FailureClass::RegistryUnreachable
    } else if has(&DENIED) {
        FailureClass::PrivateRegistry
    } else {
        FailureClass::Other
    }
}

/// The lines that matter, the same on every machine.
pub fn said(output: &str, work: &str) -> String {
    let noise = [
        "_logs",
        "complete log",
        "done in",
        "completed in",
        "a new version",
        "npm warn",
        "warning ",
        "progress:",
        "deprecated",
        "    at ",
    ];
    let lines = output
        .lines()
        .map(|line| line.replace(work, "").trim_end().to_owned())
        .filter(|line| !line.trim().is_empty())
        .filter(|line| noise.iter().all(|noise| !line.to_lowercase().contains(noise)));
    let text = lines.take(MAX_LINES).collect::<Vec<_>>().join("\n");
    text.chars().take(MAX_CHARACTERS).collect()
}

/// Without colours and other orders to a terminal.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            if rest.next_if_eq(&'[').is_some() {
                for c in rest.by_ref() {
                    if c.is_ascii_alphabetic() {
                        break;
                    }
                }
            }
        } else if c == '\n' || !c.is_control() {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(text: &str) -> Finished {
        let stderr_tail = text.to_owned();
        Finished { status: None, stdout: Vec::new(), stderr_tail, timed_out: false, truncated: false }
    }

    const REGISTRY: &str = "npm.example";

    fn class(text: &str, traffic: &Traffic) -> FailureClass {
        class_of(&finished(text), traffic)
    }

    fn class_of(finished: &Finished, traffic: &Traffic) -> FailureClass {
        of(finished, traffic, &[REGISTRY.to_owned()], "/tmp/w").class
    }

    fn hosts(names: &[&str]) -> std::collections::BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn phrases_of_all_managers_are_understood() {
        for (text, expected) in [
            (
                "npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
                FailureClass::OutOfSync,
            ),
            ("ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with \"frozen-lockfile\"", FailureClass::OutOfSync),
            (
                "error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.",
                FailureClass::OutOfSync,
            ),
            (
                "YN0028: The lockfile would have been modified by this install, which is explicitly forbidden.",
                FailureClass::OutOfSync,
            ),
            ("error: lockfile had changes, but lockfile is frozen", FailureClass::OutOfSync),
            ("npm error code EJSONPARSE", FailureClass::Damaged),
            ("ERR_PNPM_BROKEN_LOCKFILE  The lockfile is broken", FailureClass::Damaged),
            ("npm error code EINTEGRITY", FailureClass::Damaged),
            (
                "npm error code E401\nnpm error 401 Unauthorized - GET https://europe-npm.pkg.dev/team/x",
                FailureClass::PrivateRegistry,
            ),
            ("ERR_PNPM_LOCKFILE_BREAKING_CHANGE  Lockfile not compatible with current pnpm", FailureClass::Unsupported),
            (
                "YN0087: Migrated your project to the latest Yarn version\nYN0028: │ -  version: 6",
                FailureClass::Unsupported,
            ),
            ("npm error code ENOTFOUND", FailureClass::RegistryUnreachable),
            ("npm error code E503\nnpm error 503 Service Unavailable - GET", FailureClass::RegistryUnreachable),
            ("npm error code E404\nnpm error 404 Not Found", FailureClass::Other),
            ("", FailureClass::Other),
        ] {
            assert_eq!(class(text, &Traffic::default()), expected, "{text}");
        }
    }

    #[test]
    fn a_registry_we_cannot_reach_is_our_fault_and_one_nobody_can_reach_is_the_apps() {
        let ours = Traffic { unreachable: hosts(&[REGISTRY]), ..Traffic::default() };
        assert_eq!(class("", &ours), FailureClass::RegistryUnreachable);
        let theirs = Traffic { unreachable: hosts(&["npm.corp.example"]), ..Traffic::default() };
        assert_eq!(class("ENOTFOUND", &theirs), FailureClass::PrivateRegistry);
        let local = Traffic { refused: hosts(&["192.168.1.5"]), ..Traffic::default() };
        assert_eq!(class("", &local), FailureClass::PrivateRegistry);
    }

    #[test]
    fn a_silent_registry_is_not_a_slow_app() {
        let over = Finished { timed_out: true, ..finished("") };
        let silent = Traffic { reached: hosts(&[REGISTRY]), bytes: 0, ..Traffic::default() };
        assert_eq!(class_of(&over, &silent), FailureClass::RegistryUnreachable);
        let busy = Traffic { bytes: 1_000_000, ..silent };
        assert_eq!(class_of(&over, &busy), FailureClass::Timeout);
    }

    #[test]
    fn what_was_said_is_the_same_on_every_machine() {
        let text = "\u{1b}[31mnpm error\u{1b}[0m in /tmp/w-17/checkout/package.json\nnpm error A complete log of this run: /x/_logs/1\nDone in 0.3s\n\n";
        assert_eq!(said(&plain(text), "/tmp/w-17"), "npm error in /checkout/package.json");
        assert!(said(&"x".repeat(100_000), "/w").len() <= MAX_CHARACTERS);
    }
}
