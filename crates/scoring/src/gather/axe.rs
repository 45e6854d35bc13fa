//! Runs axe-core in the loaded page, frame by frame, under an outer time limit: on some pages a single rule never ends.

use super::{StepError, scripts};
use crate::evidence::Axe;
use crate::request::{Request, seconds};
use benchwright_browser::{BrowserError, Frame, Page};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Frames beyond this are not scanned: a page of a thousand advertisements would take the whole limit.
const MAX_FRAMES: usize = 30;

#[derive(Deserialize)]
struct Scanned {
    partial: String,
    frames: Vec<ChildFrame>,
    elements: usize,
}

#[derive(Deserialize)]
struct ChildFrame {
    selector: Vec<Value>,
    context: Value,
}

/// Scans the page and all frames it shows. `engine` is the text of the pinned axe-core.
pub async fn scan(page: &Page, engine: &str, request: &Request) -> Result<Axe, StepError> {
    let limit = seconds(request.limits.axe_seconds);
    let scanning = scan_frames(page, engine, limit);
    tokio::time::timeout(limit, scanning)
        .await
        .unwrap_or(Err(StepError::Page(format!("axe-core was over its limit of {} s", limit.as_secs()))))
}

async fn scan_frames(page: &Page, engine: &str, limit: Duration) -> Result<Axe, StepError> {
    let main = page
        .frames()
        .await
        .into_iter()
        .next()
        .ok_or_else(|| StepError::Page("the page has no main frame".to_owned()))?;
    let scan = FrameScan { loader: format!("() => {{ {engine}\n; return true; }}"), deadline: Instant::now() + limit };
    let first = scan.partial(&main, &json!({})).await?;
    let mut partials = vec![Some(first.partial)];
    let mut elements = first.elements;
    // Depth first, children in order: that is the order in which finishRun matches results to frames.
    let mut waiting: Vec<(Frame, ChildFrame)> =
        first.frames.into_iter().rev().map(|child| (main.clone(), child)).collect();
    while let Some((parent, child)) = waiting.pop() {
        let scanned = if partials.len() < MAX_FRAMES { scan.child(&parent, &child).await } else { None };
        match scanned {
            Some((frame, found)) => {
                elements += found.elements;
                partials.push(Some(found.partial));
                waiting.extend(found.frames.into_iter().rev().map(|grandchild| (frame.clone(), grandchild)));
            }
            None => partials.push(None),
        }
    }
    let argument = json!({ "partials": partials, "elements": elements });
    Ok(main.evaluate(scripts::AXE_FINISH, &argument, scan.left()).await?)
}

struct FrameScan {
    loader: String,
    deadline: Instant,
}

impl FrameScan {
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    async fn partial(&self, frame: &Frame, argument: &Value) -> Result<Scanned, BrowserError> {
        let _: bool = frame.evaluate(&self.loader, &Value::Null, self.left()).await?;
        frame.evaluate(scripts::AXE_PARTIAL, argument, self.left()).await
    }

    /// A frame that cannot be scanned (gone, crashed, sandboxed away) is left out, as axe itself does.
    async fn child(&self, parent: &Frame, child: &ChildFrame) -> Option<(Frame, Scanned)> {
        let selector = child.selector.first()?.as_str()?;
        let frame = parent.child_frame_at(selector).await.ok()??;
        let found = self.partial(&frame, &json!({ "context": child.context })).await.ok()?;
        Some((frame, found))
    }
}
