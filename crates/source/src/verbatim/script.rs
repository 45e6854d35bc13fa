//! Scripts: strings, templates, concatenations and the text of JSX.

use super::{InFile, holds_classes, is_class_name};
use crate::entities::decode;
use crate::script::{Script, last_name, unwrapped};
use oxc::ast::AstKind;
use oxc::ast::ast::{
    AssignmentTarget, CallExpression, Expression, IdentifierReference, JSXAttributeName, JSXChild, JSXElementName,
    MemberExpression, TemplateLiteral,
};
use oxc::semantic::NodeId;
use oxc::span::GetSpan;
use std::borrow::Cow;

/// Functions that take class names or selectors, and nothing that a visitor reads.
const CLASS_CALLS: [&str; 9] =
    ["cn", "clsx", "classNames", "classnames", "cva", "twMerge", "querySelector", "querySelectorAll", "getElementById"];
/// Functions that may take names of classes, attributes or elements.
const NAMING_CALLS: [&str; 5] = ["add", "toggle", "remove", "setAttribute", "createElement"];
/// Levels around a text at which something says what it is for. The variants of `cva` stand seven deep.
const CLASS_LEVELS: usize = 8;

/// Reads a script.
pub fn read(file: &mut InFile<'_>, script: &Script<'_, '_>) {
    for (node, kind) in script.nodes() {
        let at = script.at(kind.span());
        match kind {
            AstKind::StringLiteral(text) if !is_module_name(script, node) => {
                let value = text.value.as_str();
                let is_attribute = matches!(script.parent(node).1, AstKind::JSXAttribute(_));
                let words = if is_attribute { Cow::Owned(decode(value)) } else { Cow::Borrowed(value) };
                if !is_of_classes(script, node) {
                    file.copy(&words, at);
                }
                file.colours(value, at);
                string_names(file, script, node, value, at);
            }
            AstKind::TemplateLiteral(template) => {
                if !is_of_classes(script, node) {
                    file.copy(&template_text(script, template), at);
                }
                for quasi in &template.quasis {
                    file.colours(quasi.value.raw.as_str(), at);
                }
                let words = template.quasis.iter().flat_map(|quasi| quasi.value.raw.as_str().split_whitespace());
                if is_naming(script, node) {
                    file.names(words, at);
                }
            }
            AstKind::BinaryExpression(binary)
                if binary.operator.as_str() == "+" && !is_part_of_sum(script, node) && !is_of_classes(script, node) =>
            {
                file.copy(&sum_text(script, &binary.left, &binary.right), at);
            }
            AstKind::JSXElement(element) => {
                file.names([element_name(&element.opening_element.name)], at);
                if !is_within_jsx(script, node) {
                    jsx(file, script, &element.children, at);
                }
            }
            AstKind::JSXFragment(fragment) if !is_within_jsx(script, node) => {
                jsx(file, script, &fragment.children, at);
            }
            AstKind::JSXAttribute(attribute) => {
                if let JSXAttributeName::Identifier(name) = &attribute.name {
                    file.names([name.name.as_str()], at);
                }
            }
            AstKind::BindingIdentifier(name) => file.names([name.name.as_str()], at),
            AstKind::IdentifierReference(name) => file.names([name.name.as_str()], at),
            AstKind::IdentifierName(name) => file.names([name.name.as_str()], at),
            _ => {}
        }
    }
    if file.wants_structure() {
        file.code(&without_comments(script), script.offset);
    }
}

fn without_comments(script: &Script<'_, '_>) -> String {
    let mut code = String::with_capacity(script.text.len());
    let mut from = 0;
    for comment in script.semantic.comments() {
        code.push_str(script.text.get(from..comment.span.start as usize).unwrap_or_default());
        from = comment.span.end as usize;
    }
    code.push_str(script.text.get(from..).unwrap_or_default());
    code
}

