//! Whether an expression can carry foreign markup: constants cannot, and what went through a sanitiser cannot.

use super::{Script, dotted, last_name, unwrapped};
use oxc::ast::AstKind;
use oxc::ast::ast::{
    Argument, ArrayExpressionElement, ArrowFunctionExpression, BindingPattern, CallExpression, Expression,
    ForStatementLeft, Function, FunctionBody, ObjectPropertyKind, Statement, VariableDeclarator,
};
use oxc::semantic::NodeId;
use oxc::syntax::operator::{BinaryOperator, UnaryOperator};

/// How deep names and calls are followed.
const DEPTH: usize = 12;

/// Whether the markup is constant or sanitised, as far as this file tells.
pub fn is_safe_html<'a>(script: &Script<'_, 'a>, expression: &'a Expression<'a>) -> bool {
    safe(script, expression, DEPTH)
}

fn safe<'a>(script: &Script<'_, 'a>, expression: &'a Expression<'a>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1).filter(|_| script.step().is_some()) else { return false };
    match unwrapped(expression) {
        Expression::StringLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::BigIntLiteral(_)
        | Expression::UpdateExpression(_) => true,
        Expression::TemplateLiteral(template) => template.expressions.iter().all(|one| safe(script, one, depth)),
        Expression::TaggedTemplateExpression(tagged) => {
            tagged.quasi.expressions.iter().all(|one| safe(script, one, depth))
        }
        Expression::BinaryExpression(binary) => {
            binary.operator != BinaryOperator::Addition
                || safe(script, &binary.left, depth) && safe(script, &binary.right, depth)
        }
        Expression::UnaryExpression(unary) => unary.operator != UnaryOperator::Void,
        Expression::ConditionalExpression(choice) => {
            safe(script, &choice.consequent, depth) && safe(script, &choice.alternate, depth)
        }
        Expression::LogicalExpression(logical) => {
            let right = safe(script, &logical.right, depth);
            right && (logical.operator.is_and() || safe(script, &logical.left, depth))
        }
        Expression::ObjectExpression(object) => object.properties.iter().all(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => safe(script, &property.value, depth),
            ObjectPropertyKind::SpreadProperty(spread) => safe(script, &spread.argument, depth),
        }),
        Expression::ArrayExpression(array) => array.elements.iter().all(|element| match element {
            ArrayExpressionElement::SpreadElement(spread) => safe(script, &spread.argument, depth),
            other => other.as_expression().is_none_or(|one| safe(script, one, depth)),
        }),
        Expression::ArrowFunctionExpression(arrow) => arrow_is_safe(script, arrow, depth),
        Expression::FunctionExpression(function) => function_is_safe(script, function, depth),
        Expression::Identifier(name) => name_is_safe(script, name, depth),
        Expression::CallExpression(call) => call_is_safe(script, call, depth),
        Expression::ChainExpression(chain) => chain
            .expression
            .member_expression()
            .is_some_and(|member| is_number(member.static_property_name()) || safe(script, member.object(), depth)),
        other => other
            .get_member_expr()
            .is_some_and(|member| is_number(member.static_property_name()) || safe(script, member.object(), depth)),
    }
}

fn is_number(property: Option<&str>) -> bool {
    matches!(property, Some("length" | "size" | "offsetHeight" | "offsetWidth" | "clientHeight" | "clientWidth"))
}

fn arrow_is_safe<'a>(script: &Script<'_, 'a>, arrow: &'a ArrowFunctionExpression<'a>, depth: usize) -> bool {
    match arrow.body.as_expression() {
        Some(expression) => safe(script, expression, depth),
        None => arrow.body.as_function_body().is_some_and(|body| body_is_safe(script, body, depth)),
    }
}

fn function_is_safe<'a>(script: &Script<'_, 'a>, function: &'a Function<'a>, depth: usize) -> bool {
    function.body.as_ref().is_some_and(|body| body_is_safe(script, body, depth))
}

fn body_is_safe<'a>(script: &Script<'_, 'a>, body: &'a FunctionBody<'a>, depth: usize) -> bool {
    let mut returned = Vec::new();
    body.statements.iter().for_each(|statement| returns(statement, &mut returned));
    !returned.is_empty() && returned.into_iter().all(|one| safe(script, one, depth))
}

