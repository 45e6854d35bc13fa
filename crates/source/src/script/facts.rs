//! What a script says about its place in the program: what it imports, and whether a browser or a server starts with it.

use super::{Script, dotted, literal, within};
use oxc::ast::AstKind;
use oxc::ast::ast::{
    CallExpression, Declaration, ExportDefaultDeclarationKind, ImportDeclaration, ImportDeclarationSpecifier,
    MemberExpression,
};
use oxc::semantic::SymbolId;
use oxc::span::Span;

/// Something a script loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// As written.
    pub specifier: String,
    /// Used by nothing but functions that a framework keeps on the server.
    pub only_on_server: bool,
}

/// A script's place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one independent fact")]
pub struct Facts {
    /// What it loads; types are not loaded.
    pub imports: Vec<Import>,
    /// It begins with `'use client'`.
    pub use_client: bool,
    /// It begins with `'use server'`, or loads `server-only`.
    pub use_server: bool,
    /// It puts an app into a page.
    pub starts_client: bool,
    /// It listens, or exports what a platform calls for a request.
    pub starts_server: bool,
    /// Functions that a framework keeps on the server, as bytes of the file.
    pub server_functions: Vec<(usize, usize)>,
}

const CLIENT_STARTERS: [&str; 8] = [
    "react-dom/client",
    "solid-js/web",
    "@angular/platform-browser",
    "@angular/platform-browser-dynamic",
    "expo",
    "expo-router",
    "svelte",
    "preact",
];
const CLIENT_CALLS: [&str; 9] = [
    "createRoot",
    "hydrateRoot",
    "render",
    "mount",
    "hydrate",
    "bootstrapApplication",
    "registerRootComponent",
    "platformBrowserDynamic",
    "registerComponent",
];
const SERVER_MODULES: [&str; 16] = [
    "express",
    "fastify",
    "koa",
    "hono",
    "@hapi/hapi",
    "http",
    "node:http",
    "https",
    "node:https",
    "firebase-functions",
    "@nestjs/core",
    "polka",
    "restify",
    "firebase-functions/v2/https",
    "firebase-functions/v2",
    "react-dom/server",
];
const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// Exports that Next and Remix take out of what they send to browsers.
const SERVER_EXPORTS: [&str; 6] =
    ["getServerSideProps", "getStaticProps", "getStaticPaths", "loader", "action", "generateMetadata"];

impl Facts {
    /// Of a script.
    pub fn of(script: &Script<'_, '_>) -> Self {
        let mut facts = Self::default();
        let mut calls = Vec::new();
        let server_spans = server_exports(script);
        for (_, kind) in script.nodes() {
            match kind {
                AstKind::Program(program) => {
                    let says = |word: &str| program.directives.iter().any(|one| one.directive.as_str() == word);
                    facts.use_client = says("use client");
                    facts.use_server = says("use server");
                }
                AstKind::ImportDeclaration(import) => facts.import(script, import, &server_spans),
                AstKind::ExportFromDeclaration(export) if export.export_kind.is_value() => {
                    facts.load(export.source.value.as_str(), false);
                }
                AstKind::ExportAllDeclaration(export) if export.export_kind.is_value() => {
                    facts.load(export.source.value.as_str(), false);
                }
                AstKind::ImportExpression(import) => {
                    if let Some(specifier) = literal(&import.source) {
                        facts.load(&specifier, false);
                    }
                }
                AstKind::CallExpression(call) => facts.call(call, &mut calls),
                AstKind::ExportDeclaration(export) => facts.exported(&export.declaration),
                AstKind::ExportDefaultDeclaration(export) => facts.exported_default(&export.declaration),
                _ => {}
            }
        }
        facts.conclude(&calls);
        facts.server_functions =
            server_spans.iter().map(|span| (script.at(*span), script.offset + span.end as usize)).collect();
        facts
    }

    fn load(&mut self, specifier: &str, only_on_server: bool) {
        if self.imports.len() < 2000 {
            self.imports.push(Import { specifier: specifier.to_owned(), only_on_server });
        }
    }

