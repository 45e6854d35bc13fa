//! The page as a screen reader meets it, with a reference for each element.

use super::Page;
use super::evaluate::{Argument, Deadline};
use crate::error::BrowserError;
use crate::frame::{Frame, typed};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

/// Frames within frames that are looked into, and how many in all.
const MAX_DEPTH: usize = 8;
const MAX_FRAMES: usize = 50;

const SNAPSHOT: &str = "function () { const root = document.body ?? document.documentElement; \
    return root ? this.ariaSnapshot(root, { mode: 'ai' }) : ''; }";

impl Page {
    /// The page as a tree of roles and names with element references; `locator("aria-ref=e5")` then finds that
    /// element, until the next snapshot or navigation.
    pub async fn aria_snapshot(&self, limit: Duration) -> Result<String, BrowserError> {
        let deadline = Deadline::after(limit);
        let mut taken = 0;
        snapshot_of(&self.main_frame(), deadline, MAX_DEPTH, &mut taken).await
    }
}

async fn snapshot_of(
    frame: &Frame,
    deadline: Deadline,
    depth: usize,
    taken: &mut usize,
) -> Result<String, BrowserError> {
    *taken += 1;
    let (_, text) = frame.ask_engine(SNAPSHOT, &[], true, deadline).await?;
    let text: String = typed(text.value())?;
    let mut inside = HashMap::new();
    for reference in iframe_references(&text) {
        if depth == 0 || *taken >= MAX_FRAMES {
            break;
        }
        let Ok(Some(child)) = frame_of_reference(frame, &reference, deadline).await else { continue };
        // A frame that cannot be read (hung, gone meanwhile) stays closed in the tree.
        if let Ok(text) = Box::pin(snapshot_of(&child, deadline, depth - 1, taken)).await {
            inside.insert(reference, text);
        }
    }
    Ok(merge(&text, &inside))
}

async fn frame_of_reference(frame: &Frame, reference: &str, deadline: Deadline) -> Result<Option<Frame>, BrowserError> {
    let function = "function (reference) { \
        return this.querySelectorAll(this.parseSelector('aria-ref=' + reference), document)[0] ?? null; }";
    let arguments = [Argument::Value(json!(reference))];
    let (world, found) = frame.ask_engine(function, &arguments, false, deadline).await?;
    match found {
        super::evaluate::Returned::Value(_) => Ok(None),
        super::evaluate::Returned::Object(element) => {
            let child = frame.content_frame(&world, &element, deadline).await;
            frame.release(&world, &element);
            child
        }
    }
}

/// The references of lines that stand for a frame.
fn iframe_references(text: &str) -> Vec<String> {
    text.lines().filter_map(iframe_reference).map(str::to_owned).collect()
}

fn iframe_reference(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("- iframe")?;
    let start = rest.rfind("[ref=")? + "[ref=".len();
    let reference = &rest[start..start + rest[start..].find(']')?];
    reference.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(reference)
}

/// Puts each frame's own tree under the line that stands for it.
fn merge(text: &str, inside: &HashMap<String, String>) -> String {
    let mut merged = Vec::new();
    for line in text.lines() {
        let child = iframe_reference(line).and_then(|reference| inside.get(reference)).filter(|text| !text.is_empty());
        let Some(child) = child else {
            merged.push(line.to_owned());
            continue;
        };
        let indent = line.len() - line.trim_start().len() + 2;
        merged.push(format!("{}:", line.trim_end_matches(':')));
        merged.extend(child.lines().map(|line| format!("{}{line}", " ".repeat(indent))));
    }
    merged.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_put_under_its_line() {
        let text = "- main [ref=e1]:\n  - iframe \"[ref=e9]\" [ref=e2]\n  - text: \"- iframe [ref=e3]\"";
        assert_eq!(iframe_references(text), ["e2"]);
        let inside = HashMap::from([("e2".to_owned(), "- button \"Go\" [ref=f1e1]".to_owned())]);
        let expected = "- main [ref=e1]:\n  - iframe \"[ref=e9]\" [ref=e2]:\n    - button \"Go\" [ref=f1e1]\n  \
                        - text: \"- iframe [ref=e3]\"";
        assert_eq!(merge(text, &inside), expected);
    }

    #[test]
    fn a_closed_frame_stays_a_line() {
        assert_eq!(merge("- iframe [ref=e2]", &HashMap::new()), "- iframe [ref=e2]");
    }
}
