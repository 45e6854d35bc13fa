//! How far judges and people agree on substeps: plainly, beyond chance, and each judge with all people together.

use crate::statistics::{Metric, cohen_kappa, fleiss_kappa, krippendorff_alpha};
use crate::vibe::study::Study;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Everybody against everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgreementMatrix {
    /// The raters, judges first.
    pub raters: Vec<RaterRow>,
    /// Every pair that rated a substep in common, `a` before `b` in the order of raters.
    pub pairs: Vec<PairAgreement>,
    /// All people together.
    pub humans: Reliability,
    /// All raters together.
    pub everybody: Reliability,
}

/// One rater.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RaterRow {
    /// Who.
    pub rater: String,
    /// Whether that is a person.
    pub human: bool,
    /// How many substeps were rated.
    pub rated: u64,
    /// Percent of them that passed: two raters who pass nearly everything agree by chance.
    pub passed_percent: Option<f64>,
    /// With all other people, weighted by the substeps shared with each.
    pub with_humans: Option<Agreed>,
}

/// Equal marks of shared substeps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreed {
    /// Substeps with equal marks.
    pub agreed: u64,
    /// Substeps that both rated.
    pub shared: u64,
    /// In percent.
    pub percent: f64,
}

impl Agreed {
    /// Absent when nothing is shared.
    pub fn new(agreed: u64, shared: u64) -> Option<Self> {
        (shared > 0).then(|| Self { agreed, shared, percent: 100.0 * agreed as f64 / shared as f64 })
    }

    /// Several pairs together: substeps count, not pairs.
    pub fn pooled<'a>(pairs: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let (agreed, shared) =
            pairs.into_iter().fold((0, 0), |(agreed, shared), it| (agreed + it.agreed, shared + it.shared));
        Self::new(agreed, shared)
    }
}

/// Two raters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairAgreement {
    /// One.
    pub a: String,
    /// The other.
    pub b: String,
    /// Plainly.
    pub agreement: Agreed,
    /// Cohen's κ; absent when neither varies.
    pub kappa: Option<f64>,
}

/// How reliable several raters are together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reliability {
    /// Substeps that at least two of them rated.
    pub substeps: u64,
    /// Fleiss' κ; absent when substeps have different numbers of ratings.
    pub fleiss_kappa: Option<f64>,
    /// Krippendorff's α.
    pub krippendorff_alpha: Option<f64>,
}

type Marks<'a> = Cow<'a, [Option<bool>]>;

/// The marks of one workflow of one app, one place for each rater.
type Block<'a> = Vec<Option<Marks<'a>>>;

impl AgreementMatrix {
    /// The study's evaluator and all further raters; absent without further raters.
    pub fn of(study: &Study) -> Option<Self> {
        let mut raters: BTreeMap<(bool, &str), usize> =
            study.ratings.iter().map(|rating| ((rating.human, rating.rater.as_str()), 0)).collect();
        if raters.is_empty() {
            return None;
        }
        raters.insert((false, &study.evaluator), 0);
        raters.values_mut().enumerate().for_each(|(place, rater)| *rater = place);
        let blocks = blocks(study, &raters);
        let raters: Vec<(&str, bool)> = raters.into_keys().map(|(human, rater)| (rater, human)).collect();
        let mut pairs = Vec::new();
        for a in 0..raters.len() {
            pairs.extend((a + 1..raters.len()).filter_map(|b| pair(&blocks, (raters[a].0, a), (raters[b].0, b))));
        }
        let rows = raters.iter().enumerate().map(|(place, (rater, human))| {
            let is_human = |name: &str| raters.iter().any(|(rater, human)| *human && *rater == name);
            let with_humans = pairs
                .iter()
                .filter(|pair| (pair.a == *rater && is_human(&pair.b)) || (pair.b == *rater && is_human(&pair.a)));
            let marks = || blocks.iter().filter_map(|block| block[place].as_ref()).flat_map(|it| it.iter()).flatten();
            let (rated, passed) = (marks().count() as u64, marks().filter(|passed| **passed).count() as u64);
            RaterRow {
                rater: (*rater).to_owned(),
                human: *human,
                rated,
                passed_percent: (rated > 0).then(|| 100.0 * passed as f64 / rated as f64),
                with_humans: Agreed::pooled(with_humans.map(|pair| &pair.agreement)),
            }
        });
        let places = |wanted: &dyn Fn(bool) -> bool| -> Vec<usize> {
            raters.iter().enumerate().filter(|(_, (_, human))| wanted(*human)).map(|(place, _)| place).collect()
        };
        Some(Self {
            raters: rows.collect(),
            humans: Reliability::of(&blocks, &places(&|human| human)),
            everybody: Reliability::of(&blocks, &places(&|_| true)),
            pairs,
        })
    }
}

