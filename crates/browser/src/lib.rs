//! Our own thin client of Chromium's DevTools protocol.
//!
//! Someone else starts Chromium with `--remote-debugging-pipe`; [`Browser::connect`] takes the two ends of its pipe.
//! What a site does wrong (dead host, crash, endless dialogs) is data: a [`NavigationOutcome`] or a record in a
//! [`PageLog`]. An `Err` means that the browser is lost, a limit was hit, or we are wrong.
//!
//! Messages are read leniently as plain JSON, so that a new Chromium cannot lose us an event.

mod browser;
mod connection;
mod context;
mod error;
mod frame;
mod input;
mod keys;
mod locator;
mod options;
mod page;
mod records;
pub mod selectors;
mod transport;

pub use browser::Browser;
pub use context::Context;
pub use error::BrowserError;
pub use frame::Frame;
pub use keys::is_key;
pub use locator::{Locator, Sight};
pub use options::{
    ClickOptions, ColorScheme, ContextOptions, Cookie, Downloads, ElementState, EngineSource, Expectation, LoadLimits,
    MouseButton, SameSite, Shot, TextMatch, Viewport,
};
pub use page::Page;
pub use page::exchanges::Exchange;
pub use records::{
    ConsoleRecord, DialogRecord, ExceptionRecord, Idle, Navigation, NavigationOutcome, PageLog, RequestRecord,
};
