//! What a visitor could use on the page, as the survey script tells it, and what the names of things mean.

use serde::Deserialize;

/// Fields, controls and words of the page at one moment.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Survey {
    pub fields: Vec<Field>,
    pub controls: Vec<Control>,
    pub groups: Vec<Group>,
    /// Texts of alerts.
    pub alerts: Vec<String>,
    /// The captcha that shows, or empty.
    pub captcha: String,
    /// The visible text, cut.
    pub text: String,
}

/// Something to write into or choose from.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Field {
    /// How to find it again.
    pub number: usize,
    /// The input's type, or `textarea`, `select`, `editable`.
    pub kind: String,
    pub label: String,
    pub placeholder: String,
    /// Its name and id attributes.
    pub name: String,
    pub autocomplete: String,
    pub required: bool,
    pub minimum: String,
    pub maximum: String,
    /// 0 without a limit.
    pub max_length: usize,
    /// Values of a select.
    pub options: Vec<String>,
    pub read_only: bool,
    pub invalid: bool,
    /// The group it belongs to, by index.
    pub group: Option<usize>,
    pub region: String,
}

/// Something to click.
#[allow(clippy::struct_excessive_bools, reason = "each is a property of the element, and none excludes another")]
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Control {
    /// How to find it again.
    pub number: usize,
    pub name: String,
    pub link: bool,
    pub address: String,
    pub submit: bool,
    /// Whether it says that it opens something.
    pub opens: bool,
    pub picture: bool,
    /// Whether it stands in the header of the page, not in one of its parts.
    pub banner: bool,
    /// Whether it stands in an item of a list, a row or an article.
    pub of_record: bool,
    pub disabled: bool,
    pub group: Option<usize>,
    pub region: String,
}

/// A form, a dialog, or fields with a button near them.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Group {
    pub dialog: bool,
    pub form: bool,
    pub role: String,
    pub heading: String,
}

/// A name in lower case, hyphens and line breaks as spaces.
pub fn plain(name: &str) -> String {
    let spaced = name.to_lowercase().replace(['-', '_', '\u{a0}', '\u{2019}'], " ");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says_any(name: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| name.contains(phrase))
}

/// Whether one of the words stands in the name as a word of its own.
pub fn has_word(name: &str, words: &[&str]) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

const SOCIAL: [&str; 20] = [
    "google",
    "github",
    "gitlab",
    "apple",
    "microsoft",
    "facebook",
    "twitter",
    "discord",
    "linkedin",
    "slack",
    "okta",
    "sso",
    "saml",
    "passkey",
    "magic link",
    "metamask",
    "wallet",
    "single sign",
    "phone",
    "guest",
];

/// What a control is called that takes away what somebody has: nothing that is pressed only to see where it leads.
const DESTROYS: [&str; 14] = [
    "clear",
    "deactivate",
    "delete",
    "destroy",
    "discard",
    "empty",
    "erase",
    "purge",
    "remove",
    "reset",
    "revoke",
    "trash",
    "unsubscribe",
    "wipe",
];
/// What may take something away, and is what other apps are about: leaves, blocks, an archive.
const MAY_DESTROY: [&str; 7] = ["archive", "ban", "block", "cancel", "close", "disable", "leave"];

/// What avatars do not show, but what says no to a record or done with it.
const NO_INITIALS: [&str; 4] = ["GO", "NO", "OK", "X"];

impl Control {
    fn destroys(&self) -> bool {
        self.surely_destroys() || has_word(&plain(&self.name), &MAY_DESTROY)
    }

    fn surely_destroys(&self) -> bool {
        has_word(&plain(&self.name), &DESTROYS) || self.name.contains('🗑')
    }

    /// Following an address changes nothing, and the app's own word for its records says what it is about: "Leave requests".
    fn destroys_where_it_leads(&self, noun: Option<&str>) -> bool {
        let name = plain(&self.name);
        let besides = noun.filter(|noun| !noun.is_empty()).map_or_else(|| name.clone(), |noun| name.replace(noun, " "));
        self.surely_destroys() || !self.has_address() && has_word(&besides, &MAY_DESTROY)
    }

