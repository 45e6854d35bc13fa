//! Which controls are opened in search of the way out, on pages whose records have controls too. Real Chromium.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "../../browser/tests/support/mod.rs"]
mod support;

use benchwright_browser::Page;
use benchwright_scoring::gather::backend::survey::Survey;
use benchwright_scoring::gather::scripts;
use serde_json::{Value, json};
use support::{Chromium, LIMIT, limits};

const SHOW: &str = "(html) => { document.body.innerHTML = html; }";
const PICTURE: &str = "<button><svg width=16 height=16><circle r=8 cx=8 cy=8 /></svg></button>";

/// How many controls of such a page are taken for menus.
async fn menus(page: &Page, html: &str) -> usize {
    let html = html.replace("<picture>", PICTURE);
    page.evaluate::<Value>(SHOW, &json!(html), LIMIT).await.unwrap();
    let seen: Survey = page.evaluate(scripts::BACKEND_SURVEY, &json!({}), LIMIT).await.unwrap();
    assert!(!seen.controls.is_empty(), "{html}");
    seen.controls.iter().filter(|control| control.is_menu()).count()
}

async fn blank(chromium: &Chromium) -> Page {
    let page = chromium.page().await;
    page.goto("about:blank", limits()).await.unwrap();
    page
}

#[tokio::test]
async fn buttons_of_records_are_no_menus() {
    let chromium = Chromium::start().await;
    let page = blank(&chromium).await;
    let card = "<div class=card><header><h3>Milk</h3><picture></header></div>";
    let plain_card = "<div class=card><header><b>Milk</b><picture></header></div>";
    for html in [
        "<ul><li>Milk <button>X</button></li></ul>".to_owned(),
        "<div><div class=row>Milk <button>X</button></div><div class=row>Eggs <button>OK</button></div></div>"
            .to_owned(),
        "<table><tr><td>Milk</td><td><button>DL</button></td></tr></table>".to_owned(),
        card.to_owned(),
        card.repeat(2),
        plain_card.repeat(2),
        format!("<header><a href='https://a.example/'>Notes</a></header><main>{plain_card}</main>"),
        card.replace("div", "section"),
        plain_card.replace("div", "section"),
        plain_card.replace("div", "article"),
        "<main><header><b>Milk</b><picture></header><header><b>Eggs</b><picture></header></main>".to_owned(),
    ] {
        assert_eq!(menus(&page, &html).await, 0, "{html}");
    }
}

#[tokio::test]
async fn avatars_are_menus() {
    let chromium = Chromium::start().await;
    let page = blank(&chromium).await;
    let card = "<div class=card><header><h3>Milk</h3><picture></header></div>";
    for html in [
        "<div class=top>Notes <button>AL</button></div>".to_owned(),
        "<nav><ul><li><button>AL</button></li></ul></nav>".to_owned(),
        "<header><h1>Notes</h1><ul><li><button>AL</button></li></ul></header>".to_owned(),
        format!("<header><h1>Notes</h1><picture></header><main>{}</main>", card.repeat(2)),
        format!(
            "<div id=root><div class=top><header>Notes <picture></header></div><div class=page><header>All</header>{card}</div></div>"
        ),
        "<div hidden><header>Log in</header></div><main><header><picture></header></main>".to_owned(),
        "<div role=banner>Notes <picture></div>".to_owned(),
    ] {
        assert_eq!(menus(&page, &html).await, 1, "{html}");
    }
}
