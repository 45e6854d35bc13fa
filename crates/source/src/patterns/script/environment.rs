//! Secrets by the name of their environment variable. What a bundler replaces ends up in the bundle.

use crate::patterns::{Candidate, Scope};
use crate::script::{Script, dotted, last_name, literal};
use oxc::ast::ast::{BindingPattern, ComputedMemberExpression, Expression, StaticMemberExpression, VariableDeclarator};

const PUBLIC_PREFIXES: [&str; 8] =
    ["NEXT_PUBLIC_", "VITE_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "GATSBY_", "PUBLIC_", "VUE_APP_"];

/// Services whose key lets its holder act or spend, so that it belongs on a server.
const SERVER_SERVICES: [&str; 33] = [
    "ANTHROPIC",
    "CLAUDE",
    "GEMINI",
    "GOOGLE_AI",
    "GOOGLE_GENERATIVE",
    "GROQ",
    "MISTRAL",
    "COHERE",
    "HUGGINGFACE",
    "HUGGING_FACE",
    "HF_",
    "REPLICATE",
    "DEEPSEEK",
    "PERPLEXITY",
    "ELEVENLABS",
    "ELEVEN_LABS",
    "OPENROUTER",
    "XAI",
    "TOGETHER",
    "STABILITY",
    "SENDGRID",
    "TWILIO",
    "RESEND",
    "MAILGUN",
    "POSTMARK",
    "SLACK_BOT",
    "GITHUB_TOKEN",
    "GITHUB_PAT",
    "AWS_ACCESS",
    "NOTION",
    "AIRTABLE",
    "LOVABLE",
    "DEEPGRAM",
];

/// `process.env.NAME`, `import.meta.env.NAME`.
pub fn member(script: &Script<'_, '_>, member: &StaticMemberExpression<'_>, seen: &mut Vec<Candidate>) {
    if is_environment(&member.object) {
        named(script.at(member.span), member.property.name.as_str(), seen);
    }
}

/// `process.env['NAME']`.
pub fn computed(script: &Script<'_, '_>, member: &ComputedMemberExpression<'_>, seen: &mut Vec<Candidate>) {
    if is_environment(&member.object)
        && let Some(name) = literal(&member.expression)
    {
        named(script.at(member.span), &name, seen);
    }
}

/// `const { NAME } = import.meta.env`.
pub fn destructured(script: &Script<'_, '_>, declarator: &VariableDeclarator<'_>, seen: &mut Vec<Candidate>) {
    let (BindingPattern::ObjectPattern(pattern), Some(init)) = (&declarator.id, &declarator.init) else { return };
    if !is_environment(init) {
        return;
    }
    for property in &pattern.properties {
        if let Some(name) = property.key.static_name() {
            named(script.at(property.span), &name, seen);
        }
    }
}

fn is_environment(expression: &Expression<'_>) -> bool {
    last_name(expression) == Some("env")
        && matches!(dotted(expression).as_deref(), Some("process.env" | "import.meta.env"))
}

fn named(at: usize, name: &str, seen: &mut Vec<Candidate>) {
    if let Some(rule) = rule_of(name) {
        seen.push(Candidate::new(rule, at, Scope::Client));
    }
}

/// The rule a variable's name falls under when a browser gets it.
pub fn rule_of(name: &str) -> Option<&'static str> {
    let upper = name.to_ascii_uppercase();
    let bare = PUBLIC_PREFIXES.iter().find_map(|prefix| upper.strip_prefix(prefix)).unwrap_or(&upper);
    let has = |word: &str| bare.contains(word);
    let harmless = ["PUBLISHABLE", "ANON", "PUBLIC", "SITE_KEY", "SITEKEY", "CLIENT_ID", "MEASUREMENT"]
        .iter()
        .any(|word| has(word));
    if harmless && !has("SECRET") {
        return None;
    }
    let is_key = has("KEY") || has("TOKEN") || has("SECRET") || bare.ends_with("_SK");
    if has("SERVICE_ROLE") || has("SUPABASE") && (has("SERVICE") || has("SECRET") || has("ADMIN")) {
        return Some("supabase_service_role_client");
    }
    if has("STRIPE") && (has("SECRET") || has("RESTRICTED") || has("PRIVATE") || bare.ends_with("_SK")) {
        return Some("stripe_secret_client");
    }
    if (has("OPENAI") || has("OPEN_AI")) && is_key {
        return Some("openai_key_client");
    }
    if [
        "JWT_SECRET",
        "SESSION_SECRET",
        "AUTH_SECRET",
        "NEXTAUTH_SECRET",
        "COOKIE_SECRET",
        "SIGNING_SECRET",
        "JWT_PRIVATE",
    ]
    .iter()
    .any(|word| has(word))
    {
        return Some("jwt_secret_client");
    }
    let of_server = SERVER_SERVICES.iter().any(|service| bare.starts_with(service)) && is_key;
    let always = has("SECRET")
        || has("PRIVATE_KEY")
        || has("DATABASE_URL")
        || has("DB_PASSWORD")
        || has("SMTP_PASS")
        || bare.ends_with("PASSWORD");
    (of_server || always).then_some("third_party_secret_client")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets_from_public_keys() {
        for (name, rule) in [
            ("VITE_OPENAI_API_KEY", Some("openai_key_client")),
            ("VITE_SUPABASE_SERVICE_ROLE_KEY", Some("supabase_service_role_client")),
            ("NEXT_PUBLIC_STRIPE_SECRET_KEY", Some("stripe_secret_client")),
            ("REACT_APP_GEMINI_API_KEY", Some("third_party_secret_client")),
            ("VITE_SUPABASE_ANON_KEY", None),
            ("NEXT_PUBLIC_STRIPE_PUBLISHABLE_KEY", None),
            ("VITE_FIREBASE_API_KEY", None),
            ("VITE_GOOGLE_MAPS_API_KEY", None),
            ("NODE_ENV", None),
            ("VITE_API_URL", None),
        ] {
            assert_eq!(rule_of(name), rule, "{name}");
        }
    }
}
