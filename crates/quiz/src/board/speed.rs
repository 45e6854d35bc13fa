//! How fast models run, by class of device.

use super::{DeviceSpeed, RunSpeed};
use crate::submission::{Answer, Backend, Device, Engine, Submission};
use std::collections::BTreeMap;

/// A class of devices that fewer runs share is shown by its family alone.
const MIN_RUNS: usize = 3;
/// A rate is told from so many tokens on.
const MIN_TOKENS: u32 = 8;

/// The speed of a run, from the answers during which the page was visible; nothing when there are none.
pub(super) fn of(submission: &Submission) -> Option<RunSpeed> {
    let visible: Vec<&Answer> = submission.answers.iter().filter(|answer| !answer.hidden).collect();
    if visible.is_empty() {
        return None;
    }
    let middle = |of: fn(&Answer) -> Option<f64>| median(visible.iter().filter_map(|answer| of(answer)).collect());
    let device = submission.device.as_ref();
    Some(RunSpeed {
        backend: submission.engine.backend,
        device_class: class(&submission.engine, device),
        device_family: family(&submission.engine, device),
        first_token_ms: middle(|answer| answer.first_token_ms),
        prefill_rate: middle(prefill_rate),
        decode_rate: middle(decode_rate),
    })
}

/// Tokens of the prompt that had to be read, a second.
pub(crate) fn prefill_rate(answer: &Answer) -> Option<f64> {
    let tokens = answer.prompt_tokens.checked_sub(answer.cached_tokens?)?;
    rate(tokens, answer.first_token_ms?)
}

/// Tokens after the first, a second.
fn decode_rate(answer: &Answer) -> Option<f64> {
    rate(answer.output_tokens.checked_sub(1)?, answer.total_ms - answer.first_token_ms?)
}

fn rate(tokens: u32, milliseconds: f64) -> Option<f64> {
    (tokens >= MIN_TOKENS && milliseconds > 0.0).then(|| f64::from(tokens) * 1000.0 / milliseconds)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// What is known of the part that computes: the graphics processor, or the cores and threads.
fn class(engine: &Engine, device: Option<&Device>) -> String {
    let known = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
    let parts: Vec<String> = match engine.backend {
        Backend::Webgpu => [
            known(device.and_then(|it| it.gpu_vendor.as_ref())),
            known(device.and_then(|it| it.gpu_architecture.as_ref())),
        ]
        .into_iter()
        .flatten()
        .collect(),
        Backend::Wasm | Backend::Native => {
            let cores = device.and_then(|it| it.cores_bucket.as_ref()).map(|cores| format!("{cores} cores"));
            let threads = engine
                .threads
                .map(|threads| if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") });
            cores.into_iter().chain(threads).collect()
        }
        Backend::Endpoint => Vec::new(),
    };
    if parts.is_empty() { family(engine, device) } else { parts.join(", ") }
}

fn family(engine: &Engine, device: Option<&Device>) -> String {
    match engine.backend {
        Backend::Webgpu => device
            .and_then(|it| it.gpu_vendor.clone())
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| "graphics processor".to_owned()),
        Backend::Wasm | Backend::Native => "processor".to_owned(),
        Backend::Endpoint => "endpoint".to_owned(),
    }
}

impl RunSpeed {
    /// Whether enough of these runs are of its class of device that the class may be told.
    pub fn is_common_among<'a>(&self, runs: impl Iterator<Item = &'a Self>) -> bool {
        runs.filter(|run| run.backend == self.backend && run.device_class == self.device_class).count() >= MIN_RUNS
    }
}

/// The medians over runs, by class of device.
pub(super) fn by_device<'a>(speeds: impl Iterator<Item = &'a RunSpeed>) -> Vec<DeviceSpeed> {
    let mut classes: BTreeMap<(Backend, &str), Vec<&RunSpeed>> = BTreeMap::new();
    for speed in speeds {
        classes.entry((speed.backend, &speed.device_class)).or_default().push(speed);
    }
    let mut shown: BTreeMap<(Backend, &str), Vec<&RunSpeed>> = BTreeMap::new();
    for ((backend, class), runs) in classes {
        for run in &runs {
            let name = if runs.len() < MIN_RUNS { run.device_family.as_str() } else { class };
            shown.entry((backend, name)).or_default().push(run);
        }
    }
    let middle =
        |runs: &[&RunSpeed], of: fn(&RunSpeed) -> Option<f64>| median(runs.iter().filter_map(|run| of(run)).collect());
    shown
        .into_iter()
        .map(|((backend, device), runs)| DeviceSpeed {
            backend,
            device: device.to_owned(),
            runs: runs.len(),
            first_token_ms: middle(&runs, |run| run.first_token_ms),
            prefill_rate: middle(&runs, |run| run.prefill_rate),
            decode_rate: middle(&runs, |run| run.decode_rate),
        })
        .collect()
}
