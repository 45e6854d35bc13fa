//! Tokens that are believed without a signature, and privileged functions that a browser calls.

use crate::patterns::{Candidate, Scope};
use crate::script::{Script, dotted, last_name, literal};
use oxc::ast::AstKind;
use oxc::ast::ast::{BindingPattern, CallExpression, Expression};
use oxc::semantic::NodeId;
use oxc::span::GetSpan;
use oxc::syntax::operator::UnaryOperator;
use regex::Regex;
use std::sync::LazyLock;

static PRIVILEGED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)^(admin_|.*_admin$|make_|promote|demote|grant_|revoke_|delete_(user|account)|remove_user|ban_|unban_|set_(user_)?role|update_(user_)?role|change_(user_)?role|assign_role|impersonate|exec_?sql|execute_?sql|run_sql|sql$|truncate_|drop_|reset_all|wipe_)";
    Regex::new(pattern).expect("the pattern is fixed")
});

/// Claims by which people are let in.
const AUTHORITY: [&str; 15] = [
    "role",
    "roles",
    "isadmin",
    "admin",
    "permissions",
    "permission",
    "scope",
    "scopes",
    "groups",
    "tier",
    "plan",
    "ispremium",
    "issuperuser",
    "usertype",
    "accesslevel",
];

/// Looks at one call.
pub fn call(script: &Script<'_, '_>, node: NodeId, call: &CallExpression<'_>, seen: &mut Vec<Candidate>) {
    if last_name(&call.callee) == Some("rpc") {
        let name = call.arguments.first().and_then(|one| one.as_expression()).and_then(literal).unwrap_or_default();
        if PRIVILEGED.is_match(&name) {
            seen.push(Candidate::new("privileged_rpc_client", script.at(call.span), Scope::Client));
        }
    } else if decodes(script, call) && !verifies(script) {
        decision(script, node, call, seen);
    }
}

/// Whether a call reads a token without its signature.
fn decodes(script: &Script<'_, '_>, call: &CallExpression<'_>) -> bool {
    match dotted(&call.callee).as_deref() {
        Some(
            "jwtDecode"
            | "jwt_decode"
            | "decodeJwt"
            | "jose.decodeJwt"
            | "jwt.decode"
            | "jsonwebtoken.decode"
            | "JWT.decode"
            | "decodeToken"
            | "parseJwt",
        ) => true,
        Some("JSON.parse") => {
            let text = script.slice(call.span);
            (text.contains("atob(") || text.contains("base64"))
                && text.contains("split('.')") | text.contains("split(\".\")")
        }
        _ => false,
    }
}

/// Whether the same script checks signatures somewhere.
fn verifies(script: &Script<'_, '_>) -> bool {
    ["jwt.verify(", "jwtVerify(", "verify(token", "verifyIdToken(", "jsonwebtoken.verify(", "auth.getUser("]
        .iter()
        .any(|call| script.text.contains(call))
}

fn decision(script: &Script<'_, '_>, node: NodeId, call: &CallExpression<'_>, seen: &mut Vec<Candidate>) {
    let at = script.at(call.span);
    let mut uses = vec![use_of(script, node)];
    let (_, parent) = script.parent(node);
    if let AstKind::VariableDeclarator(declarator) = parent {
        uses.clear();
        for name in declarator.id.get_binding_identifiers() {
            let destructured = matches!(declarator.id, BindingPattern::ObjectPattern(_));
            let Some(symbol) = name.symbol_id.get() else { continue };
            for reference in script.semantic.symbol_references(symbol) {
                let mut used = use_of(script, reference.node_id());
                if destructured && used.property.is_none() {
                    used.property = Some(name.name.to_string());
                }
                uses.push(used);
            }
        }
    }
    let by_authority = |used: &Use| used.decides && used.property.as_deref().is_some_and(is_authority);
    let by_anything = |used: &Use| {
        (used.decides || used.becomes_user)
            && !used.property.as_deref().is_some_and(|name| ["exp", "iat", "nbf"].contains(&name))
    };
    if uses.iter().any(by_authority) {
        seen.push(Candidate::new("jwt_decode_no_verify", at, Scope::Reached));
    } else if uses.iter().any(by_anything) {
        seen.push(Candidate::new("jwt_decode_no_verify", at, Scope::NotClient));
    }
}

fn is_authority(property: &str) -> bool {
    AUTHORITY.contains(&property.to_ascii_lowercase().replace('_', "").as_str())
}

/// What becomes of a value.
struct Use {
    /// The first property that is read of it.
    property: Option<String>,
    /// It decides what happens next.
    decides: bool,
    /// It is taken for the user: `req.user = …`.
    becomes_user: bool,
}

/// Climbs from a value to what it is used for.
fn use_of(script: &Script<'_, '_>, node: NodeId) -> Use {
    let mut used = Use { property: None, decides: false, becomes_user: false };
    let mut at = node;
    for _ in 0..12 {
        let span = script.kind(at).span();
        let (next, kind) = script.parent(at);
        match kind {
            AstKind::StaticMemberExpression(member) => {
                used.property.get_or_insert_with(|| member.property.name.to_string());
            }
            AstKind::CallExpression(call) if within_callee(call, span) => {}
            AstKind::LogicalExpression(logical) if logical.left.span().contains_inclusive(span) => used.decides = true,
            AstKind::ComputedMemberExpression(_) | AstKind::LogicalExpression(_) => {}
            AstKind::BinaryExpression(binary) => {
                used.decides |= binary.operator.is_equality() || binary.operator.is_compare();
            }
            AstKind::UnaryExpression(unary) => used.decides |= unary.operator == UnaryOperator::LogicalNot,
            AstKind::ConditionalExpression(choice) => {
                used.decides |= choice.test.span().contains_inclusive(span);
                return used;
            }
            AstKind::IfStatement(choice) => {
                used.decides |= choice.test.span().contains_inclusive(span);
                return used;
            }
            AstKind::SwitchStatement(_) => {
                used.decides = true;
                return used;
            }
            AstKind::AssignmentExpression(assignment) => {
                let target = script.slice(assignment.left.span());
                used.becomes_user =
                    target.rsplit_once('.').is_some_and(|(_, name)| ["user", "userId", "auth"].contains(&name));
                return used;
            }
            _ => return used,
        }
        at = next;
    }
    used
}

fn within_callee(call: &CallExpression<'_>, span: oxc::span::Span) -> bool {
    matches!(&call.callee, Expression::StaticMemberExpression(member) if member.span == span)
}