/// What a statement returns, without functions within it.
fn returns<'a>(statement: &'a Statement<'a>, found: &mut Vec<&'a Expression<'a>>) {
    match statement {
        Statement::ReturnStatement(one) => found.extend(one.argument.as_ref()),
        Statement::BlockStatement(block) => block.body.iter().for_each(|one| returns(one, found)),
        Statement::IfStatement(choice) => {
            returns(&choice.consequent, found);
            choice.alternate.iter().for_each(|one| returns(one, found));
        }
        Statement::TryStatement(attempt) => {
            attempt.block.body.iter().for_each(|one| returns(one, found));
            attempt.handler.iter().flat_map(|handler| &handler.body.body).for_each(|one| returns(one, found));
        }
        Statement::SwitchStatement(switch) => {
            switch.cases.iter().flat_map(|case| &case.consequent).for_each(|one| returns(one, found));
        }
        _ => {}
    }
}

fn name_is_safe<'a>(script: &Script<'_, 'a>, name: &oxc::ast::ast::IdentifierReference<'a>, depth: usize) -> bool {
    let Some(symbol) = script.symbol(name) else { return name.name == "undefined" };
    let (node, declared) = script.declaration(symbol);
    match declared {
        AstKind::VariableDeclarator(declarator) => {
            let changed_safely = writes_are_safe(script, symbol, depth);
            changed_safely && declared_safely(script, node, declarator, depth)
        }
        AstKind::Function(function) => function_is_safe(script, function, depth),
        AstKind::FormalParameter(_) => is_index(&name.name) || item_of_constant(script, node, depth),
        AstKind::ImportDefaultSpecifier(_) | AstKind::ImportSpecifier(_) | AstKind::ImportNamespaceSpecifier(_) => {
            import_is_constant(script, node, &name.name)
        }
        _ => false,
    }
}

fn is_index(name: &str) -> bool {
    ["i", "j", "index", "idx", "count"].contains(&name)
}

/// Everything that is assigned to a variable later must be safe too.
fn writes_are_safe(script: &Script<'_, '_>, symbol: oxc::semantic::SymbolId, depth: usize) -> bool {
    let scoping = script.semantic.scoping();
    scoping.get_resolved_references(symbol).filter(|reference| reference.is_write()).all(|reference| {
        let parent = script.semantic.nodes().parent_kind(reference.node_id());
        match parent {
            AstKind::AssignmentExpression(assignment) => safe(script, &assignment.right, depth),
            AstKind::UpdateExpression(_) => true,
            _ => false,
        }
    })
}

fn declared_safely<'a>(
    script: &Script<'_, 'a>,
    node: NodeId,
    declarator: &'a VariableDeclarator<'a>,
    depth: usize,
) -> bool {
    match (&declarator.id, &declarator.init) {
        (_, Some(init)) => safe(script, init, depth),
        (BindingPattern::BindingIdentifier(_) | BindingPattern::ObjectPattern(_), None) => {
            loop_over_constant(script, node, depth)
        }
        _ => false,
    }
}

/// `for (const item of CONSTANTS)`.
fn loop_over_constant(script: &Script<'_, '_>, node: NodeId, depth: usize) -> bool {
    let mut around = script.around(node);
    let declaration = around.next();
    match around.next() {
        Some(AstKind::ForOfStatement(each)) => {
            matches!(&each.left, ForStatementLeft::VariableDeclaration(_)) && safe(script, &each.right, depth)
        }
        // `let html;` with everything assigned later.
        _ => matches!(declaration, Some(AstKind::VariableDeclaration(variables)) if variables.kind.is_lexical()),
    }
}

/// A parameter of a callback that runs over a constant list.
fn item_of_constant(script: &Script<'_, '_>, node: NodeId, depth: usize) -> bool {
    let nodes = script.semantic.nodes();
    let mut around = nodes.ancestor_ids(node);
    let function =
        around.find(|id| matches!(nodes.kind(*id), AstKind::ArrowFunctionExpression(_) | AstKind::Function(_)));
    let Some(function) = function else { return false };
    let AstKind::CallExpression(call) = nodes.parent_kind(function) else { return false };
    let Some(member) = call.callee.get_member_expr() else { return false };
    let iterates =
        ["map", "forEach", "filter", "flatMap", "reduce"].contains(&member.static_property_name().unwrap_or_default());
    iterates && safe(script, member.object(), depth)
}

