//! Logging in through the app's own form, with proof that it happened.

use super::discretion::Discretion;
use super::hands::{Patience, Visitor};
use super::reveal::{FORM_LIMIT, Revealed, reveal};
use super::survey::{Control, Field, Survey, has_word, new_text, plain};
use crate::evidence::backend::{Wall, WallKind};
use crate::gather::StepError;
use crate::request::Account;
use std::time::Duration;

/// How long the server may take to answer a login.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
/// How long a form may stand there after its answer came, without a word, before it counts as refused.
const SILENCE: Duration = Duration::from_millis(2_500);
/// E-mail address, password, and one page between them.
const MAX_STAGES: usize = 3;

/// How a login went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// Somebody is logged in, and this shows it.
    In { proof: Vec<&'static str> },
    /// The app did not let the account in, or has no login.
    Refused { why: String },
    /// Nobody could have passed with an address and a password.
    Wall(Wall),
}

impl Login {
    /// In words, for the notes of a step.
    pub fn note(&self) -> String {
        match self {
            Self::In { proof } => format!("seen: {}", proof.join(", ")),
            Self::Refused { why } => why.clone(),
            Self::Wall(wall) => wall.seen.clone(),
        }
    }

    pub fn is_in(&self) -> bool {
        matches!(self, Self::In { .. })
    }
}

/// Opens the app and logs in.
pub async fn sign_in(visitor: &Visitor, account: &Account, discretion: &Discretion) -> Result<Login, StepError> {
    if !visitor.open(visitor.start()).await? {
        return Ok(refused("the app did not answer"));
    }
    let shown = match reveal(visitor, |seen, _| is_form(seen), &mut Vec::new()).await? {
        Revealed::Form(survey) => survey,
        Revealed::Nothing(survey) => return Ok(without_form(&survey)),
    };
    submit_stages(visitor, account, discretion, shown).await
}

fn refused(why: &str) -> Login {
    Login::Refused { why: why.to_owned() }
}

fn without_form(survey: &Survey) -> Login {
    match captcha(survey) {
        Some(wall) => Login::Wall(wall),
        None => refused("no login form was found on the first page, behind a sign-in link or at the usual addresses"),
    }
}

fn captcha(survey: &Survey) -> Option<Wall> {
    let words = plain(&survey.text);
    let human = ["verify you are human", "i'm not a robot", "i m not a robot", "checking your browser"];
    let name = if survey.captcha.is_empty() {
        human.iter().any(|phrase| words.contains(phrase)).then(|| "a check for humans".to_owned())
    } else {
        Some(survey.captcha.clone())
    };
    name.map(|name| Wall { kind: WallKind::Captcha, seen: format!("{name} stands before the login") })
}

/// Fields and button of one stage.
struct Stage<'a> {
    identity: Option<&'a Field>,
    password: Option<&'a Field>,
    button: Option<&'a Control>,
}

/// Whether the page shows a form for logging in: one with a password that is no sign-up, or the first of two stages.
fn is_form(survey: &Survey) -> bool {
    stage(survey).is_some()
}

fn stage(survey: &Survey) -> Option<Stage<'_>> {
    match survey.password() {
        Some(password) => with_password(survey, password),
        None => first_of_two(survey),
    }
}

fn with_password<'a>(survey: &'a Survey, password: &'a Field) -> Option<Stage<'a>> {
    let beside = |field: &&Field| field.group == password.group;
    let passwords = survey.fields.iter().filter(|field| field.is_password()).filter(beside).count();
    let button = button_of(survey, password.group);
    let is_sign_up = passwords > 1 || button.is_some_and(|button| button.is_sign_up() && !button.is_sign_in());
    // A sign-up form is taken for the login only where no way to the login is offered.
    if is_sign_up && survey.sign_in().is_some() {
        return None;
    }
    let before = survey.fields.iter().filter(beside).filter(|field| field.number < password.number && !field.read_only);
    let identity = before.clone().find(|field| field.is_identity()).or_else(|| {
        let mut texts = before.filter(|field| field.is_free_text());
        texts.next_back()
    });
    Some(Stage { identity, password: Some(password), button })
}

