//! Closed shadow roots: no script of a page reaches them from outside, but the browser does.

use super::evaluate::{Argument, Deadline};
use crate::error::BrowserError;
use crate::frame::Frame;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;

/// Most nodes by which closed roots are found in one frame.
const MAX_NODES: usize = 500;
/// The type of a node that is a shadow root.
const FRAGMENT: u64 = 11;

const ADOPT: &str = "function (node) { \
    const root = node.getRootNode(); \
    if (root.host) (this.closedRoots ??= new WeakMap()).set(root.host, root); }";

impl Frame {
    /// Hands every closed shadow root of this frame to our isolated world, where the engine then has them in its
    /// `closedRoots`, a map from hosts to roots. By how many nodes they were found.
    pub async fn adopt_closed_roots(&self, limit: Duration) -> Result<usize, BrowserError> {
        let deadline = Deadline::after(limit);
        let world = self.isolated_world(deadline).await?;
        let params = json!({ "computedStyles": [] });
        let page = self.page();
        let snapshot =
            page.call_session(&world.session, "DOMSnapshot.captureSnapshot", params, deadline.left()).await?;
        let roots = in_closed_roots(&snapshot, self.id());
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

/// One node or more of each closed shadow root of a frame's document.
fn in_closed_roots(snapshot: &Value, frame: &str) -> Vec<u64> {
    let string = |index: &Value| index.as_u64().and_then(|index| snapshot["strings"].get(usize::try_from(index).ok()?));
    let documents = snapshot["documents"].as_array().into_iter().flatten();
    let own = documents.filter(|document| string(&document["frameId"]).and_then(Value::as_str) == Some(frame));
    let mut found = Vec::new();
    for nodes in own.map(|document| &document["nodes"]) {
        let kinds = &nodes["shadowRootType"];
        let listed =
            kinds["index"].as_array().into_iter().flatten().zip(kinds["value"].as_array().into_iter().flatten());
        let closed: HashSet<usize> = listed
            .filter(|(_, kind)| string(kind).and_then(Value::as_str) == Some("closed"))
            .filter_map(|(index, _)| usize::try_from(index.as_u64()?).ok())
            .collect();
        // The browser marks everything in a root. What has its parent outside, or the root itself as parent, is enough.
        let is_first = |node: &usize| {
            let parent = nodes["parentIndex"][*node].as_u64().and_then(|parent| usize::try_from(parent).ok());
            parent.is_none_or(|parent| !closed.contains(&parent) || nodes["nodeType"][parent] == FRAGMENT)
        };
        found.extend(
            closed.iter().filter(|node| is_first(node)).filter_map(|node| nodes["backendNodeId"][*node].as_u64()),
        );
    }
    found.sort_unstable();
    found.truncate(MAX_NODES);
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
                { "frameId": 0, "nodes": { "backendNodeId": [10, 11, 12, 13, 14], "parentIndex": [-1, 0, 0, 2, 3],
                    "shadowRootType": { "index": [1, 3, 4], "value": [1, 2, 2] } } },
                { "frameId": 3, "nodes": { "backendNodeId": [20, 21, 22], "parentIndex": [-1, 0, 1], "nodeType": [9, 11, 1],
                    "shadowRootType": { "index": [1, 2], "value": [2, 2] } } },
            ],
        });
        assert_eq!(in_closed_roots(&snapshot, "F"), [13]);
        assert_eq!(in_closed_roots(&snapshot, "G"), [21, 22]);
        assert!(in_closed_roots(&json!({}), "F").is_empty());
    }
}
