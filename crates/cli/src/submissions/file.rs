//! The shape of the file, read so that an entry that is wrong leaves the others alone.

use benchwright_domain::yaml::{self, Refusal};
use benchwright_scoring::request::Account;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Ample for as many entries as a file may hold.
const MOST_NODES: usize = 60_000;

/// What could be read of the file.
pub(super) struct File {
    pub(super) schema: Option<Spanned<u32>>,
    pub(super) runs: Vec<Spanned<Fields>>,
}

/// One entry. Field names are those of the published format; snake_case is understood too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Fields {
    pub(super) tool: Spanned<String>,
    pub(super) prompt: Spanned<String>,
    pub(super) url: String,
    pub(super) source: Option<PathBuf>,
    #[serde(default, alias = "run_idx")]
    pub(super) run_idx: u32,
    #[serde(default, alias = "tool_version")]
    pub(super) tool_version: Option<String>,
    #[serde(default, alias = "prompt_submitted_at", deserialize_with = "moment")]
    pub(super) prompt_submitted_at: Option<jiff::Timestamp>,
    #[serde(default, alias = "first_render_at", deserialize_with = "moment")]
    pub(super) first_render_at: Option<jiff::Timestamp>,
    #[serde(default, alias = "working_build_at", deserialize_with = "moment")]
    pub(super) working_build_at: Option<jiff::Timestamp>,
    #[serde(default, deserialize_with = "amount")]
    pub(super) duration: Option<f64>,
    #[serde(default, deserialize_with = "amount")]
    pub(super) cost: Option<f64>,
    pub(super) note: Option<String>,
    #[serde(default)]
    pub(super) routes: Vec<String>,
    pub(super) backend: Option<Backend>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Backend {
    pub(super) user_a: Account,
    pub(super) user_b: Account,
    #[serde(default, rename = "backend_url", alias = "backendUrl")]
    pub(super) address: Option<String>,
}

/// Reads a file: its entries, and what is wrong with those that cannot be read. Reading YAML ends at the first mistake, so the file is
/// read again without the entry that holds it.
pub(super) fn read(text: &str) -> Result<(File, Vec<Refusal>), Refusal> {
    let mut wrong: BTreeMap<usize, Refusal> = BTreeMap::new();
    loop {
        let at = Cell::new(None);
        let file = yaml::read_with(text, MOST_NODES, WholeFile(Reading { wrong: &wrong, at: &at }));
        match (file, at.get()) {
            (Ok(file), _) => return Ok((file, wrong.into_values().collect())),
            (Err(refusal), Some(index)) => wrong.insert(index, refusal),
            // Between entries, or in one that cannot even be skipped: what is wrong is the file.
            (Err(refusal), None) => return Err(refusal),
        };
    }
}

/// One reading of the file.
#[derive(Clone, Copy)]
struct Reading<'a> {
    /// Entries to skip, by their number.
    wrong: &'a BTreeMap<usize, Refusal>,
    /// The entry that is being read.
    at: &'a Cell<Option<usize>>,
}

struct WholeFile<'a>(Reading<'a>);

struct Runs<'a>(Reading<'a>);

struct Run<'a>(Reading<'a>, usize);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Schema,
    Runs,
}

impl<'de> DeserializeSeed<'de> for WholeFile<'_> {
    type Value = File;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<File, D::Error> {
        deserializer.deserialize_struct("File", &["schema", "runs"], self)
    }
}

impl<'de> Visitor<'de> for WholeFile<'_> {
    type Value = File;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with the list `runs`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
        let (mut schema, mut runs) = (None, None);
        while let Some(key) = map.next_key()? {
            match key {
                Key::Schema => schema = map.next_value()?,
                Key::Runs => runs = Some(map.next_value_seed(Runs(self.0))?),
            }
        }
        let runs = runs.ok_or_else(|| A::Error::missing_field("runs"))?;
        Ok(File { schema, runs })
    }
}

impl<'de> DeserializeSeed<'de> for Runs<'_> {
    type Value = Vec<Spanned<Fields>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Runs<'_> {
    type Value = Vec<Spanned<Fields>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut runs = Vec::new();
        let mut number = 0;
        while let Some(run) = list.next_element_seed(Run(self.0, number))? {
            runs.extend(run);
            number += 1;
        }
        Ok(runs)
    }
}

impl<'de> DeserializeSeed<'de> for Run<'_> {
    type Value = Option<Spanned<Fields>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let Self(Reading { wrong, at }, number) = self;
        if wrong.contains_key(&number) {
            IgnoredAny::deserialize(deserializer)?;
            return Ok(None);
        }
        at.set(Some(number));
        let run = Spanned::deserialize(deserializer)?;
        at.set(None);
        Ok(Some(run))
    }
}

fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<jiff::Timestamp>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = || serde::de::Error::custom("this must be a time such as 2026-11-16T10:15:00Z");
    text.parse().map(Some).map_err(|_| wrong())
}

fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value = f64::deserialize(deserializer)?;
    let sensible = value.is_finite() && value >= 0.0;
    if sensible { Ok(Some(value)) } else { Err(serde::de::Error::custom("this must be a number, 0 or more")) }
}
