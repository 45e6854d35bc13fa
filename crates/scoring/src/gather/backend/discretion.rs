//! Keeps accounts and tokens out of everything that is written down.

use crate::request::{Account, Accounts};

/// Longest text of the page that is quoted.
const QUOTE_LIMIT: usize = 200;
/// Values in an address longer than this may be tokens.
const LONG_VALUE: usize = 24;

/// Knows what must not be said.
#[derive(Clone)]
pub struct Discretion {
    secrets: Vec<String>,
}

impl Discretion {
    /// Keeps both accounts secret.
    pub fn new(accounts: &Accounts) -> Self {
        Self::of(&[&accounts.user_a, &accounts.user_b])
    }

    /// Keeps these accounts secret.
    pub fn of(accounts: &[&Account]) -> Self {
        let mut secrets: Vec<String> = accounts
            .iter()
            .flat_map(|account| [&account.email, &account.password])
            .filter(|text| text.chars().count() >= 3)
            .flat_map(|text| spellings(text))
            .collect();
        // A longer secret may hold a shorter one.
        secrets.sort_by(|one, other| (other.len(), other).cmp(&(one.len(), one)));
        secrets.dedup();
        Self { secrets }
    }

    /// A quotation from the page: without accounts, without control characters, and short.
    pub fn quote(&self, text: &str) -> String {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.hide(&plain).chars().take(QUOTE_LIMIT).collect()
    }

    /// An address without fragment, accounts and what looks like a token.
    pub fn address(&self, url: &str) -> String {
        let url = self.hide(url.split('#').next().unwrap_or_default());
        let Some((path, query)) = url.split_once('?') else { return url.chars().take(400).collect() };
        let masked: Vec<String> = query.split('&').map(masked_pair).collect();
        format!("{path}?{}", masked.join("&")).chars().take(400).collect()
    }

    fn hide(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        for secret in &self.secrets {
            while let Some(start) = find_ignoring_case(&hidden, secret) {
                hidden.replace_range(start..start + secret.len(), "…");
            }
        }
        hidden
    }
}

/// How a secret stands in texts and addresses: as it is, in small and in capital letters beyond ASCII too, as forms send it, as scripts put it
/// into addresses, and with nothing but its `@` encoded.
fn spellings(secret: &str) -> impl Iterator<Item = String> {
    [secret.to_owned(), secret.to_lowercase(), secret.to_uppercase()].into_iter().flat_map(|secret| {
        let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        let component = percent_encoded(&secret, b"-_.!~*'()");
        let address = percent_encoded(&secret, b"-_.!~*'();,/?:@&=+$");
        [secret.replace('@', "%40"), form.replace('+', "%20"), form, component, address, secret]
    })
}

/// As scripts encode it; besides letters and digits, some signs are kept.
fn percent_encoded(text: &str, kept: &[u8]) -> String {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || kept.contains(&byte);
    text.bytes().map(|byte| if is_kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Where `needle` stands in `text`; case is ignored in ASCII.
fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    text.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

fn masked_pair(pair: &str) -> String {
    let Some((name, value)) = pair.split_once('=') else { return pair.to_owned() };
    let telling = ["token", "auth", "secret", "session", "password", "code", "key", "sig"];
    let lower = name.to_lowercase();
    if value.len() > LONG_VALUE || telling.iter().any(|word| lower.contains(word)) {
        return format!("{name}=…");
    }
    pair.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discretion() -> Discretion {
        Discretion::of(&[&Account { email: "Ada@crm.test".into(), password: "s3cret".into() }])
    }

    #[test]
    fn accounts_do_not_show_in_quotations_in_any_case_or_encoding() {
        let quote = discretion().quote("No user ada@CRM.test\nwith password s3cret, ada%40crm.test");
        assert_eq!(quote, "No user … with password …, …");
    }

    #[test]
    fn accounts_do_not_show_in_any_spelling_of_an_address() {
        let account = Account { email: "me+a@x.io".into(), password: "Ünter den/Linden 1".into() };
        let discretion = Discretion::of(&[&account]);
        for (address, told) in [
            ("http://h/a?u=me%2Ba%40x.io&v=me%2ba%40X.io", "http://h/a?u=…&v=…"),
            ("http://h/a?u=me+a@x.io&v=me+a%40x.io", "http://h/a?u=…&v=…"),
            ("http://h/%C3%9Cnter%20den%2FLinden%201/b", "http://h/…/b"),
            ("http://h/%c3%9cnter%20den/Linden%201/b", "http://h/…/b"),
            ("http://h/a?p=%C3%9Cnter+den%2FLinden+1", "http://h/a?p=…"),
            ("http://h/a?p=%C3%BCnter+den%2Flinden+1", "http://h/a?p=…"),
        ] {
            assert_eq!(discretion.address(address), told);
        }
        for text in ["Wrong: Ünter den/Linden 1", "Wrong: ünter den/linden 1", "Wrong: ÜNTER DEN/LINDEN 1"] {
            assert_eq!(discretion.quote(text), "Wrong: …");
        }
    }

    #[test]
    fn tokens_and_fragments_leave_addresses() {
        let long = "x".repeat(40);
        let address = discretion().address(&format!("http://h/a?select=*&access_token=1&q={long}&u=ada@crm.test#t"));
        assert_eq!(address, "http://h/a?select=*&access_token=…&q=…&u=…");
    }
}
