//! What several pages of the quiz show alike.

use crate::address::encode;
use benchwright_domain::board::RankRange;
use benchwright_quiz::board::{DeviceSpeed, PooledAccuracy, RowKey};
use benchwright_quiz::{Backend, Baseline, Catalogue, LetterCounts, Protocol, Source, State, TierCount};
use benchwright_report::{number, text};
use benchwright_store::index::quiz::IndexedShare;

/// Right answers of somebody who guesses, in per cent.
pub const CHANCE: u32 = 25;

/// Where the page of a shared run is.
pub fn run_address(id: &str) -> String {
    format!("/quiz/runs/{}", encode(id))
}

/// Where the page of a pool is.
pub fn pool_address(pool: &str) -> String {
    format!("/quiz/board/{}", encode(pool))
}

/// What people call the model of a pool.
pub fn model_name(catalogue: &Catalogue, key: &RowKey) -> String {
    let known = catalogue.model(&key.model).filter(|_| !key.custom);
    let name = text::line_within(known.map_or(key.model.as_str(), |model| model.name.as_str()), 100);
    if name.is_empty() { "A model without a name".to_owned() } else { name }
}

/// Where questions come from, for people.
pub fn source_name(source: Source) -> &'static str {
    match source {
        Source::Own => "Benchwright’s own questions",
        Source::Mmlu => "MMLU (Hendrycks et al., 2021)",
    }
}

/// What a protocol is called.
pub fn protocol_name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OneMessage1 => "one message with five examples, the official protocol",
        Protocol::ChatTurns1 => "five examples as turns of a chat",
    }
}

/// What a tier is called.
pub fn tier_name(tier: u8) -> &'static str {
    match tier {
        1 => "explicit format",
        2 => "phrased commitment",
        3 => "quoted the choice",
        4 => "weighted letter vote",
        _ => "no answer found",
    }
}

/// Where the computing was done, for people.
pub fn backend_name(backend: Backend) -> &'static str {
    match backend {
        Backend::Webgpu => "WebGPU",
        Backend::Wasm => "WebAssembly",
        Backend::Native => "native",
        Backend::Endpoint => "endpoint",
    }
}

/// A standing, for people.
pub fn standing_name(standing: State) -> &'static str {
    match standing {
        State::Reference => "Reference",
        State::Confirmed => "Confirmed",
        State::Unconfirmed => "Unconfirmed",
        State::Flagged => "Flagged",
        State::Rejected => "Refused",
    }
}

/// An accuracy, ready for a table.
pub struct Measure {
    pub share: String,
    pub interval: String,
    /// On the scale of 100.
    pub point: String,
    pub low: String,
    pub width: String,
}

impl Measure {
    pub fn of(accuracy: &PooledAccuracy) -> Self {
        Self::new(accuracy.share, accuracy.interval.low, accuracy.interval.high)
    }

    pub fn new(share: f64, low: f64, high: f64) -> Self {
        let on_scale = |share: f64| 100.0 * number::finite(share).clamp(0.0, 1.0);
        Self {
            share: number::percent(share),
            interval: format!("{} to {}", number::percent(low), number::percent(high)),
            point: number::points(on_scale(share)),
            low: number::points(on_scale(low)),
            width: number::points(on_scale(high) - on_scale(low)),
        }
    }
}

/// A published accuracy beside a measured one, ready for the page.
pub struct Published {
    pub share: String,
    /// On the scale of 100.
    pub point: String,
    pub protocol: String,
    pub source_url: String,
}

impl Published {
    /// What was published of the model of a row. It stands beside results on MMLU only, which is what was published.
    pub fn of(catalogue: &Catalogue, key: &RowKey) -> Option<Self> {
        let model = catalogue.model(&key.model).filter(|_| key.source == Source::Mmlu && !key.custom)?;
        let Baseline { accuracy, protocol, source_url } = model.baseline.as_ref()?;
        Some(Self {
            share: number::percent(*accuracy),
            point: number::points(100.0 * number::finite(*accuracy).clamp(0.0, 1.0)),
            protocol: protocol.clone(),
            source_url: source_url.clone(),
        })
    }
}

/// A part of a stacked bar.
pub struct Slice {
    pub class: String,
    pub name: String,
    pub x: String,
    pub width: String,
    pub count: u64,
    pub percent: String,
    pub right: String,
}

/// Tiers as parts of one bar.
pub fn slices(tiers: &[TierCount]) -> Vec<Slice> {
    let all: u64 = tiers.iter().map(|tier| tier.answers).sum();
    let mut before = 0;
    let mut slice = |tier: &TierCount| {
        let x = percent(before, all);
        before += tier.answers;
        Slice {
            class: format!("tier-{}", tier.tier),
            name: format!("Tier {}: {}", tier.tier, tier_name(tier.tier)),
            x: number::points(x),
            width: number::points(percent(tier.answers, all)),
            count: tier.answers,
            percent: share(tier.answers, all),
            right: if tier.answers == 0 { "–".to_owned() } else { share(tier.correct, tier.answers) },
        }
    };
    tiers.iter().map(&mut slice).collect()
}

/// A letter: how often it was chosen, and how often it is right.
pub struct LetterBar {
    pub letter: char,
    pub chosen: String,
    pub gold: String,
    /// Heights on a scale of 100, the highest bar being 100.
    pub chosen_height: String,
    pub chosen_y: String,
    pub gold_y: String,
    pub x: usize,
}

