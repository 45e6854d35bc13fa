//! Sinks that turn text into markup.

use crate::patterns::{Candidate, Scope};
use crate::script::{Script, dotted, is_safe_html, last_name, unwrapped};
use oxc::ast::AstKind;
use oxc::ast::ast::{
    AssignmentExpression, AssignmentTarget, CallExpression, Expression, JSXAttribute, JSXAttributeItem,
    JSXAttributeName, JSXAttributeValue, JSXElementName, JSXOpeningElement,
};
use oxc::semantic::NodeId;

const RULE: &str = "xss_unsanitized_html";

/// `dangerouslySetInnerHTML={{ __html: … }}`.
pub fn attribute<'a>(
    script: &Script<'_, 'a>,
    node: NodeId,
    attribute: &'a JSXAttribute<'a>,
    seen: &mut Vec<Candidate>,
) {
    let JSXAttributeName::Identifier(name) = &attribute.name else { return };
    if name.name != "dangerouslySetInnerHTML" {
        return;
    }
    let Some(JSXAttributeValue::ExpressionContainer(container)) = &attribute.value else { return };
    let Some(value) = container.expression.as_expression() else { return };
    let element = script.around(node).find_map(|kind| match kind {
        AstKind::JSXOpeningElement(element) => Some(element),
        _ => None,
    });
    if element.is_some_and(|element| is_style(element) || is_structured_data(element) && serialises(script, value)) {
        return;
    }
    let html = markup_of(value).unwrap_or(value);
    if !is_safe_html(script, html) {
        seen.push(Candidate::new(RULE, script.at(attribute.span), Scope::Reached));
    }
}

/// The `__html` of an object literal.
fn markup_of<'a>(value: &'a Expression<'a>) -> Option<&'a Expression<'a>> {
    let Expression::ObjectExpression(object) = unwrapped(value) else { return None };
    object
        .properties
        .iter()
        .filter_map(|property| property.as_property())
        .find(|one| one.key.is_specific_static_name("__html"))
        .map(|one| &one.value)
}

fn element_name<'a>(element: &JSXOpeningElement<'a>) -> &'a str {
    match &element.name {
        JSXElementName::Identifier(name) => name.name.as_str(),
        JSXElementName::IdentifierReference(name) => name.name.as_str(),
        _ => "",
    }
}

/// Styles hold no scripts.
fn is_style(element: &JSXOpeningElement<'_>) -> bool {
    element_name(element) == "style"
}

fn is_structured_data(element: &JSXOpeningElement<'_>) -> bool {
    let json = |value: &str| value.contains("json");
    ["script", "Script"].contains(&element_name(element))
        && element.attributes.iter().any(|one| match one {
            JSXAttributeItem::Attribute(one) => {
                matches!(&one.value, Some(JSXAttributeValue::StringLiteral(text)) if json(text.value.as_str()))
            }
            JSXAttributeItem::SpreadAttribute(_) => false,
        })
}

fn serialises(script: &Script<'_, '_>, value: &Expression<'_>) -> bool {
    script.slice(crate::script::span_of(value)).contains("JSON.stringify")
}

/// `element.innerHTML = …`.
pub fn assignment<'a>(script: &Script<'_, 'a>, assignment: &'a AssignmentExpression<'a>, seen: &mut Vec<Candidate>) {
    let property = match &assignment.left {
        AssignmentTarget::StaticMemberExpression(member) => member.property.name.as_str(),
        _ => return,
    };
    if ["innerHTML", "outerHTML", "srcdoc"].contains(&property) && !is_safe_html(script, &assignment.right) {
        seen.push(Candidate::new(RULE, script.at(assignment.span), Scope::Reached));
    }
}

/// `element.insertAdjacentHTML(place, …)`, `document.write(…)`, `$(…).html(…)`.
pub fn call<'a>(script: &Script<'_, 'a>, call: &'a CallExpression<'a>, seen: &mut Vec<Candidate>) {
    let position = match last_name(&call.callee) {
        Some("insertAdjacentHTML") => 1,
        Some("write" | "writeln")
            if matches!(dotted(&call.callee).as_deref(), Some("document.write" | "document.writeln")) =>
        {
            0
        }
        Some("html") if is_jquery(call) => 0,
        Some("createContextualFragment") => 0,
        _ => return,
    };
    let Some(value) = call.arguments.get(position).and_then(|argument| argument.as_expression()) else { return };
    if !is_safe_html(script, value) {
        seen.push(Candidate::new(RULE, script.at(call.span), Scope::Reached));
    }
}

/// Called on what `$(…)` gave.
fn is_jquery(call: &CallExpression<'_>) -> bool {
    let Some(member) = call.callee.get_member_expr() else { return false };
    match unwrapped(member.object()) {
        Expression::CallExpression(inner) => matches!(last_name(&inner.callee), Some("$" | "jQuery")),
        Expression::Identifier(name) => name.name.starts_with('$'),
        _ => false,
    }
}
