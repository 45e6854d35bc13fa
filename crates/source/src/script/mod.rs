//! Scripts, read with a real parser. Everything that knows the parser's types lives below this module and in `patterns/script`.

mod facts;
mod safety;

pub use facts::Facts;
pub use safety::is_safe_html;

use crate::room::Room;
use oxc::allocator::Allocator;
use oxc::ast::AstKind;
use oxc::ast::ast::{BindingPattern, Expression, IdentifierReference, MemberExpression, VariableDeclarator};
use oxc::parser::Parser;
use oxc::semantic::{NodeId, Semantic, SemanticBuilder, SymbolId};
use oxc::span::{GetSpan, SourceType, Span};
use std::borrow::Cow;
use std::cell::Cell;

/// A parsed script and where it stands in its file.
pub struct Script<'s, 'a> {
    /// The parsed program with its names resolved.
    pub semantic: &'s Semantic<'a>,
    /// The script's own text.
    pub text: &'a str,
    /// Where it begins in the file; 0 unless it stands within markup.
    pub offset: usize,
    /// Expressions that may still be followed to tell what a value is. Constants made of constants would take for ever.
    patience: Cell<usize>,
}

/// Expressions that are followed in one script.
const PATIENCE: usize = 100_000;

/// Parses a script and hands it over, unless it is too large for the thread. A text the parser gives up on is handed over as far as it was
/// understood, or not at all. Nothing else may call the parser.
pub fn with_script<T>(
    room: &Room,
    text: &str,
    kind: SourceType,
    offset: usize,
    work: impl FnOnce(&Script<'_, '_>) -> T,
) -> Option<T> {
    if !room.fits(text) {
        return None;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, kind).parse();
    if parsed.panicked {
        return None;
    }
    // Without nodes nothing would be found, and nothing would complain.
    let built = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program);
    Some(work(&Script { semantic: &built.semantic, text, offset, patience: Cell::new(PATIENCE) }))
}

/// How the parser is to read a file. Types and JSX are allowed wherever the extension does not forbid them.
pub fn source_type(name: &str) -> SourceType {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    match extension.as_str() {
        "ts" | "mts" | "cts" => SourceType::ts(),
        "cjs" => SourceType::cjs().with_jsx(true),
        "js" | "jsx" | "mjs" => SourceType::unambiguous().with_jsx(true),
        _ => SourceType::tsx(),
    }
}

impl<'a> Script<'_, 'a> {
    /// Takes one step of following an expression, unless the script has used up all it gets.
    fn step(&self) -> Option<()> {
        self.patience.set(self.patience.get().checked_sub(1)?);
        Some(())
    }

    /// All nodes, in source order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, AstKind<'a>)> + '_ {
        self.semantic.nodes().iter().map(|node| (node.id(), node.kind()))
    }

    /// The nodes around one, inside out.
    pub fn around(&self, node: NodeId) -> impl Iterator<Item = AstKind<'a>> + '_ {
        self.semantic.nodes().ancestor_kinds(node)
    }

    /// The node right around one, without brackets, type assertions and `await`.
    pub fn parent(&self, node: NodeId) -> (NodeId, AstKind<'a>) {
        let nodes = self.semantic.nodes();
        let mut at = nodes.parent_id(node);
        while is_wrapper(nodes.kind(at)) {
            at = nodes.parent_id(at);
        }
        (at, nodes.kind(at))
    }

    /// The kind of a node.
    pub fn kind(&self, node: NodeId) -> AstKind<'a> {
        self.semantic.nodes().kind(node)
    }

    /// Where a span begins in the file.
    pub fn at(&self, span: Span) -> usize {
        self.offset + span.start as usize
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The symbol a name refers to, if the file declares it.
    pub fn symbol(&self, name: &IdentifierReference<'_>) -> Option<SymbolId> {
        let reference = name.reference_id.get()?;
        self.semantic.scoping().get_reference(reference).symbol_id()
    }

    /// Where a symbol is declared.
    pub fn declaration(&self, symbol: SymbolId) -> (NodeId, AstKind<'a>) {
        let node = self.semantic.scoping().symbol_declaration(symbol);
        (node, self.kind(node))
    }

    /// The value of a name that is declared once and never changed.
    pub fn constant(&self, name: &IdentifierReference<'_>) -> Option<&'a Expression<'a>> {
        let symbol = self.symbol(name)?;
        if self.semantic.scoping().symbol_is_mutated(symbol) {
            return None;
        }
        match self.declaration(symbol).1 {
            AstKind::VariableDeclarator(VariableDeclarator {
                id: BindingPattern::BindingIdentifier(_),
                init: Some(init),
                ..
            }) => Some(init),
            _ => None,
        }
    }

    /// Whether a byte of the file is in a comment of this script.
    pub fn is_comment(&self, at: usize) -> bool {
        at.checked_sub(self.offset).is_some_and(|at| self.semantic.is_inside_comment(at as u32))
    }

    /// The fixed text an expression amounts to: a literal, a template without expressions, or a name of one.
    pub fn fixed_text(&self, expression: &Expression<'a>) -> Option<Cow<'a, str>> {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => literal(self.constant(name)?),
            other => literal(other),
        }
    }
}

fn is_wrapper(kind: AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::ParenthesizedExpression(_)
            | AstKind::TSAsExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::TSSatisfiesExpression(_)
            | AstKind::TSTypeAssertion(_)
            | AstKind::AwaitExpression(_)
            | AstKind::ChainExpression(_)
    )
}

/// The text of a string, or of a template without expressions.
pub fn literal<'a>(expression: &Expression<'a>) -> Option<Cow<'a, str>> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(text) => Some(Cow::Borrowed(text.value.as_str())),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            template.single_quasi().map(|text| Cow::Borrowed(text.as_str()))
        }
        _ => None,
    }
}

/// The last name of an expression: `b` of `a.b`, of `b`, of `a?.b`, of `a['b']`.
pub fn last_name<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    match unwrapped(expression) {
        Expression::Identifier(name) => Some(name.name.as_str()),
        other => other.get_member_expr().and_then(MemberExpression::static_property_name),
    }
}

/// The expression without brackets, type assertions and `await`.
pub fn unwrapped<'e, 'a>(expression: &'e Expression<'a>) -> &'e Expression<'a> {
    match expression.get_inner_expression() {
        Expression::AwaitExpression(awaited) => unwrapped(&awaited.argument),
        other => other,
    }
}

/// Names separated by dots, as far as the expression consists of them: `console.log`, `req.body`, `import.meta.env`.
/// A longer chain has no path: it is no name anybody looks for, and asking for that of each of its links would take for ever.
pub fn dotted(expression: &Expression<'_>) -> Option<String> {
    let mut path = String::new();
    add_dotted(expression, &mut path, 12)?;
    Some(path)
}

fn add_dotted(expression: &Expression<'_>, path: &mut String, most: usize) -> Option<()> {
    let most = most.checked_sub(1)?;
    match unwrapped(expression) {
        Expression::Identifier(name) => path.push_str(&name.name),
        Expression::ThisExpression(_) => path.push_str("this"),
        Expression::ImportMeta(_) => path.push_str("import.meta"),
        other => {
            let member = other.get_member_expr()?;
            let name = member.static_property_name()?;
            add_dotted(member.object(), path, most)?;
            path.push('.');
            path.push_str(name);
        }
    }
    Some(())
}

/// Whether one span lies within another.
pub fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Where an expression is.
pub fn span_of(expression: &Expression<'_>) -> Span {
    expression.span()
}
