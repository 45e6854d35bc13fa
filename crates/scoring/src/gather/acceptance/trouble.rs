//! Whose fault it is when a step does not work out: the page's, the prompt's, or ours.

use benchwright_browser::BrowserError;

/// Why a step did not work out.
#[derive(Debug, Clone)]
pub(super) enum Trouble {
    /// The page does not do what the criterion asks; why, in words.
    Page(String),
    /// The prompt asks for what cannot be asked.
    Prompt(String),
    /// The browser is lost, or we are wrong.
    Ours(BrowserError),
}

impl From<BrowserError> for Trouble {
    fn from(error: BrowserError) -> Self {
        match error {
            BrowserError::Disconnected
            | BrowserError::Refused { .. }
            | BrowserError::BadAnswer { .. }
            | BrowserError::NoEngine => Self::Ours(error),
            BrowserError::Selector { message } => {
                Self::Prompt(format!("its locator is not understood: {}", line(&message)))
            }
            BrowserError::UnknownKey { .. } => Self::Prompt(format!("cannot {error}")),
            BrowserError::TimedOut { .. } => Self::Page("the page did not answer in time".to_owned()),
            BrowserError::Crashed => Self::Page("the tab crashed".to_owned()),
            BrowserError::Closed => Self::Page("the page closed itself".to_owned()),
            BrowserError::Navigated => Self::Page("the page went elsewhere meanwhile".to_owned()),
            BrowserError::Script { message } => Self::Page(format!("the script failed: {}", line(&message))),
            BrowserError::NotActionable { reason, seconds, .. } => Self::Page(format!(
                "{} within {seconds:.0} s",
                reason.replace("no element matches", "no element matched")
            )),
        }
    }
}

/// The first line of a message, cut.
fn line(message: &str) -> String {
    crate::scorers::words::cut(message.lines().next().unwrap_or_default(), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_the_engine_refuses_is_the_prompts_fault_and_never_the_pages() {
        let refused = BrowserError::Selector { message: "Unexpected token\nat …".into() };
        assert!(matches!(Trouble::from(refused), Trouble::Prompt(text) if text.ends_with("Unexpected token")));
        assert!(matches!(Trouble::from(BrowserError::Disconnected), Trouble::Ours(_)));
        assert!(matches!(Trouble::from(BrowserError::Crashed), Trouble::Page(_)));
    }
}
