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
    come_to_rest_while(page, patience, async || ()).await;
}

/// As above. The end of the wait only proves that nothing moves any more, which is time to look: what `looking` gives counts if nothing has
/// moved since it began.
pub async fn come_to_rest_while<T>(page: &Page, patience: Patience, looking: impl AsyncFnMut() -> T) -> Option<T> {
    tokio::select! {
        seen = quiet(page, patience, looking) => seen,
        () = page.until_dialog() => None,
    }
}

/// Why nothing that was seen during a watch counts.
enum Stir {
    /// Something moved, and is at rest by now.
    Moved,
    /// The page went away while it was watched.
    Gone,
}

async fn quiet<T>(page: &Page, patience: Patience, mut looking: impl AsyncFnMut() -> T) -> Option<T> {
    let end = Instant::now() + patience.most;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        page.wait_for_network_idle(patience.quiet, left).await;
        let before = page.log().requests.len();
        let left = end.saturating_duration_since(Instant::now());
        let seen = tokio::try_join!(watch(page, patience.quiet, left), async { Ok(looking().await) });
        let is_quiet = page.log().requests.len() == before;
        match seen {
            Ok(((), seen)) if is_quiet => return Some(seen),
            Err(Stir::Moved) if is_quiet => return None,
            Err(Stir::Gone) if page.is_crashed() => return None,
            // A page that goes away while it is watched is waited for anew.
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Watches the tree until it has been quiet; an error unless it was from the start.
async fn watch(page: &Page, quiet: Duration, most: Duration) -> Result<(), Stir> {
    let argument = json!({ "quiet": quiet.as_millis(), "most": most.as_millis() });
    match page.evaluate::<bool>(SCRIPT, &argument, most + Duration::from_secs(5)).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Stir::Moved),
        Err(_) => Err(Stir::Gone),
    }
}