fn is_module_name(script: &Script<'_, '_>, node: NodeId) -> bool {
    matches!(
        script.semantic.nodes().parent_kind(node),
        AstKind::ImportDeclaration(_)
            | AstKind::ExportFromDeclaration(_)
            | AstKind::ExportAllDeclaration(_)
            | AstKind::ImportExpression(_)
            | AstKind::TSLiteralType(_)
            | AstKind::Directive(_)
    )
}

fn is_naming(script: &Script<'_, '_>, node: NodeId) -> bool {
    script.around(node).take(6).any(|kind| match kind {
        AstKind::JSXAttribute(_) => true,
        AstKind::CallExpression(call) => {
            last_name(&call.callee).is_some_and(|name| CLASS_CALLS.contains(&name) || NAMING_CALLS.contains(&name))
        }
        _ => false,
    })
}

/// Whether a text is made of class names or selectors, which no visitor reads.
fn is_of_classes(script: &Script<'_, '_>, node: NodeId) -> bool {
    script.around(node).take(CLASS_LEVELS).any(|kind| match kind {
        AstKind::JSXAttribute(attribute) => {
            matches!(&attribute.name, JSXAttributeName::Identifier(name) if holds_classes(name.name.as_str()))
        }
        AstKind::ObjectProperty(property) => property.key.static_name().is_some_and(|name| is_class_name(&name)),
        AstKind::AssignmentExpression(assignment) => match &assignment.left {
            AssignmentTarget::StaticMemberExpression(member) => is_class_name(member.property.name.as_str()),
            _ => false,
        },
        AstKind::CallExpression(call) => takes_classes(call),
        _ => false,
    })
}

/// `cn(…)`, `document.querySelector(…)`, `element.classList.add(…)`; `list.add(…)` may take anything.
fn takes_classes(call: &CallExpression<'_>) -> bool {
    let of_class_list = |member: &MemberExpression<'_>| last_name(member.object()) == Some("classList");
    last_name(&call.callee).is_some_and(|name| CLASS_CALLS.contains(&name))
        || unwrapped(&call.callee).get_member_expr().is_some_and(of_class_list)
}

fn string_names(file: &mut InFile<'_>, script: &Script<'_, '_>, node: NodeId, value: &str, at: usize) {
    if !file.wants_structure() {
        return;
    }
    if is_naming(script, node) {
        file.names(value.split_whitespace().map(|word| word.trim_start_matches(['.', '#'])), at);
    } else if !value.contains(' ') {
        file.names([value], at);
    }
}

fn is_part_of_sum(script: &Script<'_, '_>, node: NodeId) -> bool {
    matches!(script.parent(node).1, AstKind::BinaryExpression(binary) if binary.operator.as_str() == "+")
}

/// The text of an expression, with `\0` for what is not known.
fn text_of(script: &Script<'_, '_>, expression: &Expression<'_>) -> String {
    Spelling { script, names: NAMES }.of(expression, DEPTH)
}

/// How deep expressions and names are followed.
const DEPTH: usize = 24;
/// Names followed for one text. Ten constants of ten names each would be a text that fits no memory.
const NAMES: usize = 64;
/// Bytes of a constant that is followed.
const LONGEST: u32 = 4096;

struct Spelling<'s, 'p, 'a> {
    script: &'s Script<'p, 'a>,
    /// How many may still be followed.
    names: usize,
}

impl Spelling<'_, '_, '_> {
    fn of(&mut self, expression: &Expression<'_>, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "\0".to_owned() };
        match unwrapped(expression) {
            Expression::StringLiteral(text) => text.value.to_string(),
            Expression::NumericLiteral(number) => number.value.to_string(),
            Expression::TemplateLiteral(template) => self.of_template(template, depth),
            Expression::BinaryExpression(binary) if binary.operator.as_str() == "+" => {
                self.of(&binary.left, depth) + &self.of(&binary.right, depth)
            }
            Expression::Identifier(name) => self.of_name(name, depth),
            _ => "\0".to_owned(),
        }
    }

    fn of_name(&mut self, name: &IdentifierReference<'_>, depth: usize) -> String {
        let value = self.script.constant(name).map(unwrapped).filter(|value| {
            let is_text = matches!(
                value,
                Expression::StringLiteral(_) | Expression::TemplateLiteral(_) | Expression::BinaryExpression(_)
            );
            is_text && value.span().size() <= LONGEST
        });
        match (value, self.names.checked_sub(1)) {
            (Some(value), Some(left)) => {
                self.names = left;
                self.of(value, depth)
            }
            _ => "\0".to_owned(),
        }
    }

    fn of_template(&mut self, template: &TemplateLiteral<'_>, depth: usize) -> String {
        let mut text = String::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            text.push_str(quasi.value.cooked.as_ref().map_or("", |cooked| cooked.as_str()));
            if let Some(expression) = template.expressions.get(index) {
                text.push_str(&self.of(expression, depth));
            }
        }
        text
    }
}

