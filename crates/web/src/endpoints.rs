//! The Agent API's route table as data, used by the server, the OpenAPI document, the capability list of /health and
//! the access test.

use crate::agent_api::{analyses, docs, health, keywords, models, projects, results};
use crate::contract::Parameter;
use crate::endpoint::{Access, Call, Endpoint, PublicCall};
use crate::paging::fields_parameter;
use crate::selection::PROJECT_FIELDS;
use analysis::result_type::ResultType;
use domain::scope::Scope;
use std::sync::LazyLock;

/// Rows: verb, path, access with handler, operation, summary, and differences from [`Endpoint::plain`].
macro_rules! endpoints {
    ($($verb:ident $path:expr, $access:ident($($handler:tt)*) $operation:literal $summary:literal $(, $member:ident: $value:expr)*;)*) => {
        vec![$($crate::endpoint::Endpoint {
            $($member: $value,)*
            ..$crate::endpoint::Endpoint::plain(
                $crate::route_table::Verb::$verb,
                $path,
                $access!($($handler)*),
                $operation,
                $summary,
            )
        }),*]
    };
}
pub(crate) use endpoints;

/// Adapts a handler to the type in the table.
macro_rules! handled {
    ($call:ty, $handler:path) => {
        |services: std::sync::Arc<$crate::services::Services>,
         call: $call|
         -> $crate::endpoint::HandlerFuture { Box::pin($handler(services, call)) }
    };
}
pub(crate) use handled;

macro_rules! agent {
    ($scope:ident, $handler:path) => {
        Access::Agent(Scope::$scope, handled!(Call, $handler))
    };
}
macro_rules! public {
    ($handler:path) => {
        Access::Public(handled!(PublicCall, $handler))
    };
}

static RESULTS_DESCRIPTION: LazyLock<String> = LazyLock::new(|| {
    let types = ResultType::ALL.len();
    format!(
        "The newest results of a type with their records, or with history=true the records of all runs; type=all gives the heads of all {types} types. A type without data says how to get it. Costs nothing."
    )
});

/// `fields` of a single project.
pub fn project_parameters() -> Vec<Parameter> {
    fields_parameter(&PROJECT_FIELDS).into()
}

