//! Password changes that ask for no proof.

use crate::patterns::{Candidate, Scope};
use crate::script::{Script, last_name, literal, unwrapped};
use oxc::ast::ast::{CallExpression, Expression, Function, VariableDeclarator};
use oxc::span::{GetSpan, Span};
use regex::Regex;
use std::sync::LazyLock;

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(reset|forgot|recover|change|update)[-_/]?(user)?[-_/]?pass(word)?").expect("the pattern is fixed")
});

/// Something is stored.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\.(update\w*|save|set|findOneAndUpdate|findByIdAndUpdate|query|execute|run|upsert|put|setItem)\s*\(|\bUPDATE\s+\w+|\.password(hash)?\s*=[^=]").expect("the pattern is fixed")
});

/// A new password is what is stored.
static PASSWORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)new_?password|password(_?hash)?\b").expect("the pattern is fixed"));

/// Something proves who asks: a token, a code, the old password, a session, or a service that checks it.
static PROOF: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"\w*token\w*|otp\w*|\w*code|oobCode|nonce|\w*verif\w*|(current|old|existing)_?password\w*|req\.(user|session|auth)\w*|session|getUser|getSession|currentUser|auth\(\)|\w*compare(Sync)?|updateUser|resetPasswordForEmail|sendPasswordResetEmail|confirmPasswordReset|\w*authenticat\w*|requireAuth|reauthenticate\w*|ctx\.user|signature|hmac|magic\w*|securityAnswer";
    Regex::new(&format!(r"(?i)(^|[^\w])({words})([^\w]|$)")).expect("the pattern is fixed")
});

/// `app.post('/reset-password', handler)`.
pub fn route(script: &Script<'_, '_>, call: &CallExpression<'_>, seen: &mut Vec<Candidate>) {
    let routes = ["post", "put", "patch", "all"].contains(&last_name(&call.callee).unwrap_or_default());
    let path = call.arguments.first().and_then(|one| one.as_expression()).and_then(literal).unwrap_or_default();
    let handled = call.arguments.last().and_then(|one| one.as_expression()).is_some_and(Expression::is_function);
    if routes && handled && path.starts_with('/') && NAME.is_match(&path) {
        judge(script, call.span, seen);
    }
}

/// `async function resetPassword(…)`.
pub fn function(script: &Script<'_, '_>, function: &Function<'_>, seen: &mut Vec<Candidate>) {
    if function.id.as_ref().is_some_and(|id| NAME.is_match(&id.name)) {
        judge(script, function.span, seen);
    }
}

/// `const resetPassword = async (…) => …`.
pub fn declarator(script: &Script<'_, '_>, declarator: &VariableDeclarator<'_>, seen: &mut Vec<Candidate>) {
    let named = declarator.id.get_identifier_name().is_some_and(|name| NAME.is_match(&name));
    let Some(init) = declarator.init.as_ref().filter(|_| named) else { return };
    let function = match unwrapped(init) {
        Expression::CallExpression(call) => call.arguments.first().and_then(|one| one.as_expression()),
        other => Some(other),
    };
    if let Some(function) = function.filter(|one| one.is_function()) {
        judge(script, function.span(), seen);
    }
}

fn judge(script: &Script<'_, '_>, span: Span, seen: &mut Vec<Candidate>) {
    let text = code_of(script, span);
    if WRITES.is_match(&text) && PASSWORD.is_match(&text) && !PROOF.is_match(&text) {
        let at = script.at(span);
        if !seen.iter().any(|one| one.rule == "password_reset_no_token" && one.at == at) {
            seen.push(Candidate::new("password_reset_no_token", at, Scope::Reached));
        }
    }
}

/// The text of a function without its comments: an intention is no proof.
fn code_of(script: &Script<'_, '_>, span: Span) -> String {
    let mut text = String::new();
    let mut from = span.start;
    for comment in script.semantic.comments_range(span.start..span.end) {
        text.push_str(script.slice(Span::new(from, comment.span.start)));
        from = comment.span.end;
    }
    text.push_str(script.slice(Span::new(from.min(span.end), span.end)));
    text
}