fn sum_text(script: &Script<'_, '_>, left: &Expression<'_>, right: &Expression<'_>) -> String {
    text_of(script, left) + &text_of(script, right)
}

fn template_text(script: &Script<'_, '_>, template: &TemplateLiteral<'_>) -> String {
    Spelling { script, names: NAMES }.of_template(template, DEPTH)
}

fn is_within_jsx(script: &Script<'_, '_>, node: NodeId) -> bool {
    matches!(script.semantic.nodes().parent_kind(node), AstKind::JSXElement(_) | AstKind::JSXFragment(_))
}

fn element_name<'a>(name: &JSXElementName<'a>) -> &'a str {
    match name {
        JSXElementName::Identifier(name) => name.name.as_str(),
        JSXElementName::IdentifierReference(name) => name.name.as_str(),
        JSXElementName::MemberExpression(member) => member.property.name.as_str(),
        _ => "",
    }
}

fn jsx(file: &mut InFile<'_>, script: &Script<'_, '_>, children: &[JSXChild<'_>], at: usize) {
    for joined in [false, true] {
        let mut text = String::new();
        flatten(script, children, joined, &mut text, 200);
        file.copy(&text, at);
    }
}

/// The text of children: cut at every element, or joined across those that do not break a line.
fn flatten(script: &Script<'_, '_>, children: &[JSXChild<'_>], joined: bool, text: &mut String, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for child in children {
        match child {
            JSXChild::Text(words) => {
                let raw = words.raw.as_ref().map_or(words.value.as_str(), |raw| raw.as_str());
                text.push_str(&decode(&jsx_words(raw)));
            }
            JSXChild::ExpressionContainer(container) => {
                let known = container.expression.as_expression().map(|expression| text_of(script, expression));
                text.push_str(&known.unwrap_or_default());
            }
            JSXChild::Element(element) => {
                let name = element_name(&element.opening_element.name);
                let breaks = !joined || is_block(name);
                let edge = if breaks {
                    "\0"
                } else if name == "br" {
                    " "
                } else {
                    ""
                };
                text.push_str(edge);
                flatten(script, &element.children, joined, text, depth);
                text.push_str(edge);
            }
            JSXChild::Fragment(fragment) => flatten(script, &fragment.children, joined, text, depth),
            JSXChild::Spread(_) => text.push('\0'),
        }
    }
}

fn is_block(name: &str) -> bool {
    let blocks = [
        "address",
        "article",
        "aside",
        "blockquote",
        "button",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "input",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "select",
        "table",
        "tbody",
        "td",
        "textarea",
        "th",
        "thead",
        "tr",
        "ul",
        "Button",
    ];
    blocks.contains(&name)
}

/// White space of JSX text: line breaks with what surrounds them vanish at the ends and are one space between words.
fn jsx_words(raw: &str) -> String {
    if !raw.contains('\n') {
        return raw.to_owned();
    }
    let lines: Vec<&str> = raw.split('\n').collect();
    let last = lines.len() - 1;
    let mut words = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let line = if index == 0 {
            line.trim_end()
        } else if index == last {
            line.trim_start()
        } else {
            line.trim()
        };
        if !line.is_empty() {
            words.push(line);
        }
    }
    words.join(" ")
}
