//! What somebody asks for through the queue: an app to be scored, or to be shown to somebody who reviews it.

use crate::details::BlobId;
use serde::{Deserialize, Serialize};

/// Format version of [`Order`]; raised when a reader of the old form would misread the new one.
pub const ORDER_FORMAT: u32 = 2;
/// The first format knew only of scoring. Orders to score are still written in it.
const SCORING: u32 = 1;

/// What kind of work a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobKind {
    /// An app is scored.
    Score,
    /// An app is shown to somebody who reviews it.
    Review,
}

/// Which app is shown to a reviewer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewOrder {
    /// The run in which it was evaluated; absent for the item that every reviewer begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// What a job is to do. Whoever takes the job decides everything that is not in here: limits, judges, the way out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Format version.
    pub format: u32,
    /// The address to score; empty where nothing is.
    pub url: String,
    /// The app to show instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOrder>,
    /// The source as a ZIP, kept as a blob of the run until the run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<BlobId>,
    /// Id of the prompt the app was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The scorers to run; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// The tool that built the app, lower-case words joined by dashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Which repetition of the same tool and prompt this is, from 0.
    #[serde(default)]
    pub run_index: u32,
    /// Seconds from the prompt to a working build, as the submitter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_build_seconds: Option<f64>,
    /// What building the app cost in dollars, as the submitter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Anything else the submitter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Order {
    /// Scores an address, and says nothing else.
    pub fn of(url: impl Into<String>) -> Self {
        Self { format: SCORING, url: url.into(), ..Self::default() }
    }

    /// Shows an app to whoever asks.
    pub fn to_review(review: ReviewOrder) -> Self {
        Self { format: ORDER_FORMAT, review: Some(review), ..Self::default() }
    }

    /// What kind of work it is.
    pub fn kind(&self) -> JobKind {
        if self.review.is_some() { JobKind::Review } else { JobKind::Score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_of_the_first_format_is_read_for_ever() {
        let bare: Order = serde_json::from_str(r#"{"format":1,"url":"https://app.example/","run_index":0}"#).unwrap();
        assert_eq!(bare, Order::of("https://app.example/"));
        let text = r#"{"format":1,"url":"https://app.example/","source":"00ff","prompt":"todo","only":["f1"],
            "tool":"kiln","tool_version":"2","run_index":3,"working_build_seconds":60.5,"cost_usd":1.25,"note":"one retry"}"#;
        let full: Order = serde_json::from_str(text).unwrap();
        assert_eq!((full.tool.as_deref(), full.run_index, full.cost_usd), (Some("kiln"), 3, Some(1.25)));
        assert_eq!(serde_json::from_str::<Order>(&serde_json::to_string(&full).unwrap()).unwrap(), full);
        assert_eq!(full.kind(), JobKind::Score);
    }

    #[test]
    fn an_order_to_show_an_app_is_of_the_second_format_and_no_order_to_score() {
        let text = r#"{"format":2,"url":"","review":{"run":"20261117T080000Z-aa"},"run_index":0}"#;
        let order: Order = serde_json::from_str(text).unwrap();
        assert_eq!(order, Order::to_review(ReviewOrder { run: Some("20261117T080000Z-aa".to_owned()) }));
        assert_eq!(serde_json::to_string(&order).unwrap(), text);
        assert_eq!((order.kind(), Order::of("x").format), (JobKind::Review, 1));
        let calibration: Order = serde_json::from_str(r#"{"format":2,"url":"","review":{}}"#).unwrap();
        assert_eq!(calibration, Order::to_review(ReviewOrder::default()));
    }
}