fn first_of_two(survey: &Survey) -> Option<Stage<'_>> {
    survey.fields.iter().filter(|field| field.is_identity() && field.region != "footer").find_map(|identity| {
        let button = button_of(survey, identity.group)?;
        let name = plain(&button.name);
        let other = has_word(&name, &["subscribe", "newsletter", "waitlist", "notify", "updates", "invite"]);
        let goes_on = (button.goes_on() || button.is_sign_in()) && !button.is_sign_up() && !other;
        let alone = identity.group.is_none_or(|group| survey.fields_of(group).filter(|f| f.is_input()).count() == 1);
        (goes_on && alone).then_some(Stage { identity: Some(identity), password: None, button: Some(button) })
    })
}

/// The button that sends the form: by name, then by type; never one that leads to another provider.
fn button_of(survey: &Survey, group: Option<usize>) -> Option<&Control> {
    let usable: Vec<&Control> = survey
        .controls
        .iter()
        .filter(|control| control.group == group && !control.link && !control.is_social())
        .collect();
    let named = |test: fn(&Control) -> bool| usable.iter().copied().find(|control| test(control));
    named(|control| control.submit && control.is_sign_in())
        .or_else(|| named(Control::is_sign_in))
        .or_else(|| named(|control| control.submit && control.goes_on()))
        .or_else(|| named(|control| control.submit && !control.is_sign_up()))
        .or_else(|| named(Control::goes_on))
        .or_else(|| named(|control| control.submit))
}

async fn submit_stages(
    visitor: &Visitor,
    account: &Account,
    discretion: &Discretion,
    mut shown: Survey,
) -> Result<Login, StepError> {
    let before = visitor.traces().await?;
    for _ in 0..MAX_STAGES {
        let Some(current) = stage(&shown) else { break };
        if let Some(identity) = current.identity {
            visitor.write(identity, &account.email).await?;
        }
        if let Some(password) = current.password {
            visitor.write(password, &account.password).await?;
        }
        let last = current.password.is_some();
        visitor.page.clear_log();
        send(visitor, &current).await?;
        if last {
            return answer(visitor, discretion, &shown, &before).await;
        }
        let (next, _) = visitor
            .look_until(FORM_LIMIT, |seen| seen.password().is_some() || challenge(seen, &shown).is_some())
            .await?;
        if let Some(wall) = challenge(&next, &shown).filter(|_| next.password().is_none()) {
            return Ok(Login::Wall(wall));
        }
        if next.password().is_none() {
            let why = next.refusal(&shown).map_or_else(
                || "the form took the e-mail address and then asked for no password".to_owned(),
                |text| format!("the page says: {}", discretion.quote(&text)),
            );
            return Ok(captcha(&next).map_or(Login::Refused { why }, Login::Wall));
        }
        shown = next;
    }
    Ok(refused("the login form went away before it was sent"))
}

async fn send(visitor: &Visitor, stage: &Stage<'_>) -> Result<(), StepError> {
    if let Some(button) = stage.button {
        // A button may wake up only when the fields are filled.
        let name = button.name.clone();
        let (ready, found) = visitor
            .look_until(Duration::from_secs(1), |seen| button_named(seen, &name).is_some_and(|found| !found.disabled))
            .await?;
        if let Some(button) = button_named(&ready, &name).filter(|_| found) {
            return visitor.click(button).await;
        }
    }
    match stage.password.or(stage.identity) {
        Some(field) => {
            let survey = visitor.look().await?;
            let same = survey.fields.iter().find(|now| now.kind == field.kind && now.name == field.name);
            visitor.enter(same.unwrap_or(field)).await
        }
        None => Ok(()),
    }
}

fn button_named<'a>(survey: &'a Survey, name: &str) -> Option<&'a Control> {
    let (mut inside, outside): (Vec<_>, Vec<_>) =
        survey.controls.iter().filter(|control| control.name == name).partition(|control| control.group.is_some());
    inside.extend(outside);
    inside.into_iter().next()
}

type Traces = (Vec<(String, String)>, String);

