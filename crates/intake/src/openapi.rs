//! What OpenAPI says of the addresses under `/api/v1/` that this part adds. Tests hold answers against it.

use serde_json::{Map, Value, json};

/// The paths, for the site's document. It names the security scheme `token`.
pub fn paths() -> Map<String, Value> {
    let of = |path: &str, value: Value| (path.to_owned(), value);
    Map::from_iter([
        of("/api/v1/jobs", json!({ "post": submit() })),
        of("/api/v1/jobs/{id}", json!({ "get": job() })),
        of("/api/v1/jobs/{id}/cancel", json!({ "post": cancel() })),
        of("/api/v1/jobs/{id}/events", json!({ "get": events() })),
        of("/api/v1/queue", json!({ "get": queue() })),
    ])
}

fn submit() -> Value {
    // A field that JSON has as `null` was not given.
    let fields = |maybe: fn(&str) -> Value, only: Value| {
        json!({
            "url": { "type": "string", "maxLength": 2000, "description": "Address of the app, http or https." },
            "prompt": { "type": maybe("string"), "description": "Id of the prompt it was built from." },
            "only": only,
            "tool": { "type": maybe("string"), "maxLength": 60, "pattern": "^([a-z0-9]+(-[a-z0-9]+)*)?$" },
            "tool_version": { "type": maybe("string"), "maxLength": 60 },
            "run_index": { "type": "integer", "minimum": 0, "maximum": 1000, "description": "Which repetition this is." },
            "working_build_seconds": { "type": maybe("number"), "minimum": 0, "maximum": 1e8 },
            "cost_usd": { "type": maybe("number"), "minimum": 0, "maximum": 1e6 },
            "note": { "type": maybe("string"), "maxLength": 500 },
            "priority": { "enum": ["low", "normal", "high"], "description": "`high` needs a token that may moderate." },
        })
    };
    let listed = json!({ "type": ["array", "null"], "items": { "type": "string" }, "description": "Ids of scorers; all when left out." });
    let joined = json!({ "type": "string", "description": "Ids of scorers, separated by commas; all when left out." });
    let mut form = fields(|kind| json!(kind), joined);
    form["source"] = json!({ "type": "string", "format": "binary", "description": "The app's source as a ZIP." });
    let body = |properties: Value, example: Value| {
        json!({
            "schema": { "type": "object", "properties": properties, "required": ["url"], "additionalProperties": false },
            "example": example,
        })
    };
    let example = json!({ "url": "https://app.example/", "tool": "kiln", "run_index": 1 });
    json!({
        "operationId": "submitJob",
        "summary": "Submits an app to be scored by this site's workers.",
        "security": [{ "token": [] }],
        "parameters": [{
            "name": "Idempotency-Key", "in": "header", "required": false, "example": "nightly-42",
            "description": "The same key of the same token means the same job.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[!-~]+$" },
        }],
        "requestBody": { "required": true, "content": {
            "application/json": body(fields(|kind| json!([kind, "null"]), listed), example.clone()),
            "multipart/form-data": body(form, example),
        }},
        "responses": {
            "201": answered("The job.", &job_schema(), &job_example()),
            "400": refused("It cannot be read."),
            "401": refused("There is no token that allows this."),
            "403": refused("It came from another site's page."),
            "408": refused("It took too long to arrive."),
            "413": refused("It is too large."),
            "422": refused("Something in it makes no sense; `problems` names the fields."),
            "429": refused("This token has asked for enough, or sends too many ZIPs at once."),
            "503": refused("The queue is full, or there is too much to do just now."),
        },
    })
}

fn job() -> Value {
    json!({
        "operationId": "getJob",
        "summary": "A job as it stands.",
        "parameters": [job_id()],
        "responses": {
            "200": answered("The job.", &job_schema(), &job_example()),
            "400": refused("The address makes no sense."),
            "404": refused("There is no such job."),
            "410": refused("What came of this job is not shown: it was taken down."),
            "503": refused("There is too much to do just now."),
        },
    })
}

fn cancel() -> Value {
    json!({
        "operationId": "cancelJob",
        "summary": "Calls a job off: one's own, or any with a token that may moderate.",
        "security": [{ "token": [] }],
        "parameters": [job_id()],
        "responses": {
            "200": answered("The job; one that runs ends soon.", &job_schema(), &job_example()),
            "400": refused("The address makes no sense."),
            "401": refused("There is no token that allows this."),
            "403": refused("It came from another site's page."),
            "404": refused("There is no such job."),
            "408": refused("It took too long to arrive."),
            "410": refused("What came of this job is not shown: it was taken down."),
            "503": refused("There is too much to do just now."),
        },
    })
}

