//! Which control is taken for the one that deletes a marked record, on pages where others are near. Real Chromium.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "../../browser/tests/support/mod.rs"]
mod support;

use benchwright_browser::Page;
use benchwright_scoring::gather::scripts;
use serde_json::{Value, json};
use support::{Chromium, LIMIT, limits};

const SHOW: &str = "(html) => { document.body.innerHTML = html; }";
const ID: &str = "(number) => globalThis.benchwrightElements[number].id";

/// The id of the control that is taken on such a page, if one is.
async fn taken(page: &Page, html: &str) -> Option<String> {
    page.evaluate::<Value>(SHOW, &json!(html), LIMIT).await.unwrap();
    let argument = json!({ "marker": "Bwf7x", "values": false, "row": true });
    let seen: Value = page.evaluate(scripts::BACKEND_MARKER, &argument, LIMIT).await.unwrap();
    assert_eq!(seen["shown"], true, "{html}");
    let number = seen["control"].as_u64()?;
    Some(page.evaluate(ID, &json!(number), LIMIT).await.unwrap())
}

async fn blank(chromium: &Chromium) -> Page {
    let page = chromium.page().await;
    page.goto("about:blank", limits()).await.unwrap();
    page
}

#[tokio::test]
async fn a_control_of_the_marked_record_is_found_wherever_its_box_has_it() {
    let chromium = Chromium::start().await;
    let page = blank(&chromium).await;
    let old = |row: &str| row.replace("Bwf7x", "Old ticket").replace("id=own", "");
    let beside = |row: &str| format!("{}{row}{}", old(row), old(row));
    let cell = "<tr><td>Bwf7x</td><td>open</td><td><form><button id=own>Delete</button></form></td></tr>";
    let item = "<li><div><p>Bwf7x</p><p>15 January</p></div><div class=end><b>12 €</b> <button id=own>Remove</button></div></li>";
    let verbs = "<li><h2>Bwf7x</h2><p>thirsty</p><div><button>Water now</button><button id=own aria-label='Remove Bwf7x'>×</button></div></li>";
    let line = "<div class=row><span>Bwf7x</span> <span>open</span> <button>Edit</button> <button id=own>Delete</button></div>";
    let card = "<div class=card><div>Bwf7x</div><div><button id=own>Delete</button></div></div>";
    let parts = "<div class='card p-6'><div class='head p-6'><h3>Bwf7x</h3></div><div class='body'>Some words</div>\
        <div class='foot p-6'><a href='#'>Edit</a> <a href='#' id=own>Delete</a></div></div>";
    let footed = "<div class=card><h3>Bwf7x</h3><div class=foot><span>15 January</span> <button id=own>Delete</button></div></div>";
    let verbs_in_box = "<div class=row><b>Bwf7x</b> <div class=actions><button>Mark complete</button> <button id=own>Delete</button></div></div>";
    let grid = "<div role=row><div role=cell>Bwf7x</div><div role=cell>open</div><div role=cell><button id=own>Delete</button></div></div>";
    for html in [
        format!("<table><tbody>{}</tbody></table>", beside(cell)),
        format!("<ul>{}</ul>", beside(item)),
        format!("<ul>{verbs}</ul>"),
        format!("<div>{}</div>", beside(line)),
        format!("<div>{card}</div>"),
        format!("<div>{}</div>", beside(card)),
        format!("<div>{parts}</div>"),
        format!("<div>{}</div>", beside(parts)),
        format!("<div>{}</div>", beside(footed)),
        format!("<div>{}</div>", beside(verbs_in_box)),
        format!("<div role=table>{}</div>", beside(grid)),
        "<section><h2>Bwf7x</h2><div><button>Edit</button> <button id=own>Delete</button></div><p>Some words</p></section>"
            .to_owned(),
        format!("<style>.row button {{ display: none }}</style><div>{}{}</div>", old(line), line.replace("id=own", "id=own style='display: inline'")),
    ] {
        assert_eq!(taken(&page, &html).await.as_deref(), Some("own"), "{html}");
    }
}

