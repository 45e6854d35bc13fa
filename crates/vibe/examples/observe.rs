//! What a model is told of some pages, for measuring it: `ADDRESS…` prints one JSON list, each page before and after a step that changes little.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::expect_used, reason = "this is a command-line program of the bench")]

#[path = "../../browser/tests/support/mod.rs"]
mod support;

use benchwright_domain::vibe::trace::{Action, Node, Sight};
use benchwright_vibe::walk::observation::{Observation, Part};
use benchwright_vibe::walk::{InMemory, Settings, Stage};
use serde_json::{Value, json};
use std::error::Error;
use std::time::Duration;
use support::Chromium;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let chromium = Chromium::start().await;
    let mut told = Vec::new();
    for address in std::env::args().skip(1) {
        told.push(observed(&chromium, &address).await?);
    }
    println!("{}", Value::Array(told));
    Ok(())
}

async fn observed(chromium: &Chromium, address: &str) -> Result<Value, Box<dyn Error>> {
    let settings = Settings { screenshots: false, ..Settings::default() };
    let mut stage = Stage::open(chromium.browser(), address, settings, Box::new(InMemory::default())).await?;
    stage.perform(&Action::Navigate { url: address.to_owned() }).await?;
    let before = stage.look_at_rest().await?;
    let page = Observation::of(&before, stage.viewport(), Part::Window);
    let changed: Value = stage.page().evaluate_in_page("() => { change(); return null; }", &Value::Null, Duration::from_secs(20)).await?;
    assert_eq!(changed, Value::Null);
    let after = Observation::of(&stage.look_at_rest().await?, stage.viewport(), Part::Window);
    let shown: Vec<Value> = shown(&before, &page);
    let told = json!({
        "url": address,
        "text": page.text(),
        "changed": after.since(&page).unwrap_or_else(|| after.text()),
        "shown": shown,
    });
    stage.close().await?;
    Ok(told)
}

/// The elements a model can name, and where they are.
fn shown(sight: &Sight, page: &Observation) -> Vec<Value> {
    fn add(node: &Node, page: &Observation, found: &mut Vec<Value>) {
        let is_shown = node.reference.as_deref().is_some_and(|reference| page.shows(reference));
        if let Some(place) = node.place.as_ref().filter(|_| is_shown) {
            found.push(json!({ "name": node.name, "x": place.x, "y": place.y, "width": place.width, "height": place.height }));
        }
        for child in &node.children {
            add(child, page, found);
        }
    }
    let mut found = Vec::new();
    add(&sight.root, page, &mut found);
    found
}
