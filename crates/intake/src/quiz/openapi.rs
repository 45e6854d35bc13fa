//! What OpenAPI says of the addresses of the quiz that change something. Tests hold answers against it.

use benchwright_quiz::Submission;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The paths, for the site's document.
pub fn paths() -> Map<String, Value> {
    Map::from_iter([
        ("/api/v1/quiz/tickets".to_owned(), json!({ "post": issue() })),
        ("/api/v1/quiz/runs".to_owned(), json!({ "post": share() })),
        ("/api/v1/quiz/runs/{id}".to_owned(), json!({ "delete": remove() })),
    ])
}

fn issue() -> Value {
    let draw = json!({
        "type": "object",
        "properties": {
            "source": { "enum": ["own", "mmlu"] },
            "count": { "enum": benchwright_quiz::QUICK_COUNTS },
            "seed": { "type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX,
                "description": "Left out, the site draws one. A run with a seed of one's own is shown and not ranked." },
        },
        "required": ["source", "count"],
        "additionalProperties": false,
    });
    let asked = json!({
        "type": "object",
        "properties": {
            "set": { "type": ["string", "null"], "description": "Id of a frozen set." },
            "quick": { "anyOf": [draw, { "type": "null" }], "description": "A quick run instead of a set." },
            "model": { "type": "string", "minLength": 1, "maxLength": 100,
                "description": "Id of a model in the catalogue, or the name of one's own." },
            "protocol": { "enum": benchwright_quiz::Protocol::ALL },
        },
        "required": ["model", "protocol"],
        "additionalProperties": false,
    });
    let ticket = json!({
        "type": "object",
        "properties": {
            "format": { "type": "integer" },
            "ticket": { "type": "string" },
            "expires_in_seconds": { "type": "integer" },
            "set": { "type": ["string", "null"] },
            "quick": { "type": ["object", "null"] },
            "order": { "type": "array", "items": { "type": "string" } },
            "questions": { "type": "array", "items": { "type": "object" } },
            "examples": { "type": "object" },
        },
        "required": ["format", "ticket", "expires_in_seconds", "order", "questions", "examples"],
    });
    let issued = json!({
        "format": 1, "ticket": "eyJzZXQiOiJvd24tMTIifQ.5feceb66ffc86f38", "expires_in_seconds": 86400, "set": "own-12",
        "quick": null, "order": ["own-0001"], "questions": [{ "id": "own-0001", "question": "…" }], "examples": {},
    });
    let example = json!({ "set": "own-12", "model": "smollm2-135m-instruct-q4_1", "protocol": "one-message-1" });
    json!({
        "operationId": "issueQuizTicket",
        "summary": "Begins a run of the quiz: a signed ticket and the questions that go with it. Needs no token.",
        "requestBody": { "required": true, "content": { "application/json": { "schema": asked, "example": example } } },
        "responses": with_refusals(json!({ "201": answered("The ticket.", &ticket, &issued) }), &[400, 403, 408, 413, 422, 429, 503]),
    })
}

fn share() -> Value {
    let shared = json!({
        "type": "object",
        "properties": {
            "format": { "type": "integer" },
            "id": { "type": "string" },
            "address": { "type": "string" },
            "state": { "enum": ["confirmed", "unconfirmed", "flagged"] },
            "reasons": { "type": "array", "items": reason() },
            "merged_into": { "type": ["string", "null"], "description": "The run with the same outputs that counts." },
            "delete_token": { "type": "string", "description": "Removes the run; it is shown this once." },
        },
        "required": ["format", "id", "address", "state", "reasons", "delete_token"],
    });
    let example = json!({
        "format": 1, "id": "20261116-0123456789abcdef", "address": "/quiz/runs/20261116-0123456789abcdef",
        "state": "confirmed", "reasons": [], "merged_into": null, "delete_token": "9f86d081884c7d65",
    });
    let responses = json!({
        "201": answered("It is kept.", &shared, &example),
        "200": answered("It was kept before; the same was sent again.", &shared, &example),
    });
    json!({
        "operationId": "shareQuizRun",
        "summary": "Shares a run of the quiz. Everything is derived again from its raw outputs.",
        "requestBody": { "required": true, "content": { "application/json": { "schema": submission() } } },
        "responses": with_refusals(responses, &[400, 403, 408, 409, 413, 422, 429, 503]),
    })
}

fn remove() -> Value {
    let removed = json!({
        "type": "object",
        "properties": { "id": { "type": "string" }, "state": { "const": "removed" } },
        "required": ["id", "state"],
    });
    let example = json!({ "id": "20261116-0123456789abcdef", "state": "removed" });
    json!({
        "operationId": "removeQuizRun",
        "summary": "Removes a shared run, with the text that was shown when it was shared.",
        "security": [{ "token": [] }],
        "parameters": [{
            "name": "id", "in": "path", "required": true, "example": "20261116-0123456789abcdef",
            "description": "Id of a shared run.", "schema": { "type": "string" },
        }],
        "responses": with_refusals(json!({ "200": answered("It is removed.", &removed, &example) }), &[400, 401, 403, 404, 410, 429, 503]),
    })
}

/// A shared run, with everything it is made of in one place.
fn submission() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<Submission>().to_value()
}

fn reason() -> Value {
    json!({
        "type": "object",
        "properties": { "code": { "type": "string" }, "text": { "type": "string" } },
        "required": ["code", "text"],
    })
}

fn answered(description: &str, schema: &Value, example: &Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema, "example": example } } })
}

const REFUSALS: [(u16, &str); 11] = [
    (400, "It cannot be read."),
    (401, "The text is not the one that removes this run."),
    (403, "It came from another site's page."),
    (404, "There is no such run."),
    (408, "It took too long to arrive."),
    (409, "Another run was shared with this ticket."),
    (410, "It was removed."),
    (413, "It is too large."),
    (422, "It was looked at and refused; `code` and `reasons` say why."),
    (429, "Too much came from this address."),
    (503, "There is too much to do just now."),
];

fn with_refusals(mut responses: Value, statuses: &[u16]) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "error": { "type": "string" },
            "code": { "type": "string" },
            "reasons": { "type": "array", "items": reason() },
        },
        "required": ["error"],
    });
    for (status, description) in REFUSALS.iter().filter(|(status, _)| statuses.contains(status)) {
        responses[status.to_string()] = answered(description, &schema, &json!({ "error": description }));
    }
    responses
}
