//! Administrators that are written into the code.

use crate::patterns::{Candidate, Scope};
use crate::script::{Script, last_name, literal, unwrapped};
use crate::secrets::is_placeholder;
use oxc::ast::AstKind;
use oxc::ast::ast::{
    ArrayExpressionElement, BinaryExpression, CallExpression, Expression, ObjectExpression, VariableDeclarator,
};
use oxc::semantic::NodeId;
use oxc::span::{GetSpan, Span};
use std::borrow::Cow;
use std::ops::Range;

const EMAIL: &str = "hardcoded_admin_email";
const PASSWORD: &str = "hardcoded_admin_password";

/// `email === 'admin@…'`, `password === '…'`.
pub fn comparison<'a>(
    script: &Script<'_, 'a>,
    node: NodeId,
    binary: &'a BinaryExpression<'a>,
    seen: &mut Vec<Candidate>,
) {
    if !["==", "==="].contains(&binary.operator.as_str()) {
        return;
    }
    let Some((name, value, span)) =
        sides(script, &binary.left, &binary.right).or_else(|| sides(script, &binary.right, &binary.left))
    else {
        return;
    };
    let at = script.at(binary.span);
    if is_password_name(name) && is_chosen(&value) && (looks_chosen(&value) || beside_a_login(script, node)) {
        seen.push(Candidate::new(PASSWORD, at, Scope::Reached).hiding(inside(script, span)));
    } else if is_email_name(name) && is_email(&value) && !beside_a_password(script, node) && !is_made_up(&value) {
        seen.push(Candidate::new(EMAIL, at, Scope::Reached));
    }
}

/// A name on one side and a fixed text on the other.
fn sides<'a>(
    script: &Script<'_, 'a>,
    name: &Expression<'a>,
    value: &Expression<'a>,
) -> Option<(&'a str, Cow<'a, str>, Span)> {
    let text = script.fixed_text(value)?;
    let inner = unwrapped(name);
    let called = match inner {
        Expression::CallExpression(call) => called_on(call),
        other => last_name(other),
    };
    Some((called?, text, value.span()))
}

/// `email` of `user.email.toLowerCase()`.
fn called_on<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    let member = call.callee.get_member_expr()?;
    ["toLowerCase", "trim"].contains(&member.static_property_name()?).then(|| last_name(member.object())).flatten()
}

fn inside(script: &Script<'_, '_>, span: Span) -> Range<usize> {
    let start = script.at(span);
    start + 1..script.offset + (span.end as usize).saturating_sub(1)
}

fn is_password_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [
        "password",
        "passwd",
        "pwd",
        "pass",
        "passcode",
        "adminpassword",
        "inputpassword",
        "passwordinput",
        "enteredpassword",
        "pin",
    ]
    .contains(&lower.as_str())
        || lower.ends_with("password") && !lower.starts_with("confirm")
}

fn is_email_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with("email") || lower == "emailaddress"
}

fn is_email(value: &str) -> bool {
    value.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.') && !value.contains(' '))
}

fn is_made_up(email: &str) -> bool {
    email.starts_with("test@") || email.starts_with("demo@") || email.starts_with("guest@")
}

/// A value somebody could have chosen as a password, not a field's name or an empty one.
fn is_chosen(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    (4..=72).contains(&value.len())
        && !value.contains(' ')
        && !["password", "text", "string", "undefined", "null", "hidden"].contains(&lower.as_str())
        && !is_placeholder(value)
}

fn looks_chosen(value: &str) -> bool {
    value.bytes().any(|byte| !byte.is_ascii_alphabetic() && byte != b'-' && byte != b'_')
        && value.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// Bytes of a condition somebody would write.
const LONGEST: u32 = 4096;

/// The whole condition a comparison is part of, as far as it is not endless.
fn condition<'a>(script: &Script<'_, 'a>, node: NodeId) -> Option<&'a str> {
    let mut whole = None;
    for kind in script.around(node) {
        match kind {
            AstKind::LogicalExpression(logical) if logical.span.size() <= LONGEST => {
                whole = Some(script.slice(logical.span));
            }
            AstKind::ParenthesizedExpression(_) => {}
            _ => break,
        }
    }
    whole
}

fn beside_a_login(script: &Script<'_, '_>, node: NodeId) -> bool {
    condition(script, node).is_some_and(|text| {
        let lower = text.to_ascii_lowercase();
        lower.contains("email") || lower.contains("username") || lower.contains("user ===") || lower.contains("login")
    })
}

fn beside_a_password(script: &Script<'_, '_>, node: NodeId) -> bool {
    condition(script, node).is_some_and(|text| text.to_ascii_lowercase().contains("pass"))
}

/// `const ADMIN_PASSWORD = '…'`, `const ADMIN_EMAILS = ['…']`.
pub fn declarator<'a>(script: &Script<'_, 'a>, declarator: &'a VariableDeclarator<'a>, seen: &mut Vec<Candidate>) {
    let (Some(name), Some(init)) = (declarator.id.get_identifier_name(), &declarator.init) else { return };
    let lower = name.to_ascii_lowercase().replace('_', "");
    let privileged =
        ["admin", "root", "master", "default", "superuser", "owner"].iter().any(|word| lower.starts_with(word));
    if privileged && lower.ends_with("password") {
        for (value, span) in fixed_texts(init) {
            if is_chosen(&value) {
                seen.push(
                    Candidate::new(PASSWORD, script.at(declarator.span), Scope::Reached).hiding(inside(script, span)),
                );
            }
        }
    } else if lower.starts_with("admin") && lower.ends_with("emails") && has_emails(init) {
        seen.push(Candidate::new(EMAIL, script.at(declarator.span), Scope::Reached));
    }
}

/// A literal, or the literal an environment variable falls back to.
fn fixed_texts<'a>(init: &Expression<'a>) -> Vec<(Cow<'a, str>, Span)> {
    match unwrapped(init) {
        Expression::LogicalExpression(logical) => fixed_texts(&logical.right),
        other => literal(other).map(|text| (text, other.span())).into_iter().collect(),
    }
}

fn has_emails(init: &Expression<'_>) -> bool {
    let Expression::ArrayExpression(array) = unwrapped(init) else { return false };
    array
        .elements
        .iter()
        .filter_map(ArrayExpressionElement::as_expression)
        .filter_map(literal)
        .any(|text| is_email(&text) && !is_made_up(&text))
}

/// `{ email: 'admin@…', password: '…' }`.
pub fn object<'a>(script: &Script<'_, 'a>, object: &'a ObjectExpression<'a>, seen: &mut Vec<Candidate>) {
    let field = |wanted: &[&str]| {
        object.properties.iter().filter_map(|one| one.as_property()).find_map(|one| {
            let name = one.key.static_name()?;
            let value = literal(&one.value)?;
            wanted.contains(&name.to_ascii_lowercase().as_str()).then_some((value, one.value.span()))
        })
    };
    let Some((user, _)) = field(&["email", "username", "user", "login"]) else { return };
    let Some((password, span)) = field(&["password", "pass", "pwd"]) else { return };
    let role = field(&["role"]).is_some_and(|(role, _)| role.eq_ignore_ascii_case("admin"));
    let lower = user.to_ascii_lowercase();
    let privileged = role
        || ["admin", "root", "superuser", "administrator"]
            .iter()
            .any(|name| lower == *name || lower.starts_with(&format!("{name}@")));
    if privileged && is_chosen(&password) {
        seen.push(Candidate::new(PASSWORD, script.at(object.span), Scope::Reached).hiding(inside(script, span)));
    }
}
