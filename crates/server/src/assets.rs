//! Style sheet, script and icon, each under a name that changes with its content.

use crate::encoding::{Effort, Encoded, fingerprint};

const FOR_EVER: &str = "public, max-age=31536000, immutable";
const OWN_STYLE: &str = include_str!("../../../site/assets/site.css");
const SCRIPT: &str = include_str!("../../../site/assets/site.js");
const QUIZ_STYLE: &str = include_str!("../../../site/assets/quiz.css");
const VIBE_STYLE: &str = include_str!("../../../site/assets/vibe.css");
const REPLAY_SCRIPT: &str = include_str!("../../../site/assets/replay.js");
const ICON: &str = include_str!("../../../site/assets/icon.svg");

/// A file of the site.
pub struct Asset {
    /// Where it is.
    pub path: String,
    /// What it is.
    pub body: Encoded,
}

/// All files of the site.
pub struct Assets {
    pub style: Asset,
    /// What pages of the quiz add to it.
    pub quiz_style: Asset,
    /// What pages of the vibe track add to it.
    pub vibe_style: Asset,
    /// What the page of a replay adds for keys and a slider.
    pub replay_script: Asset,
    pub script: Asset,
    pub icon: Asset,
}

impl Assets {
    pub fn new() -> Self {
        Self {
            style: Asset::new("site", "css", "text/css; charset=utf-8", benchwright_report::style_sheet() + OWN_STYLE),
            quiz_style: Asset::new(
                "quiz",
                "css",
                "text/css; charset=utf-8",
                benchwright_report::quiz::html::own_style().to_owned() + QUIZ_STYLE,
            ),
            vibe_style: Asset::new(
                "vibe",
                "css",
                "text/css; charset=utf-8",
                benchwright_report::vibe::own_style().to_owned() + VIBE_STYLE,
            ),
            replay_script: Asset::new("replay", "js", "text/javascript; charset=utf-8", REPLAY_SCRIPT.to_owned()),
            script: Asset::new("site", "js", "text/javascript; charset=utf-8", SCRIPT.to_owned()),
            icon: Asset::new("icon", "svg", "image/svg+xml", ICON.to_owned()),
        }
    }

    /// The file with this name.
    pub fn find(&self, name: &str) -> Option<&Encoded> {
        let styles = [&self.style, &self.quiz_style, &self.vibe_style];
        let mut all = styles.into_iter().chain([&self.script, &self.replay_script, &self.icon]);
        all.find(|asset| asset.path.strip_prefix("/assets/") == Some(name)).map(|asset| &asset.body)
    }
}

impl Asset {
    fn new(name: &str, extension: &str, content_type: &'static str, text: String) -> Self {
        let path = format!("/assets/{name}.{}.{extension}", fingerprint(text.as_bytes()));
        Self { path, body: Encoded::new(content_type, FOR_EVER, Effort::Asset, text) }
    }
}