/// Letters as bars side by side.
pub fn letter_bars(chosen: &LetterCounts, gold: &LetterCounts) -> Vec<LetterBar> {
    let pairs = [('A', chosen.a, gold.a), ('B', chosen.b, gold.b), ('C', chosen.c, gold.c), ('D', chosen.d, gold.d)];
    let (all_chosen, all_gold) =
        (chosen.a + chosen.b + chosen.c + chosen.d + chosen.none, gold.a + gold.b + gold.c + gold.d);
    let most = pairs
        .iter()
        .map(|(_, chosen, gold)| percent(*chosen, all_chosen).max(percent(*gold, all_gold)))
        .fold(1.0_f64, f64::max);
    let bar = |(place, (letter, chosen, gold)): (usize, (char, u64, u64))| {
        let height = 100.0 * percent(chosen, all_chosen) / most;
        LetterBar {
            letter,
            chosen: share(chosen, all_chosen),
            gold: share(gold, all_gold),
            chosen_height: number::points(height),
            chosen_y: number::points(100.0 - height),
            gold_y: number::points(100.0 - 100.0 * percent(gold, all_gold) / most),
            x: place * 25,
        }
    };
    pairs.into_iter().enumerate().map(bar).collect()
}

/// A line of speeds.
pub struct Speed {
    pub backend: &'static str,
    pub device: String,
    pub runs: usize,
    pub first_token: String,
    pub prefill: String,
    pub decode: String,
}

impl Speed {
    pub fn of(speed: &DeviceSpeed) -> Self {
        let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}"));
        Self {
            backend: backend_name(speed.backend),
            device: text::line_within(&speed.device, 80),
            runs: speed.runs,
            first_token: speed.first_token_ms.map_or_else(|| "–".to_owned(), |ms| number::seconds(ms / 1000.0)),
            prefill: rate(speed.prefill_rate),
            decode: rate(speed.decode_rate),
        }
    }
}

/// A shared run in a list.
pub struct RunLine {
    pub href: String,
    pub id: String,
    pub day: String,
    pub model: String,
    pub quantisation: String,
    pub selection: String,
    pub share: String,
    pub counted: String,
    pub standing: &'static str,
    pub is_ranked: bool,
    pub is_reference: bool,
    pub reasons: Vec<&'static str>,
}

impl RunLine {
    pub fn of(catalogue: &Catalogue, share_: &IndexedShare) -> Self {
        let (correct, n) = (share_.correct(), share_.questions.len() as u64);
        let key = share_.key.as_ref();
        Self {
            href: run_address(&share_.run),
            id: share_.run.clone(),
            day: share_.day.clone(),
            model: key.map(|key| model_name(catalogue, key)).unwrap_or_default(),
            quantisation: key.map(|key| text::line_within(&key.quantisation, 40)).unwrap_or_default(),
            selection: selection_name(&share_.selection),
            share: share(correct, n),
            counted: format!("{correct} of {n}"),
            standing: standing_name(share_.standing),
            is_ranked: share_.is_counted(),
            is_reference: share_.standing == State::Reference,
            reasons: share_.reasons.iter().map(|reason| reason.text()).collect(),
        }
    }

    /// The same, leading to one of its questions.
    pub fn at(mut self, share: &IndexedShare, question: &str) -> Self {
        let place = share.questions.iter().position(|result| result.question_id == question);
        if let Some(place) = place {
            self.href = format!("{}#q{}", self.href, place + 1);
        }
        self
    }
}

/// `quick own 10 4711` as "10 drawn".
pub fn selection_name(selection: &str) -> String {
    let parts: Vec<&str> = selection.split(' ').collect();
    match parts[..] {
        ["quick", _, count, seed] => format!("{count} drawn, seed {seed}"),
        _ => text::line_within(selection, 40),
    }
}

pub fn rank_words(rank: RankRange) -> String {
    if rank.best == rank.worst { rank.best.to_string() } else { format!("{}–{}", rank.best, rank.worst) }
}

fn percent(count: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { 100.0 * count as f64 / of as f64 }
}

pub fn share(count: u64, of: u64) -> String {
    if of == 0 { "–".to_owned() } else { number::percent(count as f64 / of as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_accuracy_stands_beside_results_on_mmlu_only() {
        let mut catalogue = Catalogue::shipped().unwrap();
        catalogue.models[0].baseline = Some(Baseline {
            accuracy: 0.493,
            protocol: "5-shot".to_owned(),
            source_url: "https://paper.example".to_owned(),
        });
        let key = |source, custom, model: &str| RowKey {
            source,
            protocol: Protocol::OneMessage1,
            thinking: false,
            custom,
            model: model.to_owned(),
            quantisation: "q8_0".to_owned(),
            file_sha256: None,
        };
        let (known, other) = (catalogue.models[0].id.clone(), catalogue.models[1].id.clone());
        let published = Published::of(&catalogue, &key(Source::Mmlu, false, &known)).unwrap();
        assert_eq!((published.share.as_str(), published.point.as_str()), ("49.3%", "49.30"));
        for key in [key(Source::Own, false, &known), key(Source::Mmlu, true, &known), key(Source::Mmlu, false, &other)]
        {
            assert!(Published::of(&catalogue, &key).is_none(), "{key:?}");
        }
    }
}
