//! The OpenAPI document. Its schemas come from the types that are sent, so they cannot disagree with them.

use super::example;
use super::{Act, Board, BoardSummary, OverallBoard, RunList, Scorer, ScorerDetails, Status};
use crate::site::Site;
use benchwright_domain::comparison::Comparison;
use benchwright_domain::{Report, RunRecord};
use benchwright_store::index::MOST_ROWS;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// A parameter: name, where it stands, whether it must be given, an example, what it means.
pub type Parameter = (&'static str, &'static str, bool, &'static str, &'static str);

const RUN: Parameter = ("run", "path", true, "20261116T101500Z-3f9a", "Id of a run.");
const PROMPT: Parameter =
    ("prompt", "query", false, "harbor-coffee-landing", "Id of a prompt; empty for runs without one.");

/// Something that can be asked.
pub struct Operation {
    pub path: &'static str,
    pub id: &'static str,
    pub summary: &'static str,
    pub parameters: &'static [Parameter],
    pub schema: fn(&mut SchemaGenerator) -> Value,
}

pub fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

const OPERATIONS: [Operation; 11] = [
    Operation {
        path: "/api/v1/runs",
        id: "listRuns",
        summary: "Runs that are shown, newest first.",
        parameters: &[
            PROMPT,
            ("tool", "query", false, "kiln", "Name of a tool."),
            ("url", "query", false, "https://app.example/", "Address of an app."),
            ("ranked", "query", false, "yes", "`yes`: only runs that count on a board; `no`: only those that do not."),
            (
                "after",
                "query",
                false,
                "2026-11-16T10:15:00Z~20261116T101500Z-3f9a",
                "Where the page begins; `next` has it.",
            ),
            ("limit", "query", false, "50", "How many, up to 999."),
        ],
        schema: of::<RunList>,
    },
    Operation {
        path: "/api/v1/runs/{run}",
        id: "getRun",
        summary: "A run in short.",
        parameters: &[RUN],
        schema: of::<RunRecord>,
    },
    Operation {
        path: "/api/v1/runs/{run}/report",
        id: "getReport",
        summary: "The whole report of a run.",
        parameters: &[RUN],
        schema: of::<Report>,
    },
    Operation {
        path: "/api/v1/boards",
        id: "listBoards",
        summary: "The prompts that have a board.",
        parameters: &[],
        schema: of::<Vec<BoardSummary>>,
    },
    Operation {
        path: "/api/v1/board",
        id: "getBoard",
        summary: "The ranking of a prompt, in the coverage class with most tools unless another is named.",
        parameters: &[PROMPT, ("class", "query", false, "5feceb66ffc86f38", "Name of a coverage class.")],
        schema: of::<Board>,
    },
    Operation {
        path: "/api/v1/board/overall",
        id: "getOverallBoard",
        summary: "The mean over prompts, for tools with ranked runs on all of them.",
        parameters: &[("tier", "query", false, "1", "Only prompts of this tier, 1 to 3.")],
        schema: of::<OverallBoard>,
    },
    Operation {
        path: "/api/v1/compare",
        id: "compareRuns",
        summary: "What moved between two runs, and whether it is more than noise.",
        parameters: &[
            ("before", "query", true, "20261116T101500Z-3f9a", "Id of the first run."),
            ("after", "query", true, "20261116T111500Z-77b1", "Id of the second run."),
        ],
        schema: of::<Comparison>,
    },
    Operation {
        path: "/api/v1/scorers",
        id: "listScorers",
        summary: "The scorers, in published order.",
        parameters: &[],
        schema: of::<Vec<Scorer>>,
    },
    Operation {
        path: "/api/v1/scorers/{id}",
        id: "getScorer",
        summary: "A scorer with its documentation and the distribution of its scores.",
        parameters: &[("id", "path", true, "c3", "Published id of a scorer.")],
        schema: of::<ScorerDetails>,
    },
    Operation {
        path: "/api/v1/moderation",
        id: "listDecisions",
        summary: "Decisions about runs, newest first, up to 1,000.",
        parameters: &[(
            "after",
            "query",
            false,
            "2026-11-16T10:15:00Z~20261116T101500Z-3f9a~7",
            "Where the list begins; `place` of the last decision before has it.",
        )],
        schema: of::<Vec<Act>>,
    },
    Operation {
        path: "/api/v1/status",
        id: "getStatus",
        summary: "How the site is doing.",
        parameters: &[],
        schema: of::<Status>,
    },
];

/// What the data page says of each operation: path, summary, an example that can be clicked.
pub fn examples() -> Vec<(&'static str, &'static str)> {
    operations().map(|operation| (operation.path, operation.summary)).collect()
}

/// Those of every part of the site.
fn operations() -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.iter().chain(&crate::vibe::OPERATIONS).chain(&crate::quiz::OPERATIONS)
}

/// The document.
pub fn document(site: &Site) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> =
        operations().map(|operation| (operation.path.to_owned(), operation.value(&mut generator))).collect();
    for (path, methods) in site.settings.jobs.clone().unwrap_or_default() {
        // An address may be read by this part and changed by the other.
        match (paths.get_mut(&path).and_then(Value::as_object_mut), methods) {
            (Some(there), Value::Object(methods)) => there.extend(methods),
            (_, methods) => drop(paths.insert(path, methods)),
        }
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Benchwright",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Scores of AI-built web apps, their reports and boards. Reading needs no account unless the site is private; submitting needs a token.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    });
    if let Some(address) = &site.settings.address {
        document["servers"] = json!([{ "url": address }]);
    }
    document
}

impl Operation {
    fn value(&self, generator: &mut SchemaGenerator) -> Value {
        let parameters: Vec<Value> = self
            .parameters
            .iter()
            .map(|(name, place, required, example, description)| {
                let range = match *name {
                    "limit" => Some((1, MOST_ROWS - 1)),
                    "tier" => Some((0, u8::MAX.into())),
                    _ => None,
                };
                let schema = match range {
                    Some((least, most)) => json!({ "type": "integer", "minimum": least, "maximum": most }),
                    None => json!({ "type": "string" }),
                };
                let number = range.and(example.parse::<u32>().ok());
                json!({
                    "name": name,
                    "in": place,
                    "required": required,
                    "description": description,
                    "schema": schema,
                    "example": number.map_or_else(|| json!(example), |number| json!(number)),
                })
            })
            .collect();
        let schema = (self.schema)(generator);
        let example = example::of(&schema, generator.definitions());
        let error = json!({ "type": "object", "properties": { "error": { "type": "string" } }, "required": ["error"] });
        let failed = |description: &str| json!({ "description": description, "content": { "application/json": { "schema": error, "example": { "error": description } } } });
        json!({ "get": {
            "operationId": self.id,
            "summary": self.summary,
            "parameters": parameters,
            "responses": {
                "200": { "description": "What was asked for.", "content": { "application/json": { "schema": schema, "example": example } } },
                "400": failed("The address makes no sense."),
                "404": failed("There is no such thing."),
                "410": failed("The run is not shown; the text says why."),
                "503": failed("There is too much to do just now. Try again in a moment."),
            },
        }})
    }
}
