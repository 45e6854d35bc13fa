//! The scripts that look at the page, each one function expression `(argument) => …` to be evaluated in an isolated world.
//!
//! They are put together from the files beside this one: `dom.js` reads a hostile document safely and within limits, the others say what
//! to read. `argument` is a JSON object; `budget_ms` (default 5,000) and `node_limit` (default 150,000) bound every script.

macro_rules! script {
    ($file:literal) => {
        concat!(
            "(argument) => { const dom = (\n",
            include_str!("dom.js"),
            ")(argument?.budget_ms ?? 5000, argument?.node_limit ?? 150000); return (\n",
            include_str!($file),
            ")(argument, dom); }"
        )
    };
}

macro_rules! axe_script {
    ($file:literal) => {
        concat!(
            "(argument) => { const dom = (\n",
            include_str!("dom.js"),
            ")(argument?.budget_ms ?? 5000, argument?.node_limit ?? 200000); const report = (\n",
            include_str!("axe_report.js"),
            ")(dom); return (\n",
            include_str!($file),
            ")(argument, dom, report); }"
        )
    };
}

/// Gives what [`crate::evidence::Load`] holds of the document: `visibleTextLength`, `visibleTextSample`, `inlineScriptBytes`,
/// `inlineStyleBytes` and `title`. Text in open shadow roots counts; text that is clipped, transparent or off the page does not.
/// Argument: `{}`.
pub const RENDERED: &str = script!("rendered.js");

/// Gives [`crate::evidence::Content`] without the well-known files. Argument: `{}`.
pub const CONTENT: &str = script!("content.js");

/// Gives [`crate::evidence::Design`] without the whitespace share. Argument: `{}`.
pub const DESIGN: &str = script!("design.js");

/// Gives [`crate::evidence::viewports::ViewportFacts`]. Argument: `{"width": 360, "touch": true}`.
pub const VIEWPORT: &str = script!("viewport.js");

/// Scrolls to `top`, or only looks, and gives `{"top", "height", "room", "view"}` of what scrolls. Argument: `{"top": number | null}`.
pub const SCROLL: &str = script!("scroll.js");

/// Gives [`crate::evidence::Axe`] of the main frame alone. Argument: `{}`; axe-core must have been evaluated in the same world.
pub const AXE: &str = axe_script!("axe.js");

/// Scans one frame for [`AXE_FINISH`]. Argument: `{"context": …}`, or `{}` in the main frame.
/// Gives `{"partial": string, "frames": [{"selector": [string], "context": …}], "elements": number}`.
pub const AXE_PARTIAL: &str = axe_script!("axe_partial.js");

/// Gives [`crate::evidence::Axe`] of all frames. Argument: `{"partials": [string | null], "elements": sum over the frames}`.
pub const AXE_FINISH: &str = axe_script!("axe_finish.js");

/// Gives a list of [`crate::evidence::acceptance::Resolved`]. Arguments: the elements that a locator found, and `{}`.
pub const ELEMENTS: &str = concat!(
    "(elements, argument) => { const dom = (\n",
    include_str!("dom.js"),
    ")(argument?.budget_ms ?? 5000, argument?.node_limit ?? 150000); return (\n",
    include_str!("elements.js"),
    ")(elements, dom); }"
);
/// Gives [`crate::gather::backend::survey::Survey`] and remembers its elements. Argument: `{}`.
pub const BACKEND_SURVEY: &str = script!("backend_survey.js");

/// Acts on a remembered element. Argument: `{"number": n, "act": "point" | "click" | "focus" | "set" | "check" | "read", "value": string}`.
pub const BACKEND_ACT: &str = script!("backend_act.js");

/// Looks for a marker. Argument: `{"marker": string, "values": bool, "row": bool}`. Gives `{"shown": bool}`, and where `row` asks for it
/// `"place"`, the number of the first element that shows it, and `"control"`, that of the one control which deletes its record, or null.
pub const BACKEND_MARKER: &str = script!("backend_marker.js");

/// Gives a digest of the page's storage, a string. Argument: `{}`.
pub const BACKEND_STORAGE: &str = script!("backend_storage.js");

/// Sends a request again. Argument: `{"url", "method", "headers": {…}, "body", "texts": [string], "milliseconds"}`.
/// Gives `{"status", "found": [bool], "bytes"}` or `{"error"}`.
pub const BACKEND_REPLAY: &str = script!("backend_replay.js");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_one_function_expression_with_balanced_braces() {
        let backend = [BACKEND_SURVEY, BACKEND_ACT, BACKEND_MARKER, BACKEND_STORAGE, BACKEND_REPLAY];
        for script in
            [RENDERED, CONTENT, DESIGN, VIEWPORT, SCROLL, AXE, AXE_PARTIAL, AXE_FINISH].into_iter().chain(backend)
        {
            assert!(script.starts_with("(argument) => {") && script.ends_with("; }"), "{}", &script[..40]);
            assert_eq!(script.matches('{').count(), script.matches('}').count());
        }
    }
}