    fn has_address(&self) -> bool {
        self.link && self.address.contains("//") && !self.address.ends_with('#')
    }

    pub fn is_log_out(&self) -> bool {
        let name = plain(&self.name);
        !self.destroys()
            && says_any(&name, &["log out", "logout", "log off", "logoff", "sign out", "signout", "sign off"])
    }

    pub fn is_social(&self) -> bool {
        says_any(&plain(&self.name), &SOCIAL)
    }

    pub fn is_sign_in(&self) -> bool {
        let name = plain(&self.name);
        !self.is_social() && says_any(&name, &["sign in", "signin", "log in", "login", "already have an account"])
    }

    pub fn is_sign_up(&self) -> bool {
        let name = plain(&self.name);
        says_any(
            &name,
            &["sign up", "signup", "create account", "create an account", "create your account", "register"],
        ) || has_word(&name, &["join"])
    }

    /// Goes on to the next step of a login.
    pub fn goes_on(&self) -> bool {
        has_word(&plain(&self.name), &["continue", "next", "submit", "enter", "go", "proceed"])
    }

    /// Narrower than [`Self::destroys`]: apps also add a leave, a block or an archive.
    fn is_way_back(&self) -> bool {
        has_word(
            &plain(&self.name),
            &[
                "cancel",
                "close",
                "reset",
                "back",
                "clear",
                "dismiss",
                "delete",
                "remove",
                "forgot",
                "forgotten",
                "search",
                "filter",
            ],
        )
    }

    /// What a record is saved with.
    pub fn saves(&self) -> bool {
        let name = plain(&self.name);
        let words = [
            "add", "create", "save", "submit", "post", "publish", "send", "new", "place", "done", "ok", "confirm",
            "insert", "store", "schedule", "book",
        ];
        !self.is_way_back() && !self.is_sign_up() && (has_word(&name, &words) || name == "+")
    }

    /// Opens the form of a new record.
    pub fn opens_a_form(&self) -> bool {
        let name = plain(&self.name);
        let words = ["add", "new", "create", "compose", "write"];
        let other = [
            "account",
            "password",
            "workspace",
            "team",
            "organization",
            "member",
            "card",
            "payment",
            "theme",
            "language",
        ];
        !self.is_way_back()
            && !self.is_sign_up()
            && !has_word(&name, &other)
            && (has_word(&name, &words) || name == "+" || name == "＋")
    }

    /// Part of the app's own ways around, and harmless to follow. `noun`: what the prompt calls its records, if it does.
    pub fn is_way_around(&self, noun: Option<&str>) -> bool {
        let name = plain(&self.name);
        let other = [
            "settings",
            "profile",
            "account",
            "billing",
            "help",
            "docs",
            "support",
            "about",
            "privacy",
            "terms",
            "pricing",
            "upgrade",
            "blog",
            "contact us",
        ];
        !name.is_empty()
            && !self.disabled
            && (self.link || self.region == "nav")
            && !self.destroys_where_it_leads(noun)
            && !self.is_log_out()
            && !self.is_sign_in()
            && !self.is_sign_up()
            && !self.is_social()
            && !says_any(&name, &other)
    }

    /// Whether it may hold the way out: an avatar, an account menu.
    pub fn is_menu(&self) -> bool {
        let name = plain(&self.name);
        let telling =
            ["account", "profile", "user", "avatar", "menu", "me", "my", "settings", "more", "options", "open"];
        let plain_link = !self.opens && self.has_address();
        !self.disabled
            && !self.destroys()
            && !plain_link
            && !self.submit_of_a_form()
            && (self.opens
                || has_word(&name, &telling)
                || name.contains('@')
                || (self.banner && self.picture)
                || (is_initials(&self.name) && self.may_be_avatar()))
    }

    /// In a record such letters are a shape or a verb.
    fn may_be_avatar(&self) -> bool {
        !self.of_record || self.banner || self.region == "nav"
    }

    fn submit_of_a_form(&self) -> bool {
        self.submit && self.group.is_some()
    }
}

