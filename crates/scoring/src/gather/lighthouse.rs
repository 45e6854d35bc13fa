//! Lighthouse in the quiet lane: alone on the machine, a fresh browser and profile for every run, one warm Node process for all.

use super::{StepError, rounded};
use crate::conduct::Workbench;
use crate::evidence::lighthouse::{Attempt, AttemptResult, Lighthouse, Run, Thresholds};
use crate::evidence::{Absence, Load};
use crate::gather::load::origin;
use crate::request::{Access, LighthouseSettings, Request, seconds};
use benchwright_sandbox::egress::Egress;
use benchwright_sandbox::instrument::{Instrument, InstrumentError};
use benchwright_sandbox::machine;
use benchwright_sandbox::quiet::QuietLock;
use benchwright_sandbox::{RunningChromium, SandboxError, Scratch, chromium};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a run waits for other runs on this machine to leave the quiet lane.
const LOCK_LIMIT: Duration = Duration::from_mins(30);

/// What is measured, and with what.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The page, and how often it is measured.
    pub request: &'a Request,
    /// What opens its door.
    pub access: &'a Access,
    /// Browser, instruments, lock.
    pub bench: &'a Workbench,
    /// Where profiles go.
    pub scratch: &'a Scratch,
    /// The browser's only way out, if it has no other.
    pub egress: Option<&'a Egress>,
}

/// Measures as often as the settings ask for, and again while every run so far was contended, within the total limit. The first run takes
/// `browser`, if one was started in advance.
pub async fn measure(
    subject: Subject<'_>,
    instrument: &mut Instrument,
    mut browser: Option<Started>,
    step: &(dyn Fn(&str) + Sync),
) -> Result<Lighthouse, StepError> {
    let Subject { request, bench, .. } = subject;
    let settings = &request.lighthouse;
    let thresholds = thresholds(settings);
    let waiting = Instant::now();
    let _alone = QuietLock::exclusive(&bench.quiet_lock, LOCK_LIMIT).await?;
    let lock_wait_seconds = rounded(waiting.elapsed().as_secs_f64());
    let begun = Instant::now();
    let mut attempts: Vec<Attempt> = Vec::new();
    while wants_another(&attempts, settings.runs) {
        let left = settings.total_seconds - begun.elapsed().as_secs_f64();
        if left < 1.0 {
            break;
        }
        step(&format!("Lighthouse run {} of {}", attempts.len() + 1, settings.runs.max(attempts.len() + 1)));
        let visit = Visit {
            limit: seconds(left.min(settings.run_seconds)),
            thresholds: &thresholds,
            benchmark: attempts.is_empty() || thresholds.calibrated_index.is_some(),
            another_follows: attempts.len() + 1 < settings.runs,
        };
        let attempt;
        (attempt, browser) = visit.attempt(subject, instrument, browser).await;
        attempts.push(attempt);
    }
    if let Some(Ok(unused)) = browser {
        unused.close().await;
    }
    let version = bench.instruments.versions().get("lighthouse").cloned().unwrap_or_default();
    Ok(Lighthouse { version, attempts, thresholds, lock_wait_seconds })
}

/// One uncontended run suffices; contended ones are repeated, at most as often again as runs were asked for.
fn wants_another(attempts: &[Attempt], runs: usize) -> bool {
    let usable = |attempt: &Attempt| attempt.contended.is_none() && is_measured(attempt);
    attempts.len() < runs || (attempts.len() < runs * 2 && !attempts.iter().any(usable))
}

fn is_measured(attempt: &Attempt) -> bool {
    matches!(attempt.result, AttemptResult::Measured { .. })
}

fn thresholds(settings: &LighthouseSettings) -> Thresholds {
    Thresholds {
        calibrated_index: settings.calibrated_index,
        min_index_share: settings.min_index_share,
        max_steal_share: settings.max_steal_share,
    }
}

/// A browser that was started, or why it was not.
pub type Started = Result<RunningChromium, SandboxError>;

/// One visit to the page by a browser of its own.
struct Visit<'a> {
    limit: Duration,
    thresholds: &'a Thresholds,
    /// It takes a second. Once tells what machine this is; every visit is told apart by it only where there is something to compare with.
    benchmark: bool,
    another_follows: bool,
}

