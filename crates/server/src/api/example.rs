//! An example of what a schema describes: every field it names, with values that a reader recognises by the names of their fields.

use serde_json::{Map, Value, json};

/// What texts hold, by the name of their field.
const TEXTS: [(&str, &str); 25] = [
    ("run", "20261116T101500Z-3f9a"),
    ("id", "c3"),
    ("tool", "kiln"),
    ("tool_version", "2026-W46"),
    ("prompt", "harbor-coffee-landing"),
    ("url", "https://app.example/"),
    ("final_url", "https://app.example/"),
    ("address", "/runs/20261116T101500Z-3f9a"),
    ("title", "Harbor coffee"),
    ("headline", "81.3 of 100, over 95 % of the weight"),
    ("started_at", "2026-11-16T10:15:00Z"),
    ("at", "2026-11-16T10:15:00Z"),
    ("date", "2026-11-16"),
    ("benchwright", "0.1.0"),
    ("version", "1.0.0"),
    ("methodology", "1.0"),
    ("class", "5feceb66ffc86f38"),
    ("scanners", "gitleaks"),
    ("reason", "looked at it, all is well"),
    ("by", "ada"),
    ("model", "smollm2-135m-instruct-q4_1"),
    ("evaluator", "replay · rules 2"),
    ("next", "2026-11-16T10:15:00Z~20261116T101500Z-3f9a"),
    ("set", "own-12"),
    ("place", "2026-11-16T10:15:00Z~20261116T101500Z-3f9a~7"),
];
const OTHER_TEXT: &str = "some text";
/// A type that holds itself ends here.
const DEEPEST: usize = 24;

/// An example of a schema whose references lead into `definitions`.
pub fn of(schema: &Value, definitions: &Map<String, Value>) -> Value {
    Examples { definitions }.value(schema, "", 0)
}

struct Examples<'a> {
    definitions: &'a Map<String, Value>,
}

impl Examples<'_> {
    fn value(&self, schema: &Value, name: &str, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Null;
        }
        let fixed = schema.get("const").or_else(|| schema["enum"].as_array()?.iter().find(|value| !value.is_null()));
        if let Some(fixed) = fixed {
            return fixed.clone();
        }
        let whole = self.by_type(schema, name, depth);
        match (whole, self.part(schema, name, depth)) {
            // What every kind has, and what the first kind has besides.
            (Value::Object(mut all), Some(Value::Object(of_kind))) => {
                all.extend(of_kind);
                Value::Object(all)
            }
            (Value::Null, Some(part)) => part,
            (whole, _) => whole,
        }
    }

    /// What is referred to, or the first of several kinds that says something.
    fn part(&self, schema: &Value, name: &str, depth: usize) -> Option<Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            let definition = self.definitions.get(reference.rsplit('/').next()?)?;
            return Some(self.value(definition, name, depth + 1));
        }
        let kinds = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema[key].as_array())?;
        kinds.iter().map(|kind| self.value(kind, name, depth + 1)).find(|value| !value.is_null())
    }

    fn by_type(&self, schema: &Value, name: &str, depth: usize) -> Value {
        let kinds = schema["type"].as_array().map_or_else(|| vec![&schema["type"]], |kinds| kinds.iter().collect());
        let kind = kinds.into_iter().filter_map(Value::as_str).find(|kind| *kind != "null");
        match kind {
            Some("object") => self.object(schema, depth),
            Some("array") => json!([self.value(&schema["items"], name, depth + 1)]),
            Some("string") => {
                json!(TEXTS.iter().find(|(known, _)| *known == name).map_or(OTHER_TEXT, |(_, text)| *text))
            }
            Some("integer") => json!(1),
            Some("number") => json!(0.5),
            Some("boolean") => json!(true),
            _ => Value::Null,
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let mut object: Map<String, Value> =
            fields.map(|(name, field)| (name.clone(), self.value(field, name, depth + 1))).collect();
        if object.is_empty() && schema["additionalProperties"].is_object() {
            object.insert("c3".to_owned(), self.value(&schema["additionalProperties"], "", depth + 1));
        }
        Value::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_kinds_lists_and_maps_are_filled_in_and_a_type_that_holds_itself_ends() {
        let definitions = json!({
            "Kind": { "oneOf": [{ "const": "good" }, { "const": "bad" }] },
            "Node": { "type": "object", "properties": { "next": { "anyOf": [{ "type": "null" }, { "$ref": "#/x/Node" }] } } },
            "Place": {
                "type": "object",
                "properties": { "run": { "type": "string" } },
                "oneOf": [{ "type": "object", "properties": { "line": { "type": ["integer", "null"] } } }],
            },
        });
        let definitions = definitions.as_object().unwrap();
        let schema = json!({
            "type": "object",
            "properties": {
                "kind": { "$ref": "#/components/schemas/Kind" },
                "places": { "type": "array", "items": { "$ref": "#/components/schemas/Place" } },
                "shares": { "type": "object", "additionalProperties": { "type": "number" } },
            },
        });
        let wanted = json!({
            "kind": "good",
            "places": [{ "run": "20261116T101500Z-3f9a", "line": 1 }],
            "shares": { "c3": 0.5 },
        });
        assert_eq!(of(&schema, definitions), wanted);
        assert!(of(&definitions["Node"], definitions)["next"]["next"].is_object());
    }
}