/// Only workflows with further ratings: the evaluator's verdicts on others can be compared with nothing.
fn blocks<'a>(study: &'a Study, raters: &BTreeMap<(bool, &str), usize>) -> Vec<Block<'a>> {
    let mut blocks: BTreeMap<(&str, &str, u32, &str), Block> = BTreeMap::new();
    for rating in &study.ratings {
        let key = (rating.model.as_str(), rating.task.as_str(), rating.run, rating.workflow.as_str());
        let block = blocks.entry(key).or_insert_with(|| vec![None; raters.len()]);
        block[raters[&(rating.human, rating.rater.as_str())]] = Some(Cow::Borrowed(&rating.marks));
    }
    let own = raters[&(false, study.evaluator.as_str())];
    for app in study.apps.iter().filter(|app| app.variant.is_empty() && app.evaluation == 0) {
        for workflow in &app.workflows {
            let key = (app.model.as_str(), app.task.as_str(), app.run, workflow.workflow.as_str());
            if let Some(place) = blocks.get_mut(&key).and_then(|block| block.get_mut(own))
                && place.is_none()
            {
                *place = workflow.marks().map(Cow::Owned);
            }
        }
    }
    blocks.into_values().collect()
}

/// The marks of two raters for the substeps that both rated.
fn shared<'a>(blocks: &'a [Block], a: usize, b: usize) -> impl Iterator<Item = (bool, bool)> + 'a {
    let both = blocks.iter().filter_map(move |block| Some((block[a].as_ref()?, block[b].as_ref()?)));
    both.flat_map(|(a, b)| a.iter().zip(b.iter())).filter_map(|(a, b)| Some(((*a)?, (*b)?)))
}

fn pair(blocks: &[Block], a: (&str, usize), b: (&str, usize)) -> Option<PairAgreement> {
    let number = |passed: bool| f64::from(u8::from(passed));
    let (first, second): (Vec<f64>, Vec<f64>) = shared(blocks, a.1, b.1).map(|(a, b)| (number(a), number(b))).unzip();
    let agreed = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    Some(PairAgreement {
        a: a.0.to_owned(),
        b: b.0.to_owned(),
        agreement: Agreed::new(agreed as u64, first.len() as u64)?,
        kappa: cohen_kappa(&first, &second).ok(),
    })
}

impl Reliability {
    fn of(blocks: &[Block], places: &[usize]) -> Self {
        let mut units: Vec<Vec<Option<f64>>> = Vec::new();
        for block in blocks {
            let rated: Vec<&Marks> = places.iter().filter_map(|place| block[*place].as_ref()).collect();
            let substeps = rated.iter().map(|marks| marks.len()).max().unwrap_or(0);
            for substep in 0..substeps {
                let given = rated.iter().filter_map(|marks| *marks.get(substep)?);
                let unit: Vec<Option<f64>> = given.map(|passed| Some(f64::from(u8::from(passed)))).collect();
                if unit.len() >= 2 {
                    units.push(unit);
                }
            }
        }
        Self {
            substeps: units.len() as u64,
            fleiss_kappa: fleiss_kappa(&units).ok(),
            krippendorff_alpha: krippendorff_alpha(&units, Metric::Nominal).ok(),
        }
    }
}