/// Files that a bundler inlines, and names that are written like constants.
fn import_is_constant(script: &Script<'_, '_>, node: NodeId, name: &str) -> bool {
    let AstKind::ImportDeclaration(import) = script.parent(node).1 else { return false };
    let source = import.source.value.as_str();
    let inlined = ["?raw", "?inline", ".svg", ".css"].iter().any(|end| source.ends_with(end));
    let like_constant = source.starts_with('.')
        && name.len() > 2
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit());
    inlined || like_constant
}

fn call_is_safe<'a>(script: &Script<'_, 'a>, call: &'a CallExpression<'a>, depth: usize) -> bool {
    let name = last_name(&call.callee).unwrap_or_default();
    let path = dotted(&call.callee).unwrap_or_default();
    if is_sanitiser(name, &path) || gives_number(name, &path) {
        return true;
    }
    let arguments_are_safe = || call.arguments.iter().all(|one| argument_is_safe(script, one, depth));
    let first_is_safe = || call.arguments.first().is_some_and(|one| argument_is_safe(script, one, depth));
    if let Some(member) = call.callee.get_member_expr() {
        return match name {
            "join" | "trim" | "slice" | "toLowerCase" | "toUpperCase" | "repeat" | "toString" | "filter" | "sort"
            | "reverse" | "entries" | "values" | "keys" | "flat" | "at" | "get" | "substring" | "find" => {
                safe(script, member.object(), depth)
                    || ["Object"].contains(&path.split('.').next().unwrap_or_default()) && first_is_safe()
            }
            "replace" | "replaceAll" => {
                safe(script, member.object(), depth)
                    && call.arguments.iter().skip(1).all(|one| argument_is_safe(script, one, depth))
                    || escapes_by_hand(script, call)
            }
            "map" | "flatMap" => first_is_safe(),
            "concat" => safe(script, member.object(), depth) && arguments_are_safe(),
            _ => false,
        };
    }
    match name {
        "useMemo" | "useCallback" | "useRef" | "useState" | "computed" | "memo" => first_is_safe(),
        "String" => arguments_are_safe(),
        _ => match &call.callee {
            Expression::Identifier(callee) => local_function_is_safe(script, callee, depth),
            Expression::ArrowFunctionExpression(arrow) => arrow_is_safe(script, arrow, depth),
            _ => false,
        },
    }
}

fn local_function_is_safe(
    script: &Script<'_, '_>,
    callee: &oxc::ast::ast::IdentifierReference<'_>,
    depth: usize,
) -> bool {
    let Some(symbol) = script.symbol(callee) else { return false };
    match script.declaration(symbol).1 {
        AstKind::Function(function) => function_is_safe(script, function, depth),
        AstKind::VariableDeclarator(VariableDeclarator { init: Some(init), .. }) => match unwrapped(init) {
            Expression::ArrowFunctionExpression(arrow) => arrow_is_safe(script, arrow, depth),
            Expression::FunctionExpression(function) => function_is_safe(script, function, depth),
            Expression::CallExpression(call) => call_is_safe(script, call, depth),
            _ => false,
        },
        _ => false,
    }
}

fn argument_is_safe<'a>(script: &Script<'_, 'a>, argument: &'a Argument<'a>, depth: usize) -> bool {
    argument.as_expression().is_some_and(|one| safe(script, one, depth))
}

fn is_sanitiser(name: &str, path: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("sanitiz")
        || lower.contains("sanitis")
        || lower.contains("purify")
        || lower.starts_with("escape")
        || lower == "encode" && path.starts_with("he.")
        || [
            "encodeURIComponent",
            "encodeURI",
            "stripHtml",
            "stripTags",
            "filterXSS",
            "xss",
            "renderToString",
            "codeToHtml",
            "highlight",
            "highlightAuto",
            "renderToStaticMarkup",
            "generateHTML",
        ]
        .contains(&name)
        || path == "CSS.escape"
}

fn gives_number(name: &str, path: &str) -> bool {
    path.starts_with("Math.")
        || [
            "Number",
            "parseInt",
            "parseFloat",
            "toFixed",
            "toISOString",
            "toLocaleDateString",
            "toLocaleTimeString",
            "getFullYear",
            "now",
            "indexOf",
            "getTime",
        ]
        .contains(&name)
}

/// `text.replace(/</g, '&lt;')`: an escape written by hand.
fn escapes_by_hand(script: &Script<'_, '_>, call: &CallExpression<'_>) -> bool {
    let text = script.slice(call.span);
    text.contains("&lt;")
}
