//! The route table: every endpoint of the Agent API as data. The server, the OpenAPI document, the
//! capability list of /health and the access test walk it; nothing is served that is not in it.

use crate::{
    agent_api::{analyses, docs, health, keywords, models, projects, results},
    endpoint::{Access, Call, Endpoint, Handling, Parameter, PublicCall, Verb},
    paging::fields,
    selection::PROJECT,
    services::Services,
};
use analysis::result_type::ResultType;
use domain::scope::Scope;
use std::sync::{Arc, LazyLock};

macro_rules! agent {
    ($scope:expr, $handler:path) => {
        Access::Agent($scope, |services: Arc<Services>, call: Call| -> Handling {
            Box::pin($handler(services, call))
        })
    };
}

static READING: LazyLock<String> = LazyLock::new(|| {
    let types = ResultType::ALL.len();
    format!(
        "The newest results of a type with their records, or with history=true the records of all runs; type=all gives the heads of all {types} types. A type without data says how to get it. Costs nothing."
    )
});

fn nothing() -> Vec<Parameter> {
    vec![]
}

/// Of one project its members can be chosen.
pub fn project() -> Vec<Parameter> {
    fields(&PROJECT).into()
}

pub fn agent_api() -> Vec<Endpoint> {
    [about(), projects(), keywords(), analyses(), reading()]
        .into_iter()
        .flatten()
        .collect()
}

fn about() -> Vec<Endpoint> {
    vec![
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/health",
            access: agent!(Scope::ProjectsRead, health::check),
            operation: "getHealth",
            summary: "Check the token",
            description: "Tells whether the token works, what it may do, the limits, and what is used of them. Costs nothing.",
            parameters: nothing,
            body: None,
            answers: &[(200, "Health")],
            refusals: &[422],
            is_conditional: false,
            deprecated: None,
            tools: &[],
        },
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/docs",
            access: Access::Public(|services: Arc<Services>, call: PublicCall| -> Handling {
                Box::pin(docs::read(services, call))
            }),
            operation: "getDocs",
            summary: "Read this documentation",
            description: "The OpenAPI 3.1 document, or with format=guide a short guide for agents. Needs no token.",
            parameters: docs::ReadDocs::parameters,
            body: None,
            answers: &[(200, "Documentation")],
            refusals: &[],
            is_conditional: true,
            deprecated: None,
            tools: &[],
        },
    ]
}