/// What an avatar without a picture shows: one or two capital letters.
fn is_initials(name: &str) -> bool {
    (1..=2).contains(&name.chars().count()) && name.chars().all(char::is_uppercase) && !NO_INITIALS.contains(&name)
}

impl Field {
    /// Everything the field says of itself.
    pub fn words(&self) -> String {
        plain(&format!("{} {} {} {}", self.label, self.placeholder, self.name, self.autocomplete))
    }

    pub fn is_password(&self) -> bool {
        self.kind == "password"
    }

    pub fn is_search(&self) -> bool {
        self.kind == "search" || has_word(&self.words(), &["search", "filter", "find", "query", "q"])
    }

    /// A code from elsewhere.
    pub fn is_code(&self) -> bool {
        let words = self.words();
        words.contains("one time code")
            || has_word(&words, &["otp", "2fa", "totp", "mfa"])
            || words.contains("verification code")
    }

    /// The e-mail address or user name of a login.
    pub fn is_identity(&self) -> bool {
        let words = self.words();
        matches!(self.kind.as_str(), "email" | "text" | "tel" | "")
            && !self.is_search()
            && (self.kind == "email"
                || has_word(&words, &["email", "e", "mail", "username", "user", "login", "identifier"]))
    }

    /// Takes any text.
    pub fn is_free_text(&self) -> bool {
        matches!(self.kind.as_str(), "text" | "textarea" | "editable" | "") && !self.is_search() && !self.read_only
    }

    /// Takes something that can be written or chosen.
    pub fn is_input(&self) -> bool {
        !self.read_only
            && !self.is_search()
            && !self.is_password()
            && !matches!(self.kind.as_str(), "checkbox" | "radio" | "range" | "color" | "file")
    }
}

impl Survey {
    pub fn password(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.is_password() && !field.read_only)
    }

    pub fn log_out(&self) -> Option<&Control> {
        self.controls.iter().find(|control| control.is_log_out() && !control.disabled)
    }

    pub fn sign_in(&self) -> Option<&Control> {
        self.controls.iter().find(|control| control.is_sign_in() && !control.disabled)
    }

    pub fn fields_of(&self, group: usize) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |field| field.group == Some(group))
    }

    pub fn controls_of(&self, group: usize) -> impl Iterator<Item = &Control> {
        self.controls.iter().filter(move |control| control.group == Some(group) && !control.disabled)
    }

    /// Whether a login is offered, in whatever form.
    pub fn offers_login(&self) -> bool {
        self.password().is_some() || self.sign_in().is_some()
    }

    /// Words that say that a login or a form was refused, in alerts or in what stands on the page now and did not before.
    pub fn refusal(&self, before: &Survey) -> Option<String> {
        let telling = [
            "invalid",
            "incorrect",
            "wrong",
            "not found",
            "failed",
            "denied",
            "no user",
            "no account",
            "unable to",
            "try again",
            "doesn't match",
            "doesn t match",
            "not match",
            "not valid",
            "locked",
            "too many",
            "unauthorized",
            "required",
        ];
        let refuses = |text: &&String| says_any(&plain(text), &telling);
        let alert = self.alerts.iter().filter(|text| !before.alerts.contains(text)).find(refuses).cloned();
        alert.or_else(|| new_text(&before.text, &self.text).filter(|text| says_any(&plain(text), &telling)))
    }
}