/// Waits for the app's answer to a login that was sent.
async fn answer(
    visitor: &Visitor,
    discretion: &Discretion,
    form: &Survey,
    before: &Traces,
) -> Result<Login, StepError> {
    let mut patience = Patience::new(ANSWER_LIMIT, SILENCE);
    loop {
        let survey = visitor.look().await?;
        let blank = survey.text.is_empty() && survey.fields.is_empty();
        if survey.password().is_none() && !blank {
            if let Some(wall) = challenge(&survey, form) {
                return Ok(Login::Wall(wall));
            }
            let proof = proof(visitor, &survey, form, before).await?;
            if !proof.is_empty() {
                return Ok(Login::In { proof });
            }
        }
        let over = visitor.waits_no_longer(&mut patience).await;
        let refusal = survey.refusal(form);
        if survey.password().is_some() && (over || (refusal.is_some() && patience.is_silent())) {
            return Ok(refusal_of(&survey, refusal, discretion));
        }
        if over {
            return Ok(refused("the login form went away, but nothing shows that somebody is logged in"));
        }
    }
}

fn refusal_of(survey: &Survey, refusal: Option<String>, discretion: &Discretion) -> Login {
    if let Some(wall) = captcha(survey) {
        return Login::Wall(wall);
    }
    match refusal {
        Some(text) => Login::Refused { why: format!("the page says: {}", discretion.quote(&text)) },
        None => refused("the login form was sent and still stands there"),
    }
}