impl Visit<'_> {
    /// Visits and reads what the visit left behind. The machine must be quiet for the visit only, so the browser of the next one starts
    /// while this one is read.
    async fn attempt(
        &self,
        subject: Subject<'_>,
        instrument: &mut Instrument,
        browser: Option<Started>,
    ) -> (Attempt, Option<Started>) {
        let begun = Instant::now();
        let browser = match browser {
            Some(started) => started,
            None => start_browser(subject).await,
        };
        let load_before = one_minute_load();
        let cpu_before = machine::cpu_times();
        let visited = self.visit(subject, instrument, &browser).await;
        let steal_share = cpu_before
            .zip(machine::cpu_times())
            .and_then(|(before, after)| before.shares_until(after))
            .map(|shares| shares.steal);
        let load_after = one_minute_load();
        let (result, next) = tokio::join!(self.read(instrument, visited), self.change_browsers(subject, browser));
        let index = match &result {
            AttemptResult::Measured { run } => run.benchmark_index,
            _ => None,
        };
        let attempt = Attempt {
            seconds: rounded(begun.elapsed().as_secs_f64()),
            contended: contention(index, steal_share, self.thresholds),
            result,
            load_before,
            load_after,
            steal_share: steal_share.map(rounded),
        };
        (attempt, next)
    }

    async fn visit(
        &self,
        subject: Subject<'_>,
        instrument: &mut Instrument,
        browser: &Started,
    ) -> Result<(), AttemptResult> {
        let browser = browser.as_ref().map_err(|error| AttemptResult::Failed { reason: error.to_string() })?;
        let params = json!({
            "url": subject.request.url,
            "port": browser.port,
            "maxWaitForLoadMs": 45_000,
            "benchmark": self.benchmark,
            "extraHeaders": extra_headers(subject.access),
        });
        instrument.call("visit", params, self.limit).await.map(drop).map_err(|error| self.failed(&error))
    }

    async fn read(&self, instrument: &mut Instrument, visited: Result<(), AttemptResult>) -> AttemptResult {
        match visited {
            Ok(()) => match instrument.call("facts", Value::Null, self.limit).await {
                Ok(facts) => measured(facts),
                Err(error) => self.failed(&error),
            },
            Err(failed) => failed,
        }
    }

    async fn change_browsers(&self, subject: Subject<'_>, browser: Started) -> Option<Started> {
        if let Ok(browser) = browser {
            browser.close().await;
        }
        if self.another_follows { Some(start_browser(subject).await) } else { None }
    }

    fn failed(&self, error: &InstrumentError) -> AttemptResult {
        match error {
            InstrumentError::TimedOut { .. } => {
                AttemptResult::TimedOut { after_seconds: rounded(self.limit.as_secs_f64()) }
            }
            other => AttemptResult::Failed { reason: other.to_string() },
        }
    }
}

/// Starts a browser with a profile of its own.
pub async fn start_browser(subject: Subject<'_>) -> Started {
    let Subject { request, bench, scratch, egress, .. } = subject;
    chromium::launch(bench.launch(scratch, true, request, egress)).await
}

fn one_minute_load() -> Option<f64> {
    machine::load_average().map(|[minute, ..]| minute)
}

/// Why a run on a machine like that does not count, if it does not.
pub fn contention(index: Option<f64>, steal: Option<f64>, thresholds: &Thresholds) -> Option<String> {
    if let (Some(index), Some(calibrated)) = (index, thresholds.calibrated_index) {
        let least = calibrated * thresholds.min_index_share;
        if index < least {
            return Some(format!(
                "benchmark index {index:.0} is below {least:.0} ({:.0} % of this machine's calibrated {calibrated:.0})",
                thresholds.min_index_share * 100.0
            ));
        }
    }
    let steal = steal.filter(|steal| *steal > thresholds.max_steal_share)?;
    Some(format!(
        "{:.1} % of CPU time was stolen by other virtual machines (limit {:.1} %)",
        steal * 100.0,
        thresholds.max_steal_share * 100.0
    ))
}

