//! The item that every reviewer begins with: an app whose right marks are known.

use crate::vibe::analysis::agreement::Agreed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Calibration`].
pub const CALIBRATION_FORMAT: u32 = 1;

/// The right marks of the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Which item; another one after any change.
    pub item: String,
    /// By workflow: whether each substep passes.
    pub marks: BTreeMap<String, Vec<bool>>,
}

/// What one reviewer said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// Format version.
    pub format: u32,
    /// Which item.
    pub item: String,
    /// By workflow: whether each substep passes; absent where the reviewer could not tell.
    pub marks: BTreeMap<String, Vec<Option<bool>>>,
    /// When something was last said; RFC 3339, UTC.
    pub at: String,
}

impl Calibration {
    /// Of whoever has said nothing yet.
    pub fn begun(key: &Key, at: &str) -> Self {
        Self { format: CALIBRATION_FORMAT, item: key.item.clone(), marks: BTreeMap::new(), at: at.to_owned() }
    }

    /// Whether something was said of every workflow of this very item.
    pub fn is_done(&self, key: &Key) -> bool {
        self.item == key.item && key.marks.keys().all(|workflow| self.marks.contains_key(workflow))
    }

    /// How far it agrees with the key. Who could not tell what can be told does not agree.
    pub fn agreement(&self, key: &Key) -> Option<Agreed> {
        if self.item != key.item {
            return None;
        }
        let said = key.marks.iter().filter_map(|(workflow, right)| Some((right, self.marks.get(workflow)?)));
        let places = said.flat_map(|(right, marks)| {
            right.iter().enumerate().map(|(place, right)| marks.get(place) == Some(&Some(*right)))
        });
        let (agreed, all) = places.fold((0, 0), |(agreed, all), equal| (agreed + u64::from(equal), all + 1));
        Agreed::new(agreed, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        let marks = [("a", vec![true, true, false]), ("b", vec![false, true])];
        Key { item: "one".to_owned(), marks: marks.map(|(name, marks)| (name.to_owned(), marks)).into() }
    }

    #[test]
    fn it_is_done_when_every_workflow_has_marks_and_every_known_mark_counts() {
        let mut said = Calibration::begun(&key(), "2026-11-17T08:00:00Z");
        assert!(!said.is_done(&key()) && said.agreement(&key()).is_none());
        said.marks.insert("a".to_owned(), vec![Some(true), None, Some(true)]);
        assert!(!said.is_done(&key()));
        assert_eq!(said.agreement(&key()).map(|it| (it.agreed, it.shared)), Some((1, 3)));
        said.marks.insert("b".to_owned(), vec![Some(false), Some(true)]);
        assert!(said.is_done(&key()));
        assert_eq!(said.agreement(&key()).map(|it| (it.agreed, it.shared, it.percent)), Some((3, 5, 60.0)));
    }

    #[test]
    fn another_item_has_to_be_done_again() {
        let mut said = Calibration::begun(&key(), "");
        said.marks =
            key().marks.into_iter().map(|(name, marks)| (name, marks.into_iter().map(Some).collect())).collect();
        assert!(said.is_done(&key()));
        let other = Key { item: "two".to_owned(), ..key() };
        assert!(!said.is_done(&other) && said.agreement(&other).is_none());
    }

    #[test]
    fn the_first_format_is_read_for_ever() {
        let text = r#"{"format":1,"item":"one","marks":{"a":[true,null,false]},"at":"2026-11-17T08:00:00Z"}"#;
        let said: Calibration = serde_json::from_str(text).unwrap();
        assert_eq!(said.marks["a"], [Some(true), None, Some(false)]);
        assert_eq!(serde_json::to_string(&said).unwrap(), text);
    }
}