#[tokio::test]
async fn a_control_that_may_belong_to_something_else_is_left_alone() {
    let chromium = Chromium::start().await;
    let page = blank(&chromium).await;
    for html in [
        // The neighbour has a control, ours has none.
        "<div class=list><div class=row>Bwf7x <button>Close</button></div><div class=row>Old ticket <button>Delete</button></div></div>",
        "<div><div>Bwf7x <button>Close</button></div><div>Old ticket <button>Delete</button></div></div>",
        "<div><section class='row on'>Bwf7x</section><section class=row><button>Old ticket</button><button>×</button></section></div>",
        "<div><article>Bwf7x</article><article>Old ticket <button>Delete</button></article></div>",
        "<div><span>Bwf7x</span><button>Close</button><span>Old ticket</span><button>Delete</button></div>",
        "<div><h3>Bwf7x</h3><button>Close</button><h3>Old ticket</h3><button>Delete</button></div>",
        "<dl><dt>Bwf7x</dt><dd>open</dd><dt>Old ticket</dt><dd><button>Delete</button></dd></dl>",
        // The mouse rests on another row than ours, or on another day of a calendar.
        "<div><div class=row>Bwf7x <button hidden>Delete</button></div><div class=row>Old ticket <button>Delete</button></div></div>",
        "<table><tbody><tr><td><i>Bwf7x</i></td><td><i>Old ticket</i> <button>×</button></td></tr></tbody></table>",
        // Something else is open beside the list.
        "<div><div class=list><div class=row>Bwf7x</div></div><div class=pane><p>Old ticket</p><button>Delete</button></div></div>",
        "<article><div class=list><div>Bwf7x</div></div><div class=pane><p>Old ticket</p><button>Delete</button></div></article>",
        "<div><div class=list><div class=row>Bwf7x</div><div class=row>Old ticket</div></div><div class=bar><button>Delete</button></div></div>",
        "<div><ul><li>Bwf7x</li></ul><div><button>Delete</button></div></div>",
        // The record stands in something of somebody else's.
        "<section><h3>Old ticket</h3><button>Delete</button><div class=comments><div>Bwf7x</div></div></section>",
        "<ul><li><div class=head>To do <button>Delete</button></div><div class=card>Bwf7x</div></li></ul>",
        "<ul><li>Bwf7x <ul><li>Old ticket <button>Delete</button></li></ul></li></ul>",
        "<div><div>Bwf7x</div><button>Delete list</button></div>",
        // Columns, days and groups are made alike, but what stands in them is another record.
        "<div><div class=day><i>Bwf7x</i></div><div class=day><i>Feast</i><p>Old ticket <button>Delete</button></p></div></div>",
        "<div><div class=day><i>Bwf7x</i><p>Old ticket <button>Delete</button></p></div><div class=day><i>Feast</i></div></div>",
        "<div><div class=day><i>Bwf7x</i><p>Old ticket <button>×</button></p></div><div class=day><i>Feast</i><p>Next <button>×</button></p></div>\
         <div class=day><p>Last <button>×</button></p></div></div>",
        "<div><div class=col><div class=on>Bwf7x</div><div class=row><button>Old ticket</button><button>×</button></div></div>\
         <div class=col><div class=row><button>Next</button><button>×</button></div></div></div>",
        "<div><div class=col><div>Bwf7x</div><div>Old ticket <button>Delete</button></div></div>\
         <div class=col><div>Next</div><div>Last <button>Delete</button></div></div></div>",
        "<div><div class=col><div class=top>Old ticket <button>Delete</button></div><p>Bwf7x</p></div>\
         <div class=col><div class=top>Next <button>Delete</button></div><p>Last</p></div></div>",
        // Two controls are one too many.
        "<div><div>Bwf7x</div><button>Delete</button><button>Remove</button></div>",
    ] {
        assert_eq!(taken(&page, html).await, None, "{html}");
    }
}