    fn import(&mut self, script: &Script<'_, '_>, import: &ImportDeclaration<'_>, server: &[Span]) {
        let specifiers = import.specifiers.as_ref().map_or(&[][..], |specifiers| specifiers.as_slice());
        let only_types = import.import_kind.is_type()
            || !specifiers.is_empty()
                && specifiers.iter().all(
                    |one| matches!(one, ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type()),
                );
        if only_types {
            return;
        }
        let only_on_server = !server.is_empty()
            && !specifiers.is_empty()
            && specifiers
                .iter()
                .filter_map(|one| one.local().symbol_id.get())
                .all(|symbol| is_used_only_within(script, symbol, server));
        self.load(import.source.value.as_str(), only_on_server);
    }

    fn call(&mut self, call: &CallExpression<'_>, calls: &mut Vec<String>) {
        if let Some(required) = call.common_js_require() {
            self.load(required.value.as_str(), false);
        }
        if calls.len() < 5000
            && let Some(name) = dotted(&call.callee).or_else(|| call.callee_name().map(str::to_owned))
        {
            calls.push(name);
        }
        if let Some(method) = call.callee.get_member_expr().and_then(MemberExpression::static_property_name)
            && ["listen", "mount"].contains(&method)
        {
            calls.push(method.to_owned());
        }
    }

    fn exported(&mut self, declaration: &Declaration<'_>) {
        let names: Vec<String> = match declaration {
            Declaration::FunctionDeclaration(function) => function.id.iter().map(|id| id.name.to_string()).collect(),
            Declaration::VariableDeclaration(variables) => variables
                .declarations
                .iter()
                .filter_map(|one| one.id.get_identifier_name())
                .map(|name| name.to_string())
                .collect(),
            _ => Vec::new(),
        };
        self.starts_server |= names.iter().any(|name| VERBS.contains(&name.as_str()) || name == "handler");
    }

    fn exported_default(&mut self, declaration: &ExportDefaultDeclarationKind<'_>) {
        if let ExportDefaultDeclarationKind::FunctionDeclaration(function) = declaration {
            let first = function.params.items.first().and_then(|one| one.pattern.get_identifier_name());
            let takes_request = first.is_some_and(|name| ["req", "request", "_req"].contains(&name.as_str()));
            self.starts_server |= takes_request && function.params.items.len() >= 2;
        }
    }

    fn conclude(&mut self, calls: &[String]) {
        let loads = |modules: &[&str]| self.imports.iter().any(|one| modules.contains(&one.specifier.as_str()));
        let called = |names: &[&str]| calls.iter().any(|call| names.contains(&call.rsplit('.').next().unwrap_or(call)));
        let vue = loads(&["vue"]) && called(&["mount"]);
        let old_react = loads(&["react-dom"]) && called(&["render", "hydrate"]);
        self.starts_client = loads(&CLIENT_STARTERS) && called(&CLIENT_CALLS) || vue || old_react;
        let deno = calls.iter().any(|call| call == "Deno.serve" || call == "Bun.serve");
        let deno_std =
            self.imports.iter().any(|one| one.specifier.contains("deno.land/std") && one.specifier.contains("http"));
        self.starts_server |= deno
            || deno_std
            || loads(&SERVER_MODULES)
                && (called(&["listen", "createServer"])
                    || loads(&["firebase-functions", "firebase-functions/v2/https", "react-dom/server"]));
        self.use_server |= loads(&["server-only"]);
    }
}

/// Spans of exported functions that never reach a browser.
fn server_exports(script: &Script<'_, '_>) -> Vec<Span> {
    let mut spans = Vec::new();
    for (_, kind) in script.nodes() {
        let AstKind::ExportDeclaration(export) = kind else { continue };
        match &export.declaration {
            Declaration::FunctionDeclaration(function)
                if function.id.as_ref().is_some_and(|id| SERVER_EXPORTS.contains(&id.name.as_str())) =>
            {
                spans.push(function.span);
            }
            Declaration::VariableDeclaration(variables) => spans.extend(
                variables
                    .declarations
                    .iter()
                    .filter(|one| {
                        one.id.get_identifier_name().is_some_and(|name| SERVER_EXPORTS.contains(&name.as_str()))
                    })
                    .map(|one| one.span),
            ),
            _ => {}
        }
    }
    spans
}

fn is_used_only_within(script: &Script<'_, '_>, symbol: SymbolId, spans: &[Span]) -> bool {
    let mut references = script.semantic.symbol_references(symbol).peekable();
    references.peek().is_some()
        && references.all(|reference| {
            let used = script.semantic.reference_span(reference);
            spans.iter().any(|span| within(used, *span))
        })
}