pub fn agent_api() -> Vec<Endpoint> {
    endpoints![
        Get "/api/agent/v1/health", agent(ProjectsRead, health::check) "getHealth" "Check the token",
            description: "Returns whether the token works, what it may do, the limits, and what is used of them. Costs nothing.",
            responses: &[(200, "Health")], error_statuses: &[422];
        Get "/api/agent/v1/docs", public(docs::read) "getDocs" "Read this documentation",
            description: "The OpenAPI 3.1 document, or with format=guide a short guide for agents. Needs no token.",
            parameters: docs::ReadDocs::parameters, responses: &[(200, "Documentation")], is_conditional: true;
        Get "/api/agent/v1/projects", agent(ProjectsRead, projects::list) "listProjects" "List projects",
            description: "The account's projects, a page at a time. Deactivated ones only with status=deactivated or status=all.",
            parameters: projects::ListProjects::parameters, responses: &[(200, "ProjectList")], error_statuses: &[422], is_conditional: true, tools: &["service_list_projects"];
        Post "/api/agent/v1/projects", agent(ProjectsWrite, projects::create) "createProject" "Create a project",
            description: "Begins monitoring a site, with its first keywords. Counts toward the allowances; starts no measurement.",
            body: Some(projects::CreateProject::schema), responses: &[(201, "CreatedProject")], error_statuses: &[409, 422], tools: &["service_create_project"];
        Get "/api/agent/v1/projects/{id}", agent(ProjectsRead, projects::read) "getProject" "Read a project",
            description: "One project, in use or not.",
            parameters: project_parameters, responses: &[(200, "ProjectOrFields")], error_statuses: &[404, 422], is_conditional: true, tools: &["service_list_projects"];
        Patch "/api/agent/v1/projects/{id}", agent(ProjectsWrite, projects::change) "updateProject" "Change a project",
            description: "A JSON merge patch (RFC 7396): members that are left out stay, null resets. status=deactivated takes the project out of use, status=active brings it back.",
            body: Some(projects::ChangeProject::schema), responses: &[(200, "Project")], error_statuses: &[404, 409, 422], is_conditional: true, tools: &["service_update_project"];
        Delete "/api/agent/v1/projects/{id}", agent(ProjectsWrite, projects::deactivate) "deactivateProject" "Deactivate a project",
            description: "Takes the project out of use: its places are free again, its unfinished analyses are stopped, its history stays until `purgeAt`.",
            responses: &[(200, "Project")], error_statuses: &[404, 422], is_conditional: true, tools: &["service_update_project"];
        Get "/api/agent/v1/projects/{id}/keywords", agent(KeywordsRead, keywords::list) "listKeywords" "List a project's keywords",
            description: "The project's keywords with their latest positions, a page at a time.",
            parameters: keywords::ListKeywords::parameters, responses: &[(200, "KeywordList")], error_statuses: &[404, 422], is_conditional: true, tools: &["service_list_projects"];
        Post "/api/agent/v1/projects/{id}/keywords", agent(KeywordsWrite, keywords::add) "addKeywords" "Add keywords",
            description: "Starts tracking keywords: all of them, or none when an allowance would be passed. Keywords that are tracked already stay unchanged; deactivated ones come back with their history.",
            body: Some(keywords::AddKeywords::schema), responses: &[(201, "AddedKeywords"), (200, "AddedKeywords")], error_statuses: &[404, 409, 422], tools: &["service_add_keywords"];
        Patch "/api/agent/v1/keywords/{id}", agent(KeywordsWrite, keywords::change) "updateKeyword" "Change a keyword",
            description: "A JSON merge patch (RFC 7396). aiTracked switches AI measurement and takes or frees a place of that allowance.",
            body: Some(keywords::ChangeKeyword::schema), responses: &[(200, "Keyword")], error_statuses: &[404, 409, 422], is_conditional: true, tools: &["service_update_keyword"];
        Delete "/api/agent/v1/keywords/{id}", agent(KeywordsWrite, keywords::deactivate) "deactivateKeyword" "Deactivate a keyword",
            description: "Takes the keyword out of use: its places are free again, its history stays.",
            responses: &[(200, "Keyword")], error_statuses: &[404, 409, 422], is_conditional: true, tools: &["service_update_keyword"];
        Get "/api/agent/v1/analyze", agent(AnalysisRun, analyses::list) "listAnalyses" "Follow analyses",
            description: "The account's analyses, newest first, with progress. jobId asks for one; wait then holds the answer until it ends or the seconds are over.",
            parameters: analyses::ListAnalyses::parameters, responses: &[(200, "JobList")], error_statuses: &[404, 422], tools: &["service_run_analysis"];
        Post "/api/agent/v1/analyze", agent(AnalysisRun, analyses::start) "startAnalysis" "Start an analysis",
            description: "Puts an analysis in the queue; it is stored when this answers. The same unfinished analysis is answered instead of a second one. dryRun returns what it would do and cost, and does nothing.",
            body: Some(analyses::start_schema), responses: &[(202, "Job"), (200, "AnalysisPlan")], error_statuses: &[404, 409, 422], tools: &["service_run_analysis"];
        Get "/api/agent/v1/results", agent(ProjectsRead, results::read) "getResults" "Read results",
            description: &RESULTS_DESCRIPTION,
            parameters: results::ReadResults::parameters, responses: &[(200, "Results")], error_statuses: &[404, 422], is_conditional: true, tools: &["service_get_results"];
        Get "/api/agent/v1/models", agent(ModelsRead, models::list) "listModels" "Read AI model settings",
            description: "The account's AI model settings, and the allowance of AI-tracked keywords.",
            responses: &[(200, "Models")], error_statuses: &[422], is_conditional: true, tools: &["service_get_models"];
    ]
}
