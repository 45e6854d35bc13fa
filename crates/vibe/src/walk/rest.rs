//! Waiting until a page has come to rest: nothing under way in its network, nothing moving in its tree.

use benchwright_browser::Page;
use serde_json::json;
use std::time::{Duration, Instant};

const SCRIPT: &str = include_str!("scripts/rest.js");

/// How long a page must be quiet, and how long that is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long network and tree must be quiet.
    pub quiet: Duration,
    /// How long that is waited for; a page that never rests is taken as it is then.
    pub most: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { quiet: Duration::from_millis(150), most: Duration::from_secs(6) }
    }
}

/// Waits until the page rests, or a dialog of the browser stops it.
pub async fn come_to_rest(page: &Page, patience: Patience) {
    tokio::select! {
        () = quiet(page, patience) => {}
        () = page.until_dialog() => {}
    }
}

async fn quiet(page: &Page, patience: Patience) {
    let end = Instant::now() + patience.most;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        page.wait_for_network_idle(patience.quiet, left).await;
        let left = end.saturating_duration_since(Instant::now());
        let argument = json!({ "quiet": patience.quiet.as_millis(), "most": left.as_millis() });
        let before = page.log().requests.len();
        // A page that goes away while it is watched is waited for anew.
        let watched = page.evaluate::<bool>(SCRIPT, &argument, left + Duration::from_secs(5)).await;
        match watched {
            Ok(_) if page.log().requests.len() == before => return,
            Err(_) if page.is_crashed() => return,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}
