//! Security anti-patterns. A rule looks at one file and makes candidates; who runs the file decides later which of them count.

pub mod firebase;
pub mod markup;
pub mod script;
pub mod settings;
pub mod sql;

use crate::findings::{Severity, Side};
use std::ops::Range;

/// A rule, for scores and reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Id in findings.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a sentence.
    pub title: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

macro_rules! patterns {
    ($($id:literal $severity:ident $title:literal $fix:literal;)*) => {
        /// All rules.
        pub const PATTERNS: &[Pattern] =
            &[$(Pattern { id: $id, severity: Severity::$severity, title: $title, fix: $fix },)*];
    };
}

patterns! {
    "firebase_test_mode" High
        "Firebase rules let everybody write"
        "Write rules that compare `request.auth.uid` with the owner of the record, and deny everything else.";
    "hardcoded_admin_email" Medium
        "An e-mail address in the code makes somebody administrator"
        "Keep roles in the database, set by the server, and check them there.";
    "hardcoded_admin_password" High
        "The code compares a login with a password written into it"
        "Remove the password, let the server check logins against hashed passwords, and change the password wherever it was used.";
    "insecure_transport" Medium
        "Data is sent over plain http"
        "Use the https address of the service.";
    "jwt_decode_no_verify" High
        "A token is trusted without checking its signature"
        "Verify the token on the server (for example `jwt.verify` with the secret or public key) before deciding anything by its content.";
    "jwt_secret_client" Critical
        "The secret that signs tokens is sent to every browser"
        "Sign and verify tokens on the server only, and replace this secret.";
    "openai_key_client" Critical
        "An OpenAI key is sent to every browser"
        "Call OpenAI from a server route that holds the key, and revoke this one. A VITE_ or NEXT_PUBLIC_ variable ends up in the bundle.";
    "password_reset_no_token" High
        "A password can be changed without proof of who asks"
        "Send a single-use token to the account's address and require it, or require the current password.";
    "privileged_rpc_client" High
        "The browser calls a privileged database function"
        "Call it from a server that has checked the caller's role, and revoke the right to execute it from `anon` and `authenticated`.";
    "sensitive_data_logged" Medium
        "Passwords, tokens or whole requests are written to the log"
        "Log an id or an outcome instead of the value.";
    "stripe_secret_client" Critical
        "A Stripe secret key is sent to every browser"
        "Create payments on the server; the browser needs the publishable key only. Roll this key.";
    "supabase_policy_open" High
        "A row-level policy lets everybody change rows"
        "Compare `auth.uid()` with the owner's column in `using` and `with check`.";
    "supabase_rls_disabled" Critical
        "Row-level security is switched off"
        "Run `alter table … enable row level security` and add policies for the owner's rows.";
    "supabase_rls_missing" High
        "A table is created without row-level security"
        "Run `alter table … enable row level security` in a migration and add policies for the owner's rows.";
    "supabase_service_role_client" Critical
        "The Supabase service-role key is in code for the browser"
        "Use the anon key in the browser and the service-role key on the server only. Replace this key.";
    "third_party_secret_client" Critical
        "A secret of another service is in code for the browser"
        "Call the service from a server route that holds the key, and revoke this one. A VITE_ or NEXT_PUBLIC_ variable ends up in the bundle.";
    "tls_verification_off" Medium
        "Certificates are not checked"
        "Remove the switch; where a certificate of your own is used, give its authority with `ca`.";
    "xss_unsanitized_html" High
        "Text from elsewhere is put into the page as markup"
        "Let the framework insert text, or pass the markup through DOMPurify.sanitize first.";
}

/// The rule with that id.
pub fn pattern(id: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|pattern| pattern.id == id)
}

/// Who must run a file for a candidate to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The browser.
    Client,
    /// Anybody but the browser.
    NotClient,
    /// The browser or the server; scripts that nobody starts do not count.
    Reached,
    /// Wherever it stands.
    Anywhere,
}

impl Scope {
    /// Whether a file of that side counts. Where no entry was found at all, nothing can be told apart and every file may be reached.
    pub fn includes(self, side: Side, entries_known: bool) -> bool {
        match self {
            Self::Client => side == Side::Client,
            Self::NotClient => side == Side::Server || side == Side::Neither && !entries_known,
            Self::Reached => side != Side::Neither || !entries_known,
            Self::Anywhere => true,
        }
    }
}

/// Something a rule saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Id of the rule.
    pub rule: &'static str,
    /// Byte of the file.
    pub at: usize,
    /// Bytes of a value that must not be shown.
    pub hidden: Option<Range<usize>>,
    /// Who must run the file.
    pub scope: Scope,
}

impl Candidate {
    /// Without a value to hide.
    pub fn new(rule: &'static str, at: usize, scope: Scope) -> Self {
        Self { rule, at, hidden: None, scope }
    }

    /// Hides a value.
    pub fn hiding(mut self, value: Range<usize>) -> Self {
        self.hidden = Some(value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_and_a_fix_ends_like_a_sentence() {
        assert!(PATTERNS.is_sorted_by_key(|pattern| pattern.id));
        assert!(PATTERNS.iter().all(|pattern| pattern.fix.ends_with('.')));
    }

    #[test]
    fn scripts_nobody_starts_count_only_where_nothing_is_known() {
        assert!(!Scope::Reached.includes(Side::Neither, true) && Scope::Reached.includes(Side::Neither, false));
        assert!(!Scope::Client.includes(Side::Neither, false) && Scope::Anywhere.includes(Side::Neither, true));
    }
}
