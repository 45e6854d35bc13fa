//! A scripted peer in place of Chromium: noise, strangers and a lost pipe.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

use benchwright_browser::{Browser, BrowserError, ContextOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};

struct Peer {
    stream: DuplexStream,
}

impl Peer {
    async fn hear(&mut self) -> Value {
        let mut bytes = Vec::new();
        loop {
            match self.stream.read_u8().await.unwrap() {
                0 => return serde_json::from_slice(&bytes).unwrap(),
                byte => bytes.push(byte),
            }
        }
    }

    async fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
        self.stream.write_u8(0).await.unwrap();
    }

    async fn answer(&mut self, method: &str, result: Value) {
        let asked = self.hear().await;
        assert_eq!(asked["method"], method);
        self.say(&json!({ "id": asked["id"], "result": result }).to_string()).await;
    }
}

async fn connected() -> (Browser, Peer) {
    let (ours, theirs) = duplex(1024 * 1024);
    let (reader, writer) = split(ours);
    let mut peer = Peer { stream: theirs };
    let (browser, ()) = tokio::join!(Browser::connect(reader, writer, None), async {
        peer.say("noise before the first word").await;
        peer.answer("Browser.getVersion", json!({ "product": "Chrome/1" })).await;
        peer.answer("Target.setAutoAttach", json!({})).await;
    });
    (browser.unwrap(), peer)
}

#[tokio::test]
async fn strangers_are_let_go() {
    let (browser, mut peer) = connected().await;
    for (kind, context) in [("browser_ui", "C1"), ("page", "not ours"), ("never_seen", "C1")] {
        let event = json!({ "method": "Target.attachedToTarget", "params": { "sessionId": kind, "waitingForDebugger": true,
            "targetInfo": { "targetId": "T", "type": kind, "browserContextId": context } } });
        peer.say(&event.to_string()).await;
        let resumed = peer.hear().await;
        assert_eq!(
            (&resumed["method"], &resumed["sessionId"]),
            (&json!("Runtime.runIfWaitingForDebugger"), &json!(kind))
        );
        let detached = peer.hear().await;
        assert_eq!(
            (&detached["method"], &detached["params"]["sessionId"]),
            (&json!("Target.detachFromTarget"), &json!(kind))
        );
    }
    assert!(browser.is_connected());
}

#[tokio::test]
async fn shapeless_events_are_survived() {
    let (browser, mut peer) = connected().await;
    let methods = [
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Target.targetCrashed",
        "Inspector.targetCrashed",
        "Browser.downloadWillBegin",
        "Browser.downloadProgress",
        "Page.frameNavigated",
        "",
    ];
    for method in methods {
        for params in
            [json!(null), json!([]), json!("x"), json!({}), json!({ "sessionId": 5, "frameId": {}, "guid": [] })]
        {
            peer.say(&json!({ "method": method, "params": params }).to_string()).await;
            peer.say(&json!({ "method": method, "sessionId": "nobody", "params": params }).to_string()).await;
        }
    }
    let (version, ()) =
        tokio::join!(browser.version(), peer.answer("Browser.getVersion", json!({ "product": "Chrome/2" })));
    assert_eq!(version.unwrap(), "Chrome/2");
}

#[tokio::test]
async fn a_peer_that_hangs_up_is_noticed() {
    let (browser, mut peer) = connected().await;
    let (answer, ()) = tokio::join!(browser.new_context(ContextOptions::default()), async move {
        peer.hear().await;
        drop(peer);
    });
    assert_eq!(answer.err(), Some(BrowserError::Disconnected));
    assert!(!browser.is_connected());
    assert_eq!(browser.version().await, Err(BrowserError::Disconnected));
}

#[tokio::test]
async fn a_peer_that_is_no_browser_is_refused() {
    let (ours, theirs) = duplex(1024);
    drop(theirs);
    let (reader, writer) = split(ours);
    assert_eq!(Browser::connect(reader, writer, None).await.err(), Some(BrowserError::Disconnected));
}
