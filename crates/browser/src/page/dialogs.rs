//! Dialogs that are held open until somebody answers them. As long as one is open, its page runs no script, ours included.

use super::Page;
use crate::connection::CALL_LIMIT;
use crate::error::BrowserError;
use crate::records::DialogRecord;
use serde_json::json;

/// The dialogs of one page.
#[derive(Default)]
pub(crate) struct Dialogs {
    held: bool,
    /// The session that shows it, and the dialog.
    open: Option<(String, DialogRecord)>,
}

impl Dialogs {
    /// Whether the dialog stays open. One that asks whether to leave the page never does.
    pub(crate) fn take(&mut self, session: &str, record: &DialogRecord) -> bool {
        let stays = self.held && record.kind != "beforeunload";
        if stays {
            self.open = Some((session.to_owned(), record.clone()));
        }
        stays
    }

    pub(crate) fn closed(&mut self, session: &str) {
        if self.open.as_ref().is_some_and(|(owner, _)| owner == session) {
            self.open = None;
        }
    }
}

impl Page {
    /// From now on dialogs stay open until [`Page::answer_dialog`].
    pub fn hold_dialogs(&self) {
        self.state().inner().dialogs.held = true;
    }

    /// The dialog that is open.
    pub fn open_dialog(&self) -> Option<DialogRecord> {
        self.state().inner().dialogs.open.as_ref().map(|(_, record)| record.clone())
    }

    /// Waits until a dialog is open; for ever, if none opens. A page that is gone opens none.
    pub async fn until_dialog(&self) {
        let mut changes = self.state().changes();
        while self.open_dialog().is_none() {
            let _ = changes.changed().await;
        }
    }

    /// Accepts or dismisses the dialog that is open, with a text if it asks for one. Whether there was one.
    pub async fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<bool, BrowserError> {
        let open = self.state().inner().dialogs.open.take();
        let Some((session, _)) = open else { return Ok(false) };
        let mut params = json!({ "accept": accept });
        if let Some(text) = text {
            params["promptText"] = json!(text);
        }
        match self.call_session(&session, "Page.handleJavaScriptDialog", params, CALL_LIMIT).await {
            // The page may have closed it by going away.
            Err(BrowserError::Refused { .. }) => Ok(false),
            other => other.map(|_| true),
        }
    }
}
