//! Rules over parsed scripts. Each file of this folder is one family.

mod credentials;
mod environment;
mod logging;
mod reset;
mod sinks;
mod tokens;
mod transport;

use super::{Candidate, Scope};
use crate::script::Script;
use crate::secrets::{Found, Shape, shape_of};
use oxc::ast::AstKind;

/// Candidates kept of one script.
const PER_FILE: usize = 200;

/// Everything the rules see in a script. `secrets` are those found in the whole file.
pub fn candidates(script: &Script<'_, '_>, secrets: &[Found]) -> Vec<Candidate> {
    let mut seen = keys_in_code(script, secrets);
    for (node, kind) in script.nodes() {
        if seen.len() >= PER_FILE {
            break;
        }
        match kind {
            AstKind::CallExpression(call) => {
                logging::call(script, node, call, &mut seen);
                tokens::call(script, node, call, &mut seen);
                sinks::call(script, call, &mut seen);
                transport::call(script, call, &mut seen);
                reset::route(script, call, &mut seen);
            }
            AstKind::NewExpression(made) => transport::made(script, made, &mut seen),
            AstKind::AssignmentExpression(assignment) => {
                sinks::assignment(script, assignment, &mut seen);
                transport::assignment(script, assignment, &mut seen);
            }
            AstKind::JSXAttribute(attribute) => sinks::attribute(script, node, attribute, &mut seen),
            AstKind::ObjectProperty(property) => transport::property(script, property, &mut seen),
            AstKind::ObjectExpression(object) => credentials::object(script, object, &mut seen),
            AstKind::VariableDeclarator(declarator) => {
                environment::destructured(script, declarator, &mut seen);
                transport::declarator(script, declarator, &mut seen);
                credentials::declarator(script, declarator, &mut seen);
                reset::declarator(script, declarator, &mut seen);
            }
            AstKind::Function(function) => reset::function(script, function, &mut seen),
            AstKind::BinaryExpression(binary) => credentials::comparison(script, node, binary, &mut seen),
            AstKind::StaticMemberExpression(member) => environment::member(script, member, &mut seen),
            AstKind::ComputedMemberExpression(member) => environment::computed(script, member, &mut seen),
            _ => {}
        }
    }
    seen
}

/// Keys that stand in the code itself. A comment does not reach the bundle.
fn keys_in_code(script: &Script<'_, '_>, secrets: &[Found]) -> Vec<Candidate> {
    let inside = |found: &&Found| {
        found.value.start >= script.offset
            && found.value.end <= script.offset + script.text.len()
            && !script.is_comment(found.value.start)
    };
    secrets
        .iter()
        .filter(inside)
        .filter_map(|found| {
            let rule = match shape_of(found.rule) {
                Some(Shape::SupabaseSecret) => "supabase_service_role_client",
                Some(Shape::Stripe) => "stripe_secret_client",
                Some(Shape::OpenAi) => "openai_key_client",
                Some(Shape::Other) => "third_party_secret_client",
                None if found.rule == "jwt_signing_secret" => "jwt_secret_client",
                None => return None,
            };
            Some(Candidate::new(rule, found.value.start, Scope::Client).hiding(found.value.clone()))
        })
        .collect()
}