/// What stands between the common start and the common end of two texts: what was added to the page.
pub fn new_text(before: &str, now: &str) -> Option<String> {
    let before: Vec<&str> = before.split_whitespace().collect();
    let now: Vec<&str> = now.split_whitespace().collect();
    let start = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
    let end = before[start..].iter().rev().zip(now[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let added = now[start..now.len() - end].join(" ");
    (!added.is_empty()).then_some(added)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn control(name: &str) -> Control {
        Control { name: name.to_owned(), ..Control::default() }
    }

    #[test]
    fn peer_defect_a_create_account_button_neither_logs_in_nor_creates_a_record() {
        let button = control("Create account");
        assert!(button.is_sign_up() && !button.saves() && !button.opens_a_form() && !button.is_sign_in());
    }

    #[test]
    fn names_mean_what_a_visitor_takes_them_for() {
        assert!(control("Log-out").is_log_out() && control("Sign\u{a0}out").is_log_out());
        assert!(control("Sign in with Google").is_social() && !control("Sign in with Google").is_sign_in());
        assert!(control("Add contact").opens_a_form() && control("New order").saves());
        assert!(control("+").opens_a_form());
        assert!(!control("Delete").saves() && !control("Address book").opens_a_form());
        assert!(control("AL").is_menu() && !control("Save").is_menu());
    }

    #[test]
    fn what_takes_something_away_is_no_menu_no_way_around_and_no_way_out() {
        let in_header = |name: &str| Control { banner: true, picture: true, ..control(name) };
        let in_nav = |name: &str| Control { region: "nav".into(), ..control(name) };
        let link = |name: &str| Control { link: true, ..control(name) };
        assert!(in_header("").is_menu() && control("My account").is_menu() && in_nav("Notes").is_way_around(None));
        for name in ["Delete my account", "Delete user", "Clear my list", "Cancel my plan", "🗑\u{fe0f} Menu"] {
            assert!(!control(name).is_menu() && !in_header(name).is_menu(), "{name}");
        }
        for name in ["Reset demo data", "Clear all", "Clear notes", "Empty-trash"] {
            let noun = Some("note");
            assert!(!in_nav(name).is_way_around(noun) && !link(name).is_way_around(noun), "{name}");
        }
        assert!(!control("Delete account").is_log_out() && !control("Log out and delete account").is_log_out());
        assert!(control("Add leave").opens_a_form() && control("Save block").saves(), "these create");
    }

    #[test]
    fn an_app_about_leaves_or_blocks_keeps_its_own_navigation() {
        let at = |address: &str, name: &str| Control { link: true, address: address.into(), ..control(name) };
        let in_nav = |name: &str| Control { region: "nav".into(), ..control(name) };
        for name in ["Leave requests", "Block", "Archive", "Close a deal", "Cancel"] {
            assert!(at("https://hr.example/leave", name).is_way_around(None), "{name}");
            assert!(
                !at("https://hr.example/#", name).is_way_around(None) && !in_nav(name).is_way_around(None),
                "{name}"
            );
            assert!(!at("javascript:void(0)", name).is_way_around(None), "{name}");
        }
        assert!(in_nav("Leave requests").is_way_around(Some("leave request")));
        assert!(in_nav("All leave").is_way_around(Some("leave")));
        for name in ["Archive orders", "Cancel order", "Delete orders"] {
            assert!(!in_nav(name).is_way_around(Some("order")), "{name}");
        }
        assert!(!at("https://hr.example/reset", "Reset demo data").is_way_around(None));
    }

    #[test]
    fn letters_that_say_no_to_a_record_are_no_initials() {
        let of_record = |name: &str, region: &str| Control { of_record: true, region: region.into(), ..control(name) };
        assert!(control("AL").is_menu() && of_record("AL", "nav").is_menu());
        for no in [control("X"), control("OK"), of_record("X", "nav"), of_record("AL", ""), of_record("AL", "header")] {
            assert!(!no.is_menu(), "{no:?}");
        }
    }

    #[test]
    fn a_page_without_news_refuses_nothing() {
        let before = Survey { text: "Welcome. Wrong turns welcome. Log in".into(), ..Survey::default() };
        assert_eq!(before.refusal(&before), None);
        let after =
            Survey { text: "Welcome. Wrong turns welcome. Invalid password Log in".into(), ..Survey::default() };
        assert_eq!(after.refusal(&before).as_deref(), Some("Invalid password"));
    }

    #[test]
    fn what_was_added_lies_between_what_stayed() {
        assert_eq!(new_text("a b c", "a x b c").as_deref(), Some("x"));
        assert_eq!(new_text("a b", "a b"), None);
        assert_eq!(new_text("", "hello").as_deref(), Some("hello"));
    }
}
