use super::schemas::id;
use crate::{
    agent_api::{analyses, docs::FORMATS, keywords, projects, results},
    endpoint::Parameter,
    paging::Limits,
    selection::{KEYWORD, PROJECT, RECORD, Selectable},
    session_api::keyword_research,
};
use domain::{
    job::{JobStatus, kind::AnalysisKind},
    project::{Priority, WorkflowStatus},
};
use serde_json::{Value, json};

fn optional(name: &'static str, schema: Value, description: &'static str) -> Parameter {
    Parameter {
        name,
        description,
        required: false,
        schema,
    }
}

fn required(name: &'static str, schema: Value, description: &'static str) -> Parameter {
    Parameter {
        name,
        description,
        required: true,
        schema,
    }
}

/// Text as `Query::free_text` reads it.
fn text(most: usize) -> Value {
    json!({ "type": "string", "maxLength": most, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$" })
}

fn choice(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names })
}

fn sorts(names: &[&str]) -> Value {
    let both: Vec<String> = names
        .iter()
        .flat_map(|name| [(*name).to_owned(), format!("-{name}")])
        .collect();
    json!({ "type": "string", "enum": both })
}

fn paging(limits: Limits, of: &Selectable) -> Vec<Parameter> {
    vec![
        optional(
            "limit",
            json!({ "type": "integer", "minimum": 1, "default": limits.default }),
            "Rows at the most; more than the maximum is taken as the maximum.",
        ),
        optional(
            "cursor",
            json!({ "type": "string", "minLength": 1, "maxLength": 2_048, "pattern": "^[A-Za-z0-9_-]+$" }),
            "Where to go on: nextCursor of the page before, within 24 hours.",
        ),
        optional(
            "include",
            choice(&["total"]),
            "total: also count the rows of all pages, up to 10,000.",
        ),
        fields(of),
    ]
}

fn fields(of: &Selectable) -> Parameter {
    let name = of.paths.join("|").replace('.', r"\.");
    optional(
        "fields",
        json!({ "type": "string", "maxLength": 1_000, "pattern": format!("^ *({name}) *(, *({name}) *)*$") }),
        "Only these members, separated by commas, nested ones with dots, also inside of lists; the id is always there.",
    )
}

pub fn project() -> Vec<Parameter> {
    vec![fields(&PROJECT)]
}

pub fn docs() -> Vec<Parameter> {
    vec![optional(
        "format",
        choice(&FORMATS),
        "openapi (the default) or guide.",
    )]
}

pub fn projects() -> Vec<Parameter> {
    let mut all = paging(projects::LIST_LIMITS, &PROJECT);
    all.extend([
        optional(
            "sort",
            sorts(&["createdAt", "name", "domain", "lastAnalysisAt", "priority"]),
            "The order; a leading - reverses. createdAt when left out.",
        ),
        optional(
            "status",
            choice(&["active", "deactivated", "all"]),
            "active when left out.",
        ),
        optional("tag", text(50), "Only with this tag."),
        optional("category", text(200), "Only of this category."),
        optional(
            "priority",
            choice(&Priority::NAMES),
            "Only of this priority.",
        ),
        optional(
            "workflowStatus",
            choice(&WorkflowStatus::NAMES),
            "Only with this workflow status.",
        ),
        optional(
            "favorite",
            json!({ "type": "boolean" }),
            "Only favourites, or only others.",
        ),
        optional(
            "search",
            text(200),
            "Only with this text in name, domain or client.",
        ),
    ]);
    all
}

pub fn keywords() -> Vec<Parameter> {
    let mut all = paging(keywords::LIST_LIMITS, &KEYWORD);
    all.extend([
        optional(
            "sort",
            sorts(&["createdAt", "text", "position"]),
            "The order; a leading - reverses. createdAt when left out.",
        ),
        optional(
            "status",
            choice(&["active", "deactivated", "all"]),
            "active when left out.",
        ),
        optional(
            "aiTracked",
            json!({ "type": "boolean" }),
            "Only AI-tracked ones, or only others.",
        ),
        optional("tag", text(50), "Only with this tag."),
        optional("search", text(200), "Only with this text in the keyword."),
    ]);
    all
}

pub fn analyses() -> Vec<Parameter> {
    let mut all = paging(analyses::LIST_LIMITS, &KEYWORD);
    all.retain(|parameter| parameter.name != "fields");
    all.extend([
        optional("sort", sorts(&["createdAt"]), "Newest first when left out."),
        optional("jobId", id(), "Only this analysis."),
        optional(
            "wait",
            json!({ "type": "integer", "minimum": 0, "maximum": 20 }),
            "With jobId: hold the answer so many seconds, or until it ends.",
        ),
        optional("projectId", id(), "Only of this project."),
        optional("type", choice(&AnalysisKind::NAMES), "Only of this kind."),
        optional(
            "status",
            choice(&JobStatus::NAMES),
            "Only with this status.",
        ),
    ]);
    all
}

/// GET /api/keyword-research/history.
pub fn searches() -> Vec<Parameter> {
    let mut all = paging(keyword_research::LIST_LIMITS, &KEYWORD);
    all.retain(|parameter| !["fields", "include"].contains(&parameter.name));
    all
}

pub fn results() -> Vec<Parameter> {
    let mut all = vec![
        required(
            "type",
            choice(&results::type_names()),
            "The result type, or all.",
        ),
        required("projectId", id(), "The project."),
    ];
    all.extend(paging(results::LIST_LIMITS, &RECORD));
    let time =
        json!({ "type": "string", "anyOf": [{ "format": "date" }, { "format": "date-time" }] });
    all.extend([
        optional("sort", sorts(&["default", "position", "measuredAt"]), "The order; a leading - reverses. Left out it is default, and with history=true the newest first."),
        optional("keywordId", id(), "Only about this keyword."),
        optional("url", text(2_048), "Only about this page."),
        optional("from", time.clone(), "Measured at or after this day or time."),
        optional("to", time, "Measured before this day or time."),
        optional("history", json!({ "type": "boolean" }), "The records of all runs, not only of the newest."),
    ]);
    all
}