fn projects() -> Vec<Endpoint> {
    vec![
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/projects",
            access: agent!(Scope::ProjectsRead, projects::list),
            operation: "listProjects",
            summary: "List projects",
            description: "The account's projects, a page at a time. Deactivated ones only with status=deactivated or status=all.",
            parameters: projects::ListProjects::parameters,
            body: None,
            answers: &[(200, "ProjectList")],
            refusals: &[422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_list_projects"],
        },
        Endpoint {
            verb: Verb::Post,
            path: "/api/agent/v1/projects",
            access: agent!(Scope::ProjectsWrite, projects::create),
            operation: "createProject",
            summary: "Create a project",
            description: "Begins monitoring a site, with its first keywords. Takes places of the allowances; measures nothing by itself.",
            parameters: nothing,
            body: Some(projects::CreateProject::schema),
            answers: &[(201, "CreatedProject")],
            refusals: &[409, 422],
            is_conditional: false,
            deprecated: None,
            tools: &["service_create_project"],
        },
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/projects/{id}",
            access: agent!(Scope::ProjectsRead, projects::read),
            operation: "getProject",
            summary: "Read a project",
            description: "One project, in use or not.",
            parameters: project,
            body: None,
            answers: &[(200, "ProjectOrFields")],
            refusals: &[404, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_list_projects"],
        },
        Endpoint {
            verb: Verb::Patch,
            path: "/api/agent/v1/projects/{id}",
            access: agent!(Scope::ProjectsWrite, projects::change),
            operation: "updateProject",
            summary: "Change a project",
            description: "A JSON merge patch (RFC 7396): members that are left out stay, null resets. status=deactivated takes the project out of use, status=active brings it back.",
            parameters: nothing,
            body: Some(projects::ChangeProject::schema),
            answers: &[(200, "Project")],
            refusals: &[404, 409, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_update_project"],
        },
        Endpoint {
            verb: Verb::Delete,
            path: "/api/agent/v1/projects/{id}",
            access: agent!(Scope::ProjectsWrite, projects::deactivate),
            operation: "deactivateProject",
            summary: "Deactivate a project",
            description: "Takes the project out of use: its places are free again, its unfinished analyses are stopped, its history stays until `purgeAt`.",
            parameters: nothing,
            body: None,
            answers: &[(200, "Project")],
            refusals: &[404, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_update_project"],
        },
    ]
}

fn keywords() -> Vec<Endpoint> {
    vec![
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/projects/{id}/keywords",
            access: agent!(Scope::KeywordsRead, keywords::list),
            operation: "listKeywords",
            summary: "List a project's keywords",
            description: "The project's keywords with their latest positions, a page at a time.",
            parameters: keywords::ListKeywords::parameters,
            body: None,
            answers: &[(200, "KeywordList")],
            refusals: &[404, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_list_projects"],
        },
        Endpoint {
            verb: Verb::Post,
            path: "/api/agent/v1/projects/{id}/keywords",
            access: agent!(Scope::KeywordsWrite, keywords::add),
            operation: "addKeywords",
            summary: "Add keywords",
            description: "Starts tracking keywords: all of them, or none when an allowance would be passed. Keywords that are tracked already stay as they are; deactivated ones come back with their history.",
            parameters: nothing,
            body: Some(keywords::AddKeywords::schema),
            answers: &[(201, "AddedKeywords"), (200, "AddedKeywords")],
            refusals: &[404, 409, 422],
            is_conditional: false,
            deprecated: None,
            tools: &["service_add_keywords"],
        },
        Endpoint {
            verb: Verb::Patch,
            path: "/api/agent/v1/keywords/{id}",
            access: agent!(Scope::KeywordsWrite, keywords::change),
            operation: "updateKeyword",
            summary: "Change a keyword",
            description: "A JSON merge patch (RFC 7396). aiTracked switches AI measurement and takes or frees a place of that allowance.",
            parameters: nothing,
            body: Some(keywords::ChangeKeyword::schema),
            answers: &[(200, "Keyword")],
            refusals: &[404, 409, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_update_keyword"],
        },
        Endpoint {
            verb: Verb::Delete,
            path: "/api/agent/v1/keywords/{id}",
            access: agent!(Scope::KeywordsWrite, keywords::deactivate),
            operation: "deactivateKeyword",
            summary: "Deactivate a keyword",
            description: "Takes the keyword out of use: its places are free again, its history stays.",
            parameters: nothing,
            body: None,
            answers: &[(200, "Keyword")],
            refusals: &[404, 409, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_update_keyword"],
        },
    ]
}

fn analyses() -> Vec<Endpoint> {
    vec![
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/analyze",
            access: agent!(Scope::AnalysisRun, analyses::list),
            operation: "listAnalyses",
            summary: "Follow analyses",
            description: "The account's analyses, newest first, with progress. jobId asks for one; wait then holds the answer until it ends or the seconds are over.",
            parameters: analyses::ListAnalyses::parameters,
            body: None,
            answers: &[(200, "JobList")],
            refusals: &[404, 422],
            is_conditional: false,
            deprecated: None,
            tools: &["service_run_analysis"],
        },
        Endpoint {
            verb: Verb::Post,
            path: "/api/agent/v1/analyze",
            access: agent!(Scope::AnalysisRun, analyses::start),
            operation: "startAnalysis",
            summary: "Start an analysis",
            description: "Puts an analysis in the queue; it is stored when this answers. The same unfinished analysis is answered instead of a second one. dryRun tells what it would do and cost, and does nothing.",
            parameters: nothing,
            body: Some(analyses::start_schema),
            answers: &[(202, "Job"), (200, "AnalysisPlan")],
            refusals: &[404, 409, 422],
            is_conditional: false,
            deprecated: None,
            tools: &["service_run_analysis"],
        },
    ]
}

fn reading() -> Vec<Endpoint> {
    vec![
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/results",
            access: agent!(Scope::ProjectsRead, results::read),
            operation: "getResults",
            summary: "Read results",
            description: &READING,
            parameters: results::ReadResults::parameters,
            body: None,
            answers: &[(200, "Results")],
            refusals: &[404, 422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_get_results"],
        },
        Endpoint {
            verb: Verb::Get,
            path: "/api/agent/v1/models",
            access: agent!(Scope::ModelsRead, models::list),
            operation: "listModels",
            summary: "Read AI model settings",
            description: "The account's AI model settings, and the allowance of AI-tracked keywords.",
            parameters: nothing,
            body: None,
            answers: &[(200, "Models")],
            refusals: &[422],
            is_conditional: true,
            deprecated: None,
            tools: &["service_get_models"],
        },
    ]
}
