//! Secrets and whole requests that are logged. Words in a message are no secrets; values are.

use crate::patterns::{Candidate, Scope};
use crate::script::{Script, dotted, last_name, literal, unwrapped};
use oxc::ast::ast::{CallExpression, Expression, ObjectPropertyKind};
use oxc::semantic::NodeId;

const RULE: &str = "sensitive_data_logged";
const METHODS: [&str; 9] = ["log", "info", "warn", "error", "debug", "trace", "dir", "table", "fatal"];
const REQUESTS: [&str; 10] = [
    "req.body",
    "req.headers",
    "request.body",
    "request.headers",
    "ctx.request.body",
    "event.body",
    "event.headers",
    "c.req.header",
    "ctx.headers",
    "req.cookies",
];
const SECRET_NAMES: [&str; 25] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "clientsecret",
    "apikey",
    "secretkey",
    "privatekey",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "idtoken",
    "sessiontoken",
    "resettoken",
    "bearertoken",
    "jwt",
    "token",
    "credentials",
    "authorization",
    "ssn",
    "cvv",
    "cardnumber",
    "servicerolekey",
    "newpassword",
];

/// `console.log(password)`, `logger.info(req.body)`.
pub fn call(script: &Script<'_, '_>, _node: NodeId, call: &CallExpression<'_>, seen: &mut Vec<Candidate>) {
    let Some(path) = dotted(&call.callee) else { return };
    let Some((logger, method)) = path.rsplit_once('.') else { return };
    let logger = logger.rsplit('.').next().unwrap_or(logger).to_ascii_lowercase();
    let logs = ["console", "logger", "log", "winston", "pino", "fastify"].contains(&logger.as_str());
    if !logs || !METHODS.contains(&method) {
        return;
    }
    let shown =
        call.arguments.iter().filter_map(|argument| argument.as_expression()).any(|argument| reveals(argument, 6));
    if shown {
        seen.push(Candidate::new(RULE, script.at(call.span), Scope::Reached));
    }
}

/// Whether an expression shows the value of a secret, not merely that there is one.
fn reveals(expression: &Expression<'_>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match unwrapped(expression) {
        Expression::TemplateLiteral(template) => template.expressions.iter().any(|one| reveals(one, depth)),
        Expression::BinaryExpression(binary) => {
            binary.operator.as_str() == "+" && (reveals(&binary.left, depth) || reveals(&binary.right, depth))
        }
        Expression::LogicalExpression(logical) => reveals(&logical.left, depth) || reveals(&logical.right, depth),
        Expression::ConditionalExpression(choice) => {
            reveals(&choice.consequent, depth) || reveals(&choice.alternate, depth)
        }
        Expression::ArrayExpression(array) => {
            array.elements.iter().filter_map(|one| one.as_expression()).any(|one| reveals(one, depth))
        }
        Expression::ObjectExpression(object) => object.properties.iter().any(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => reveals(&property.value, depth),
            ObjectPropertyKind::SpreadProperty(spread) => reveals(&spread.argument, depth),
        }),
        Expression::CallExpression(call) => call_reveals(call, depth),
        Expression::Identifier(name) => is_secret_name(&name.name),
        other => member_reveals(other),
    }
}

fn call_reveals(call: &CallExpression<'_>, depth: usize) -> bool {
    let path = dotted(&call.callee).unwrap_or_default();
    let passes_on = [
        "JSON.stringify",
        "String",
        "util.inspect",
        "inspect",
        "Object.entries",
        "Object.fromEntries",
        "structuredClone",
    ];
    if passes_on.contains(&path.as_str()) {
        return call.arguments.first().and_then(|one| one.as_expression()).is_some_and(|one| reveals(one, depth));
    }
    // `headers.get('authorization')`
    let asked = call
        .arguments
        .first()
        .and_then(|one| one.as_expression())
        .and_then(literal)
        .unwrap_or_default()
        .to_ascii_lowercase();
    last_name(&call.callee).is_some_and(|method| ["get", "header", "getItem"].contains(&method))
        && is_secret_name(&asked)
}

fn member_reveals(expression: &Expression<'_>) -> bool {
    let Some(member) = expression.get_member_expr() else { return false };
    let path = dotted(expression).unwrap_or_default();
    if REQUESTS.contains(&path.as_str()) {
        return true;
    }
    let Some(name) = member.static_property_name() else { return false };
    let object = dotted(member.object()).unwrap_or_default();
    let of_environment = object == "process.env" || object == "import.meta.env";
    if of_environment {
        let upper = name.to_ascii_uppercase();
        return ["SECRET", "PASSWORD", "PRIVATE_KEY", "SERVICE_ROLE", "API_KEY", "TOKEN"]
            .iter()
            .any(|word| upper.contains(word));
    }
    // Messages of a validation library have the field's name, not its value.
    !object.to_ascii_lowercase().contains("error") && is_secret_name(name)
}

fn is_secret_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase().replace(['_', '-', '$'], "");
    if SECRET_NAMES.contains(&lower.as_str()) {
        return true;
    }
    let flags = [
        "is", "has", "show", "forgot", "invalid", "missing", "should", "can", "needs", "toggle", "hide", "no", "with",
        "reset", "update", "change", "on", "handle", "validate", "hash", "hashed", "count", "total", "max",
    ];
    let is_flag = flags.iter().any(|flag| {
        lower.starts_with(flag) && name[flag.len()..].starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
    });
    let ends = [
        "password",
        "apikey",
        "secretkey",
        "privatekey",
        "accesstoken",
        "refreshtoken",
        "authtoken",
        "clientsecret",
        "jwtsecret",
    ];
    !is_flag && ends.iter().any(|end| lower.ends_with(end))
}
