//! Gives every new page, frame and worker its surroundings before its first script runs.

use super::exchanges::{KEPT_REQUEST_BYTES, KEPT_RESPONSE_BYTES};
use super::state::PageState;
use crate::browser::Core;
use crate::connection::CALL_LIMIT;
use crate::error::BrowserError;
use crate::options::{ContextOptions, Viewport};
use serde_json::{Value, json};

type Command = (&'static str, Value);

/// Bodies are not read back unless the context keeps exchanges, so the browser need not keep them.
const KEPT_BODY_BYTES: u64 = 1_000_000;

/// Sets up a page that waits for us, and lets it go.
pub(crate) async fn prepare_page(core: &Core, page: &PageState) {
    let outcome = send_all(core, page).await;
    page.mark_ready(outcome);
}

async fn send_all(core: &Core, page: &PageState) -> Result<(), BrowserError> {
    let options = &page.context.options;
    let mut commands = watching(options);
    commands.extend(page_watching());
    commands.push(("Inspector.enable", json!({})));
    commands.extend(surroundings(options));
    commands.extend(viewport_commands(options.viewport));
    commands.extend(interception(page));
    commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
    let calls: Vec<_> = commands
        .into_iter()
        .map(|(method, params)| (method, core.connection.send(Some(&page.session), method, params)))
        .collect();
    for (method, call) in calls {
        match call.answer(CALL_LIMIT).await {
            // A second page in the same process inherits the first one's locale and may not set it again.
            Err(BrowserError::Refused { message, .. })
                if method == "Emulation.setLocaleOverride" && message.contains("already in effect") => {}
            other => drop(other?),
        }
    }
    Ok(())
}

/// Sets up an out-of-process frame or a worker, and lets it go.
pub(crate) fn prepare_child(core: &Core, page: &PageState, session: &str, is_frame: bool) {
    let options = &page.context.options;
    let mut commands = watching(options);
    if is_frame {
        commands.extend(page_watching());
        commands.extend(surroundings(options));
        commands.push(touch_command(options.viewport));
        commands.push(("Inspector.enable", json!({})));
    }
    commands.extend(interception(page));
    commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
    for (method, params) in commands {
        core.connection.tell(Some(session), method, params);
    }
}

/// What is heard of everything that runs scripts.
fn watching(options: &ContextOptions) -> Vec<Command> {
    let mut network = json!({ "maxTotalBufferSize": KEPT_BODY_BYTES, "maxResourceBufferSize": KEPT_BODY_BYTES });
    if options.keep_exchanges {
        network = json!({
            "maxTotalBufferSize": KEPT_RESPONSE_BYTES,
            "maxResourceBufferSize": KEPT_RESPONSE_BYTES,
            "maxPostDataSize": KEPT_REQUEST_BYTES,
        });
    }
    vec![
        ("Runtime.enable", json!({})),
        ("Network.enable", network),
        ("Log.enable", json!({})),
        ("Target.setAutoAttach", json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })),
    ]
}

fn page_watching() -> Vec<Command> {
    vec![("Page.enable", json!({})), ("Page.setLifecycleEventsEnabled", json!({ "enabled": true }))]
}

fn surroundings(options: &ContextOptions) -> Vec<Command> {
    let motion = if options.reduced_motion { "reduce" } else { "no-preference" };
    let media = json!({ "features": [
        { "name": "prefers-color-scheme", "value": options.color_scheme.css() },
        { "name": "prefers-reduced-motion", "value": motion },
    ] });
    // An empty user agent leaves Chromium's own, with its client hints, and sets the language alone.
    let agent = json!({ "userAgent": options.user_agent.as_deref().unwrap_or(""), "acceptLanguage": options.locale });
    let mut commands = vec![
        ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
        ("Emulation.setEmulatedMedia", media),
        ("Emulation.setTimezoneOverride", json!({ "timezoneId": options.timezone })),
        ("Emulation.setLocaleOverride", json!({ "locale": options.locale })),
        ("Emulation.setUserAgentOverride", agent),
    ];
    if options.accept_invalid_certificates {
        commands.push(("Security.setIgnoreCertificateErrors", json!({ "ignore": true })));
    }
    commands
}

/// The commands that give a page this window.
pub(crate) fn viewport_commands(viewport: Viewport) -> Vec<Command> {
    let metrics = json!({
        "width": viewport.width,
        "height": viewport.height,
        "deviceScaleFactor": viewport.device_scale_factor,
        "mobile": viewport.mobile,
        "screenWidth": viewport.width,
        "screenHeight": viewport.height,
    });
    vec![("Emulation.setDeviceMetricsOverride", metrics), touch_command(viewport)]
}

fn touch_command(viewport: Viewport) -> Command {
    ("Emulation.setTouchEmulationEnabled", json!({ "enabled": viewport.touch, "maxTouchPoints": 5 }))
}

fn interception(page: &PageState) -> Option<Command> {
    // Every address passes by us, so that headers can also be taken off again after a redirect.
    page.context.credentials.as_ref().map(|_| ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })))
}
