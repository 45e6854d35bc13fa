//! Certificates that are not checked, and plain http.

use crate::patterns::settings::is_plain_http;
use crate::patterns::{Candidate, Scope};
use crate::script::{Script, dotted, last_name, unwrapped};
use oxc::ast::ast::{
    Argument, AssignmentExpression, AssignmentTarget, CallExpression, Expression, NewExpression, ObjectProperty,
    VariableDeclarator,
};

/// `rejectUnauthorized: false`, `baseURL: 'http://…'`.
pub fn property<'a>(script: &Script<'_, 'a>, property: &'a ObjectProperty<'a>, seen: &mut Vec<Candidate>) {
    let Some(name) = property.key.static_name() else { return };
    let off = matches!(unwrapped(&property.value), Expression::BooleanLiteral(value) if !value.value);
    if off && ["rejectUnauthorized", "strictSSL"].contains(&name.as_ref()) {
        seen.push(Candidate::new("tls_verification_off", script.at(property.span), Scope::Anywhere));
    } else if is_address_name(&name) {
        plain(script, &property.value, seen);
    }
}

/// `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'`.
pub fn assignment<'a>(script: &Script<'_, 'a>, assignment: &'a AssignmentExpression<'a>, seen: &mut Vec<Candidate>) {
    let name = match &assignment.left {
        AssignmentTarget::StaticMemberExpression(member) => member.property.name.to_string(),
        AssignmentTarget::ComputedMemberExpression(member) => {
            crate::script::literal(&member.expression).map(std::borrow::Cow::into_owned).unwrap_or_default()
        }
        _ => return,
    };
    let zero =
        crate::script::literal(&assignment.right).is_some_and(|text| text == "0") || assignment.right.is_number_0();
    let off = matches!(unwrapped(&assignment.right), Expression::BooleanLiteral(value) if !value.value);
    if name == "NODE_TLS_REJECT_UNAUTHORIZED" && zero || name == "rejectUnauthorized" && off {
        seen.push(Candidate::new("tls_verification_off", script.at(assignment.span), Scope::Anywhere));
    } else if is_address_name(&name) {
        plain(script, &assignment.right, seen);
    }
}

/// `const API_URL = 'http://…'`.
pub fn declarator<'a>(script: &Script<'_, 'a>, declarator: &'a VariableDeclarator<'a>, seen: &mut Vec<Candidate>) {
    let (Some(name), Some(init)) = (declarator.id.get_identifier_name(), &declarator.init) else { return };
    if is_address_name(&name) {
        plain(script, init, seen);
    }
}

/// `fetch('http://…')`, `axios.post('http://…')`.
pub fn call<'a>(script: &Script<'_, 'a>, call: &'a CallExpression<'a>, seen: &mut Vec<Candidate>) {
    let path = dotted(&call.callee).unwrap_or_default();
    let client = path.split('.').next().unwrap_or_default();
    let requests = ["fetch", "axios", "ky", "got", "superagent", "$fetch", "useFetch", "request", "sendBeacon"];
    let opens = last_name(&call.callee) == Some("open") && call.arguments.len() >= 2;
    if requests.contains(&client)
        || path.ends_with(".sendBeacon")
        || path.ends_with("http.get")
        || path == "http.request"
    {
        address(script, call.arguments.first(), seen);
    } else if opens && !path.starts_with("window") {
        address(script, call.arguments.get(1), seen);
    }
}

/// `new WebSocket('ws://…')`.
pub fn made<'a>(script: &Script<'_, 'a>, made: &'a NewExpression<'a>, seen: &mut Vec<Candidate>) {
    if matches!(last_name(&made.callee), Some("WebSocket" | "EventSource")) {
        address(script, made.arguments.first(), seen);
    }
}

fn address<'a>(script: &Script<'_, 'a>, argument: Option<&'a Argument<'a>>, seen: &mut Vec<Candidate>) {
    if let Some(expression) = argument.and_then(Argument::as_expression) {
        plain(script, expression, seen);
    }
}

/// An address that begins with plain http, also as the fallback of another.
fn plain(script: &Script<'_, '_>, expression: &Expression<'_>, seen: &mut Vec<Candidate>) {
    match unwrapped(expression) {
        Expression::StringLiteral(text) if is_plain_http(text.value.as_str()) => {
            seen.push(Candidate::new("insecure_transport", script.at(text.span), Scope::Reached));
        }
        Expression::TemplateLiteral(template) => {
            let start = template.quasis.first().map_or("", |quasi| quasi.value.raw.as_str());
            if is_plain_http(start) && (template.expressions.is_empty() || start.matches('/').count() > 2) {
                seen.push(Candidate::new("insecure_transport", script.at(template.span), Scope::Reached));
            }
        }
        Expression::LogicalExpression(logical) => {
            plain(script, &logical.left, seen);
            plain(script, &logical.right, seen);
        }
        Expression::ConditionalExpression(choice) => {
            plain(script, &choice.consequent, seen);
            plain(script, &choice.alternate, seen);
        }
        Expression::BinaryExpression(binary) => plain(script, &binary.left, seen),
        _ => {}
    }
}

/// Names under which the address of a service is kept.
fn is_address_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase().replace(['_', '-'], "");
    let ends = [
        "apiurl",
        "baseurl",
        "apibase",
        "apihost",
        "endpoint",
        "serverurl",
        "backendurl",
        "backend",
        "apiendpoint",
        "wsurl",
        "socketurl",
        "apiroot",
        "webhookurl",
        "serviceurl",
        "graphqlurl",
    ];
    ends.iter().any(|end| lower.ends_with(end))
}
