//! Closed shadow roots: no script of a page reaches them from outside, but the browser does.

use super::evaluate::{Argument, Deadline};
use crate::error::BrowserError;
use crate::frame::Frame;
use serde_json::{Value, json};
use std::time::Duration;

/// Most closed roots that are looked into in one frame.
const MAX_ROOTS: usize = 300;

const ADOPT: &str = "function (root) { (this.closedRoots ??= new WeakMap()).set(root.host, root); }";

impl Frame {
    /// Hands every closed shadow root of this frame to our isolated world, where the engine then has them in its
    /// `closedRoots`, a map from hosts to roots. How many there are.
    pub async fn adopt_closed_roots(&self, limit: Duration) -> Result<usize, BrowserError> {
        let deadline = Deadline::after(limit);
        let world = self.isolated_world(deadline).await?;
        let params = json!({ "computedStyles": [] });
        let page = self.page();
        let snapshot =
            page.call_session(&world.session, "DOMSnapshot.captureSnapshot", params, deadline.left()).await?;
        let roots = closed_roots(&snapshot, self.id());
        for root in &roots {
            let params = json!({ "backendNodeId": root, "executionContextId": world.context });
            let answer = page.call_session(&world.session, "DOM.resolveNode", params, deadline.left()).await;
            // A root that went away meanwhile is not there to be seen.
            let Ok(answer) = answer else { continue };
            let Some(object) = answer["object"]["objectId"].as_str() else { continue };
            let adopted = self.ask_engine(ADOPT, &[Argument::Object(object.to_owned())], true, deadline).await;
            self.release(&world, object);
            adopted?;
        }
        Ok(roots.len())
    }
}

/// The nodes that are closed shadow roots of a frame's document.
fn closed_roots(snapshot: &Value, frame: &str) -> Vec<u64> {
    let string = |index: &Value| index.as_u64().and_then(|index| snapshot["strings"].get(usize::try_from(index).ok()?));
    let documents = snapshot["documents"].as_array().into_iter().flatten();
    let own = documents.filter(|document| string(&document["frameId"]).and_then(Value::as_str) == Some(frame));
    let mut found = Vec::new();
    for document in own {
        let kinds = &document["nodes"]["shadowRootType"];
        let (indices, values) = (kinds["index"].as_array(), kinds["value"].as_array());
        for (index, value) in indices.into_iter().flatten().zip(values.into_iter().flatten()) {
            if string(value).and_then(Value::as_str) == Some("closed") {
                let node = index.as_u64().and_then(|index| usize::try_from(index).ok());
                found.extend(node.and_then(|node| document["nodes"]["backendNodeId"][node].as_u64()));
            }
        }
    }
    found.truncate(MAX_ROOTS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_closed_roots_of_the_frame_are_found() {
        let snapshot = json!({
            "strings": ["F", "open", "closed", "G"],
            "documents": [
                { "frameId": 0, "nodes": { "backendNodeId": [10, 11, 12, 13],
                    "shadowRootType": { "index": [1, 3], "value": [1, 2] } } },
                { "frameId": 3, "nodes": { "backendNodeId": [20, 21],
                    "shadowRootType": { "index": [1], "value": [2] } } },
            ],
        });
        assert_eq!(closed_roots(&snapshot, "F"), [13]);
        assert_eq!(closed_roots(&snapshot, "G"), [21]);
        assert!(closed_roots(&json!({}), "F").is_empty());
    }
}