/// A code or a confirmation that only the owner of the account could give. A field for a code decides; words do where the page that came
/// after the form offers nothing else to do.
fn challenge(survey: &Survey, form: &Survey) -> Option<Wall> {
    let words = plain(&survey.text);
    let says = |phrases: &[&'static str]| phrases.iter().find(|phrase| words.contains(**phrase)).copied();
    let wall = |kind, seen: &str| Some(Wall { kind, seen: format!("after the login form, the page asks: {seen}") });
    if survey.log_out().is_some() {
        return None;
    }
    let takes_a_code = survey.fields.iter().any(Field::is_code);
    if !takes_a_code && offers_work(survey, form) {
        return None;
    }
    if let Some(seen) = says(&["verify your email", "verify your e mail", "confirm your email", "confirm your e mail"])
    {
        return wall(WallKind::EmailVerification, seen);
    }
    if takes_a_code {
        return wall(WallKind::SecondFactor, "a field for a one-time code");
    }
    let code = [
        "verification code",
        "one time code",
        "two factor",
        "2 step verification",
        "two step verification",
        "authenticator app",
        "security code",
        "enter the code",
        "6 digit code",
        "check your email",
        "check your e mail",
    ];
    says(&code).and_then(|seen| wall(WallKind::SecondFactor, seen))
}

/// Whether a page gives its visitor something to do that the login did not: it may then speak of codes and addresses to be confirmed
/// without asking for any. What is called after a code or an address belongs to the wall: "Send a new code".
fn offers_work(survey: &Survey, form: &Survey) -> bool {
    let of_walls = ["code", "confirm", "confirmation", "email", "link", "mail", "resend", "verification", "verify"];
    let works = |control: &Control| {
        control.opens_a_form()
            || control.is_menu() && (control.opens || control.banner)
            || control.region == "nav" && control.is_way_around(None)
    };
    let is_new = |control: &Control| !form.controls.iter().any(|before| before.name == control.name);
    let is_of_wall = |control: &Control| has_word(&plain(&control.name), &of_walls);
    survey.controls.iter().any(|control| works(control) && is_new(control) && !is_of_wall(control))
}

/// What shows that somebody is logged in, now that the password field is gone.
async fn proof(
    visitor: &Visitor,
    now: &Survey,
    form: &Survey,
    before: &Traces,
) -> Result<Vec<&'static str>, StepError> {
    let mut proof = Vec::new();
    if now.log_out().is_some() && form.log_out().is_none() {
        proof.push("a log-out control");
    }
    let refused = now.alerts.iter().any(|alert| !form.alerts.contains(alert)) && now.refusal(form).is_some();
    if refused && proof.is_empty() {
        return Ok(proof);
    }
    let (cookies, storage) = visitor.traces().await?;
    if cookies != before.0 {
        proof.push("a new cookie");
    }
    if storage != before.1 && !storage.is_empty() {
        proof.push("something new in the browser's storage");
    }
    if visitor.page.exchanges().iter().any(super::replay::carries_a_user) {
        proof.push("a request with a token");
    }
    let news = new_text(&form.text, &now.text).is_some_and(|text| text.chars().count() > 30);
    if news && !now.offers_login() && !now.fields.iter().any(|field| field.kind == "email" && field.group.is_none()) {
        proof.push("a new page without a login");
    }
    // A cookie alone may come from anybody: the page must look different too.
    let looks_different = now.log_out().is_some() || !is_form(now);
    Ok(if looks_different { proof } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::survey::tests::control;
    use super::*;

    fn field(number: usize, kind: &str, label: &str) -> Field {
        Field { number, kind: kind.into(), label: label.into(), group: Some(0), ..Field::default() }
    }

    fn button(name: &str, submit: bool) -> Control {
        Control { submit, group: Some(0), ..control(name) }
    }

    fn login() -> Survey {
        Survey {
            fields: vec![field(0, "email", "E-mail"), field(1, "password", "Password")],
            controls: vec![
                button("Continue with Google", true),
                button("Create account", false),
                button("Log in", true),
            ],
            ..Survey::default()
        }
    }

    #[test]
    fn the_form_is_sent_by_its_own_button_and_no_other() {
        let survey = login();
        let stage = stage(&survey).unwrap();
        assert_eq!(stage.button.unwrap().name, "Log in");
        assert_eq!((stage.identity.unwrap().number, stage.password.unwrap().number), (0, 1));
    }

    #[test]
    fn a_sign_up_form_is_not_a_login_where_a_way_to_the_login_is_offered() {
        let mut survey = login();
        survey.controls =
            vec![button("Sign up", true), Control { link: true, ..control("Already have an account? Sign in") }];
        assert!(stage(&survey).is_none());
    }

    #[test]
    fn an_address_and_continue_are_the_first_of_two_stages_and_a_newsletter_is_not() {
        let mut survey = login();
        survey.fields.pop();
        survey.controls = vec![button("Continue", true)];
        assert!(stage(&survey).is_some_and(|stage| stage.password.is_none()));
        survey.controls = vec![button("Subscribe", true)];
        assert!(stage(&survey).is_none());
    }

    #[test]
    fn codes_and_confirmations_are_walls_unless_somebody_is_logged_in() {
        let asks = |text: &str| Survey { text: text.into(), ..Survey::default() };
        let challenge = |survey: &Survey| challenge(survey, &login());
        assert_eq!(challenge(&asks("Please verify your e-mail")).unwrap().kind, WallKind::EmailVerification);
        assert_eq!(challenge(&asks("Enter the code we sent")).unwrap().kind, WallKind::SecondFactor);
        let mut inside = asks("Two-factor authentication is off");
        inside.controls.push(control("Log out"));
        assert_eq!(challenge(&inside), None);
    }

    #[test]
    fn a_page_to_work_with_that_mentions_a_code_is_no_wall() {
        let page = |controls: Vec<Control>| Survey {
            text: "Verify your email to get the weekly digest. Contacts".into(),
            controls,
            ..Survey::default()
        };
        let avatar = Control { banner: true, picture: true, ..control("") };
        let opening = Control { opens: true, ..control("Ada") };
        let in_nav = Control { region: "nav".into(), link: true, ..control("Contacts") };
        for offered in [avatar.clone(), opening, in_nav.clone(), control("New contact")] {
            assert_eq!(challenge(&page(vec![offered.clone()]), &login()), None, "{offered:?}");
        }
        let before = Survey { controls: vec![in_nav.clone()], ..login() };
        let wall = [in_nav, control("Send a new code"), control("Verify my email"), control("Back to login")];
        let seen = challenge(&page(wall.to_vec()), &before).unwrap();
        assert_eq!(seen.kind, WallKind::EmailVerification, "the way around was there before");
        let mut asked = page(vec![avatar]);
        asked.text = "Welcome. Enter it below.".into();
        asked.fields.push(Field { autocomplete: "one-time-code".into(), ..field(0, "text", "Code") });
        assert_eq!(challenge(&asked, &login()).unwrap().kind, WallKind::SecondFactor);
    }

    #[test]
    fn a_captcha_stands_before_the_login_and_not_before_a_page_without_one() {
        assert_eq!(captcha(&login()), None);
        let survey = Survey { captcha: "Turnstile".into(), ..login() };
        assert_eq!(captcha(&survey).unwrap().kind, WallKind::Captcha);
    }
}
