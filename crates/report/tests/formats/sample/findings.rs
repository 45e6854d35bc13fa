//! What stands behind the scores of the decent page: one of every kind of place, fact and item.

use benchwright_domain::{Details, Item, ItemStatus, Place, Rect};

fn element(selector: &str, html: &str, note: Option<&str>, shot: &str, [x, y, width, height]: [f64; 4]) -> Place {
    Place::Element {
        selector: selector.into(),
        html: html.into(),
        note: note.map(str::to_owned),
        shot: Some(shot.into()),
        rect: Some(Rect { x, y, width, height }),
    }
}

pub fn render_success() -> Details {
    Details::default()
        .fact("first_text_ms", 412.0)
        .fact("text_characters", 486)
        .item(Item::new("status", ItemStatus::Passed, "The server answers with 200."))
        .item(Item::new("text", ItemStatus::Passed, "The page shows text."))
}

pub fn runtime_errors() -> Details {
    let thrown = Item::new("exception", ItemStatus::Failed, "An exception is thrown while the page loads.")
        .fix("Guard the empty list in `renderWeek` before calling `map`.")
        .gain(0.2)
        .places(
            [Place::Log {
                channel: "exception".into(),
                text: "TypeError: Cannot read properties of undefined (reading 'map')\n    at renderWeek (app.js:214:19)\n    at boot (app.js:12:3)".into(),
                url: Some("https://fernwood.example/assets/app.js".into()),
                line: Some(214),
            }],
            5,
        );
    let not_found = Item::new("request", ItemStatus::Failed, "A file the page asks for is not there.")
        .fix("Put `tour.webm` into the build, or take the preload out.")
        .gain(0.2)
        .places(
            [Place::Request {
                method: "GET".into(),
                url: "https://fernwood.example/media/tour.webm".into(),
                status: Some(404),
                bytes: Some(1834),
                error: None,
            }],
            5,
        );
    Details::default().fact("error_count", 2).item(thrown).item(not_found)
}

pub fn accessibility() -> Details {
    let links = (0..4).map(|n| {
        let x = [1154.0, 1219.0, 1279.0, 1328.0][n];
        let name = ["Product", "Pricing", "Docs", "Sign in"][n];
        element(
            &format!("nav > div > a:nth-child({})", n + 1),
            &format!("<a href=\"/{}\">{name}</a>", name.to_lowercase().replace(' ', "-")),
            Some("contrast 2.16 of 4.5: #9fb3a8 on #ffffff, 13 px"),
            "full",
            [x, 29.0, 40.0, 15.0],
        )
    });
    let ghost = element(
        ".hero button.ghost",
        "<button class=\"ghost\">Watch the tour</button>",
        Some("contrast 1.35 of 4.5: #b9cbbf on #dfe8e2, 16 px"),
        "full",
        [190.0, 313.0, 151.0, 52.0],
    );
    let contrast = Item::new("color-contrast", ItemStatus::Failed, "Text is too faint to read against its background.")
        .severity("serious")
        .measured("9 elements below the ratio")
        .expected("4.5 to 1, or 3 to 1 for large text")
        .fix("Darken the link colour to at least #5d7468 and the quiet button's text to #3f5a4b.")
        .gain(0.34)
        .places(std::iter::once(ghost).chain(links).chain((0..4).map(|_| Place::Text { text: "…".into() })), 5);
    let button = Item::new("button-name", ItemStatus::Failed, "A button has no name that a screen reader could say.")
        .severity("critical")
        .fix("Give the menu button an `aria-label`.")
        .gain(0.2)
        .places(
            [element(
                "#menu",
                "<button id=\"menu\"><svg viewBox=\"0 0 24 24\"></svg></button>",
                None,
                "mobile",
                [315.0, 16.0, 40.0, 40.0],
            )],
            5,
        );
    Details::default()
        .fact("violations", 2)
        .fact("affected_elements", 10)
        .fact("rules_checked", 61)
        .item(button)
        .item(contrast)
        .item(Item::new("image-alt", ItemStatus::Passed, "Every picture has a text alternative."))
        .item(Item::new("document-title", ItemStatus::Passed, "The document has a title."))
        .item(Item::new("video-caption", ItemStatus::NotApplicable, "There is no video."))
}