fn events() -> Value {
    let event = json!({
        "type": "object",
        "properties": {
            "sequence": { "type": "integer" },
            "at": { "type": "string" },
            "lane": { "type": "string" },
            "text": { "type": "string" },
        },
        "required": ["sequence", "at", "lane", "text"],
    });
    let schema = json!({
        "type": "object",
        "properties": { "job": job_schema(), "events": { "type": "array", "items": event } },
        "required": ["job", "events"],
    });
    let happened = json!({ "sequence": 4, "at": "2026-11-16T10:15:20Z", "lane": "page", "text": "desktop viewport" });
    json!({
        "operationId": "getJobEvents",
        "summary": "What happened to a job; with `Accept: text/event-stream` as it happens.",
        "parameters": [job_id(), {
            "name": "after", "in": "query", "required": false, "example": 3,
            "description": "The last event that is known.",
            "schema": { "type": "integer", "minimum": -1, "maximum": i64::MAX },
        }],
        "responses": {
            "200": answered("The job and its events since.", &schema, &json!({ "job": job_example(), "events": [happened] })),
            "400": refused("The address makes no sense."),
            "404": refused("There is no such job."),
            "410": refused("What came of this job is not shown: it was taken down."),
            "503": refused("Too many watch: ask again and again instead. Or there is too much to do just now."),
        },
    })
}

fn queue() -> Value {
    let count = json!({ "type": "integer", "minimum": 0 });
    let schema = json!({
        "type": "object",
        "properties": {
            "jobs": { "type": "object", "additionalProperties": count },
            "workers": { "type": "array", "items": { "type": "object" } },
            "newest": { "type": "array", "items": job_schema() },
        },
        "required": ["jobs", "workers", "newest"],
    });
    let counts = json!({ "queued": 1, "running": 0, "done": 0, "failed": 0, "cancelled": 0 });
    let example = json!({ "jobs": counts, "workers": [], "newest": [job_example()] });
    json!({
        "operationId": "getQueue",
        "summary": "How many jobs stand where, the newest, and who works.",
        "parameters": [],
        "responses": {
            "200": answered("The queue.", &schema, &example),
            "503": refused("There is too much to do just now."),
        },
    })
}

fn job_id() -> Value {
    json!({
        "name": "id", "in": "path", "required": true, "example": "20261116T101500Z-3f9a01b2c4d5",
        "description": "Id of a job, and of the run that comes of it.",
        "schema": { "type": "string" },
    })
}

fn job_schema() -> Value {
    let text = json!({ "type": "string" });
    let maybe = json!({ "type": ["string", "null"] });
    json!({
        "type": "object",
        "properties": {
            "id": text,
            "state": { "enum": ["queued", "running", "done", "failed", "cancelled"] },
            "priority": { "enum": ["low", "normal", "high"] },
            "submitted_at": text,
            "ended_at": maybe,
            "url": text,
            "prompt": maybe,
            "tool": maybe,
            "has_source": { "type": "boolean" },
            "attempt": { "type": "integer" },
            "cancel_asked": { "type": "boolean" },
            "cost_usd": { "type": "number" },
            "reason": maybe,
            "page": text,
            "events": text,
            "run": maybe,
        },
        "required": ["id", "state", "priority", "submitted_at", "url", "page", "events", "run"],
    })
}

fn job_example() -> Value {
    json!({
        "id": "20261116T101500Z-3f9a01b2c4d5", "state": "queued", "priority": "normal",
        "submitted_at": "2026-11-16T10:15:00Z", "ended_at": null, "url": "https://app.example/", "prompt": null,
        "tool": "kiln", "has_source": false, "attempt": 0, "cancel_asked": false, "cost_usd": 0.0, "reason": null,
        "page": "/jobs/20261116T101500Z-3f9a01b2c4d5", "events": "/api/v1/jobs/20261116T101500Z-3f9a01b2c4d5/events",
        "run": null,
    })
}

fn answered(description: &str, schema: &Value, example: &Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema, "example": example } } })
}

fn refused(description: &str) -> Value {
    let problem =
        json!({ "type": "object", "properties": { "field": { "type": "string" }, "text": { "type": "string" } } });
    let schema = json!({
        "type": "object",
        "properties": { "error": { "type": "string" }, "problems": { "type": "array", "items": problem } },
        "required": ["error"],
    });
    answered(description, &schema, &json!({ "error": description }))
}