fn measured(value: Value) -> AttemptResult {
    if let Some(error) = value.get("runtimeError").filter(|error| !error.is_null()) {
        let text = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
        return AttemptResult::Failed { reason: text };
    }
    match serde_json::from_value::<Run>(value) {
        Ok(run) if run.score.is_some() => AttemptResult::Measured { run: Box::new(run) },
        Ok(_) => AttemptResult::Failed { reason: "lighthouse gave no performance score".to_owned() },
        Err(error) => AttemptResult::Failed { reason: format!("lighthouse's answer cannot be read: {error}") },
    }
}

fn extra_headers(access: &Access) -> Value {
    let mut headers: serde_json::Map<String, Value> =
        access.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    if !access.cookies.is_empty() {
        let cookies: Vec<_> = access.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        headers.insert("Cookie".to_owned(), json!(cookies.join("; ")));
    }
    if let Some((user, password)) = &access.basic_auth {
        use base64::Engine as _;
        let token = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        headers.insert("Authorization".to_owned(), json!(format!("Basic {token}")));
    }
    if headers.is_empty() { Value::Null } else { Value::Object(headers) }
}

/// Lighthouse sends extra headers to every origin. So where the page talks to others, credentials stay home and C4 is not measured.
pub fn refusal(access: &Access, load: &Load) -> Option<Absence> {
    if access.names().is_empty() {
        return None;
    }
    let own = origin(&load.final_url);
    let other = load
        .requests
        .iter()
        .filter_map(|request| origin(&request.url))
        .find(|o| o.starts_with("http") && Some(o) != own.as_ref())?;
    Some(Absence::NoInput {
        reason: format!("Lighthouse would send your credentials to {other} too; score a deployment that needs none"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::load::Request as LoadedRequest;

    fn limits(calibrated: Option<f64>) -> Thresholds {
        Thresholds { calibrated_index: calibrated, min_index_share: 0.8, max_steal_share: 0.05 }
    }

    fn attempt_that(contended: bool) -> Attempt {
        Attempt {
            result: AttemptResult::Measured { run: Box::default() },
            contended: contended.then(|| "busy".to_owned()),
            ..Attempt::default()
        }
    }

    #[test]
    fn a_slow_machine_is_contended_only_against_its_own_calibration() {
        assert_eq!(contention(Some(400.0), Some(0.0), &limits(None)), None);
        assert_eq!(contention(Some(800.0), Some(0.0), &limits(Some(1000.0))), None);
        let reason = contention(Some(799.0), Some(0.0), &limits(Some(1000.0))).unwrap();
        assert!(reason.contains("799") && reason.contains("800"), "{reason}");
    }

    #[test]
    fn stolen_time_is_contention() {
        assert_eq!(contention(None, Some(0.05), &limits(None)), None);
        assert!(contention(None, Some(0.06), &limits(None)).unwrap().contains("6.0 %"));
    }

    #[test]
    fn one_uncontended_run_suffices_and_contended_ones_are_repeated_but_not_for_ever() {
        assert!(wants_another(&[attempt_that(false)], 3));
        assert!(!wants_another(&[attempt_that(true), attempt_that(true), attempt_that(false)], 3));
        let busy: Vec<_> = (0..3).map(|_| attempt_that(true)).collect();
        assert!(wants_another(&busy, 3));
        let busy: Vec<_> = (0..6).map(|_| attempt_that(true)).collect();
        assert!(!wants_another(&busy, 3));
    }

    #[test]
    fn credentials_are_not_sent_to_other_origins() {
        let access = Access { cookies: vec![("session".into(), "s3cret".into())], ..Access::default() };
        let mut load = Load { final_url: "https://app.example/".into(), ..Load::default() };
        load.requests.push(LoadedRequest { url: "https://app.example/a.js".into(), ..LoadedRequest::default() });
        assert_eq!(refusal(&access, &load), None);
        load.requests.push(LoadedRequest { url: "https://cdn.example/b.js".into(), ..LoadedRequest::default() });
        let Some(Absence::NoInput { reason }) = refusal(&access, &load) else { panic!("must refuse") };
        assert!(reason.contains("https://cdn.example") && !reason.contains("s3cret"), "{reason}");
        assert_eq!(refusal(&Access::default(), &load), None);
    }
}