pub fn performance() -> Details {
    Details::default()
        .fact("lcp_ms", 2840.3)
        .fact("fcp_ms", 1210.0)
        .fact("tbt_ms", 86.0)
        .fact("cls", 0.043)
        .fact("runs", 3)
        .item(
            Item::new("image-delivery", ItemStatus::Failed, "Pictures are larger than they are shown.")
                .measured("412 KiB that nobody sees")
                .fix("Serve the hero picture at 720 px as AVIF or WebP, with `srcset`.")
                .gain(0.12)
                .places(
                    [Place::Request {
                        method: "GET".into(),
                        url: "https://fernwood.example/media/hero@4x.png".into(),
                        status: Some(200),
                        bytes: Some(612_340),
                        error: None,
                    }],
                    5,
                ),
        )
        .note("Median of 3 runs; the machine was quiet during all of them.")
}

pub fn payload() -> Details {
    Details::default().fact("script_bytes", 148_230).fact("style_bytes", 18_022).fact("is_fallback", false)
}

pub fn seo() -> Details {
    Details::default()
        .item(
            Item::check("meta_description", false, "The page has a description.", "The page has no description.")
                .measured("none")
                .expected("50 to 160 characters")
                .fix("Add `<meta name=\"description\" content=\"…\">` with one sentence on what Fernwood does.")
                .gain(0.25),
        )
        .items(
            ["title", "lang", "heading_hierarchy"]
                .map(|id| Item::new(id, ItemStatus::Passed, format!("The {id} is right."))),
        )
}

pub fn design() -> Details {
    Details::default()
        .fact("font_family_count", 2)
        .fact("whitespace_share", 0.463)
        .item(
            Item::new("spacing_grid", ItemStatus::Failed, "Spacing does not follow a common step.")
                .measured("61% of distances on a 4 px grid")
                .expected("at least 80%")
                .fix("Round paddings and gaps to multiples of 4 px.")
                .gain(0.143),
        )
        .item(Item::new("palette", ItemStatus::Info, "11 colours are in use, 4 of them once."))
}

pub fn responsive() -> Details {
    let footer = element(
        "footer",
        "<footer>© 2026 Fernwood. Terms · Privacy</footer>",
        None,
        "full",
        [0.0, 1024.0, 1440.0, 88.0],
    );
    Details::default().fact("small_target_share", 0.38).item(
        Item::new("touch_targets", ItemStatus::Failed, "Many targets are too small for a thumb.")
            .measured("38% below 44 px")
            .expected("at most 20%")
            .fix("Give the navigation links 12 px of padding on phones.")
            .places([footer], 5),
    )
}

pub fn headers() -> Details {
    let absent = |name: &str, fix: &str| {
        Item::new(name.to_lowercase(), ItemStatus::Failed, format!("`{name}` is not sent."))
            .fix(fix)
            .gain(0.125)
            .places([Place::Header { name: name.into(), value: None }], 1)
    };
    let weak = Item::new("strict-transport-security", ItemStatus::Failed, "HTTPS is enforced for too short a time.")
        .measured("1 hour")
        .expected("at least 180 days")
        .fix("Send `Strict-Transport-Security: max-age=31536000; includeSubDomains`.")
        .gain(0.125)
        .places([Place::Header { name: "Strict-Transport-Security".into(), value: Some("max-age=3600".into()) }], 1);
    let secret = Item::new("secret", ItemStatus::Failed, "A key stands in the shipped script.")
        .severity("critical")
        .fix("Revoke the key, and call the mail service from the server.")
        .gain(0.25)
        .places(
            [Place::Code {
                file: "assets/app.js".into(),
                line: 31,
                column: Some(14),
                text: "const key = \"sk_live_51H••••••••\";".into(),
            }],
            3,
        );
    Details::default()
        .item(absent("Content-Security-Policy", "Start with `default-src 'self'` and allow what the console names."))
        .item(weak)
        .item(secret)
        .item(Item::new("x-content-type-options", ItemStatus::Passed, "Types are not guessed."))
        .note("The half on secrets in source needs the source folder.")
}
