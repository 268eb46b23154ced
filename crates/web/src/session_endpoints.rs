//! The other half of the route table: what people do who are signed in. `docs/SESSION.md` lists it.

use crate::{
    agent_api::{
        analyses as agent_analyses, keywords, models as agent_models, projects,
        results as agent_results,
    },
    endpoint::{Access, Call, Endpoint, Handling, MemberCall, Parameter, Verb, VisitorCall},
    endpoints::project,
    paging::pages,
    policy_reports,
    services::Services,
    session_api::{
        account, analyses, api_tokens, audit_log, bulk_keywords, console_rows, content_plans,
        keyword_research, keyword_status, models, password, reactivate, reauthenticate,
        report_defaults, results, search_console, sessions, sign_in, sign_out, signed_in,
        top_results, welcome,
    },
};
use std::sync::Arc;

macro_rules! handled {
    ($access:ident, $call:ty, $handler:path) => {
        Access::$access(|services: Arc<Services>, call: $call| -> Handling {
            Box::pin($handler(services, call))
        })
    };
}
macro_rules! visitor {
    ($handler:path) => {
        handled!(Visitor, VisitorCall, $handler)
    };
}
macro_rules! member {
    ($handler:path) => {
        handled!(Member, MemberCall, $handler)
    };
}
macro_rules! session {
    ($handler:path) => {
        handled!(Session, Call, $handler)
    };
}

fn nothing() -> Vec<Parameter> {
    vec![]
}

fn pages_of_plans() -> Vec<Parameter> {
    pages(content_plans::LIST_LIMITS).into()
}

fn pages_of_searches() -> Vec<Parameter> {
    pages(keyword_research::LIST_LIMITS).into()
}

/// The project stands in the path.
fn results_of_a_project() -> Vec<Parameter> {
    let mut all = agent_results::ReadResults::parameters();
    all.retain(|it| it.name != "projectId");
    all
}

fn line(
    verb: Verb,
    path: &'static str,
    access: Access,
    operation: &'static str,
    summary: &'static str,
) -> Endpoint {
    Endpoint {
        verb,
        path,
        access,
        operation,
        summary,
        description: summary,
        parameters: nothing,
        body: None,
        answers: &[],
        refusals: &[],
        is_conditional: false,
        deprecated: None,
        tools: &[],
    }
}

pub fn session_api() -> Vec<Endpoint> {
    [
        sessions_of_people(),
        settings(),
        own_projects(),
        own_keywords(),
        what_comes_of_it(),
        content_planning(),
        what_people_search_for(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn sessions_of_people() -> Vec<Endpoint> {
    vec![
        line(
            Verb::Get,
            "/api/welcome",
            visitor!(welcome::read),
            "getWelcome",
            "Whether the first account is still to be created",
        ),
        line(
            Verb::Post,
            "/api/welcome",
            visitor!(welcome::welcome),
            "welcomeOwner",
            "Create the first account and sign in",
        ),
        line(
            Verb::Post,
            "/api/session",
            visitor!(sign_in::sign_in),
            "signIn",
            "Sign in",
        ),
        line(
            Verb::Get,
            "/api/session",
            member!(signed_in::read),
            "getSession",
            "Who is signed in, limits, CSRF token",
        ),
        Endpoint {
            parameters: sign_out::SignOut::parameters,
            ..line(
                Verb::Delete,
                "/api/session",
                member!(sign_out::sign_out),
                "signOut",
                "Sign out",
            )
        },
        line(
            Verb::Post,
            "/api/session/reauthenticate",
            member!(reauthenticate::reauthenticate),
            "reauthenticate",
            "Give the password again",
        ),
        line(
            Verb::Get,
            "/api/settings/sessions",
            member!(sessions::read),
            "listSessions",
            "Where one is signed in",
        ),
        Endpoint {
            parameters: sessions::EndSessions::parameters,
            ..line(
                Verb::Delete,
                "/api/settings/sessions",
                member!(sessions::end_others),
                "endOtherSessions",
                "End all other sessions",
            )
        },
        line(
            Verb::Delete,
            "/api/settings/sessions/{id}",
            member!(sessions::end),
            "endSession",
            "End a session",
        ),
        line(
            Verb::Post,
            policy_reports::PATH,
            Access::Report(policy_reports::take),
            "reportPolicy",
            "Report what a page's policy refused",
        ),
    ]
}

fn settings() -> Vec<Endpoint> {
    let tagged = |it| Endpoint {
        is_conditional: true,
        ..it
    };
    vec![
        line(
            Verb::Get,
            "/api/settings/api-tokens",
            member!(api_tokens::read),
            "listTokens",
            "List API tokens",
        ),
        line(
            Verb::Post,
            "/api/settings/api-tokens",
            member!(api_tokens::create),
            "createToken",
            "Create an API token",
        ),
        line(
            Verb::Delete,
            "/api/settings/api-tokens/{id}",
            member!(api_tokens::revoke),
            "revokeToken",
            "Revoke an API token",
        ),
        tagged(line(
            Verb::Get,
            "/api/settings/report-defaults",
            member!(report_defaults::read),
            "getReportDefaults",
            "What reports inherit",
        )),
        line(
            Verb::Put,
            "/api/settings/report-defaults",
            member!(report_defaults::set),
            "setReportDefaults",
            "Set what reports inherit",
        ),
        tagged(line(
            Verb::Get,
            "/api/settings/account",
            member!(account::read),
            "getAccount",
            "Account and person",
        )),
        line(
            Verb::Patch,
            "/api/settings/account",
            member!(account::change),
            "updateAccount",
            "Change names or e-mail address",
        ),
        line(
            Verb::Post,
            "/api/settings/password",
            member!(password::change),
            "changePassword",
            "Change the password",
        ),
        Endpoint {
            parameters: audit_log::ReadAuditLog::parameters,
            ..line(
                Verb::Get,
                "/api/settings/audit-log",
                member!(audit_log::read),
                "getAuditLog",
                "What was done by whom",
            )
        },
        tagged(line(
            Verb::Get,
            "/api/settings/models",
            session!(agent_models::list),
            "sessionListModels",
            "How AI engines are asked",
        )),
        line(
            Verb::Put,
            "/api/settings/models",
            session!(models::set),
            "setModels",
            "Set how AI engines are asked",
        ),
    ]
}

/// With the agents' handlers where there are any.
fn own_projects() -> Vec<Endpoint> {
    let tagged = |it| Endpoint {
        is_conditional: true,
        ..it
    };
    let reading = |parameters, it| Endpoint { parameters, ..it };
    vec![
        reading(
            projects::ListProjects::parameters,
            tagged(line(
                Verb::Get,
                "/api/projects",
                session!(projects::list),
                "sessionListProjects",
                "List projects",
            )),
        ),
        line(
            Verb::Post,
            "/api/projects",
            session!(projects::create),
            "sessionCreateProject",
            "Create a project",
        ),
        reading(
            project,
            tagged(line(
                Verb::Get,
                "/api/projects/{id}",
                session!(projects::read),
                "sessionGetProject",
                "Read a project",
            )),
        ),
        tagged(line(
            Verb::Patch,
            "/api/projects/{id}",
            session!(projects::change),
            "sessionUpdateProject",
            "Change a project",
        )),
        tagged(line(
            Verb::Delete,
            "/api/projects/{id}",
            session!(projects::deactivate),
            "sessionDeactivateProject",
            "Deactivate a project",
        )),
        line(
            Verb::Post,
            "/api/projects/{id}/reactivate",
            session!(reactivate::project),
            "reactivateProject",
            "Bring a project back",
        ),
    ]
}

fn own_keywords() -> Vec<Endpoint> {
    let tagged = |it| Endpoint {
        is_conditional: true,
        ..it
    };
    let reading = |parameters, it| Endpoint { parameters, ..it };
    vec![
        reading(
            keywords::ListKeywords::parameters,
            tagged(line(
                Verb::Get,
                "/api/projects/{id}/keywords",
                session!(keywords::list),
                "sessionListKeywords",
                "List a project's keywords",
            )),
        ),
        line(
            Verb::Post,
            "/api/projects/{id}/keywords",
            session!(keywords::add),
            "sessionAddKeywords",
            "Add keywords",
        ),
        line(
            Verb::Post,
            "/api/projects/{id}/keywords/bulk",
            session!(bulk_keywords::save),
            "saveKeywords",
            "Save researched keywords",
        ),
        reading(
            keyword_status::ReadKeywordStatus::parameters,
            tagged(line(
                Verb::Get,
                "/api/projects/{id}/keyword-status",
                session!(keyword_status::read),
                "getKeywordStatus",
                "A month of the keywords",
            )),
        ),
        reading(
            top_results::ReadTopResults::parameters,
            line(
                Verb::Get,
                "/api/projects/{id}/top-results",
                session!(top_results::read),
                "getTopResults",
                "Which pages are found first",
            ),
        ),
        tagged(line(
            Verb::Patch,
            "/api/keywords/{id}",
            session!(keywords::change),
            "sessionUpdateKeyword",
            "Change a keyword",
        )),
        tagged(line(
            Verb::Delete,
            "/api/keywords/{id}",
            session!(keywords::deactivate),
            "sessionDeactivateKeyword",
            "Deactivate a keyword",
        )),
        line(
            Verb::Post,
            "/api/keywords/{id}/reactivate",
            session!(reactivate::keyword),
            "reactivateKeyword",
            "Bring a keyword back",
        ),
    ]
}

/// Results, analyses and Search Console.
fn what_comes_of_it() -> Vec<Endpoint> {
    let tagged = |it| Endpoint {
        is_conditional: true,
        ..it
    };
    let reading = |parameters, it| Endpoint { parameters, ..it };
    vec![
        reading(
            results_of_a_project,
            tagged(line(
                Verb::Get,
                "/api/projects/{id}/results",
                session!(results::read),
                "sessionGetResults",
                "Read results",
            )),
        ),
        reading(
            agent_analyses::ListAnalyses::parameters,
            line(
                Verb::Get,
                "/api/analyses",
                session!(agent_analyses::list),
                "sessionListAnalyses",
                "Follow analyses",
            ),
        ),
        line(
            Verb::Post,
            "/api/analyses",
            session!(agent_analyses::start),
            "sessionStartAnalysis",
            "Start an analysis",
        ),
        line(
            Verb::Delete,
            "/api/analyses/{id}",
            session!(analyses::cancel),
            "cancelAnalysis",
            "Cancel an analysis",
        ),
        line(
            Verb::Get,
            "/api/projects/{id}/search-console",
            session!(search_console::read),
            "getSearchConsole",
            "What was imported of Search Console",
        ),
        line(
            Verb::Post,
            "/api/projects/{id}/search-console",
            session!(search_console::import),
            "importSearchConsole",
            "Import an export or rows of Search Console",
        ),
        reading(
            console_rows::ReadConsoleRows::parameters,
            tagged(line(
                Verb::Get,
                "/api/projects/{id}/search-console/rows",
                session!(console_rows::read),
                "getSearchConsoleRows",
                "What was searched for and shown",
            )),
        ),
    ]
}

fn content_planning() -> Vec<Endpoint> {
    let tagged = |it| Endpoint {
        is_conditional: true,
        ..it
    };
    vec![
        Endpoint {
            parameters: pages_of_plans,
            ..tagged(line(
                Verb::Get,
                "/api/projects/{id}/content-plans",
                session!(content_plans::list),
                "listContentPlans",
                "List content plans",
            ))
        },
        line(
            Verb::Post,
            "/api/projects/{id}/content-plans",
            session!(content_plans::add),
            "addContentPlan",
            "Save a content plan",
        ),
        tagged(line(
            Verb::Get,
            "/api/projects/{id}/content-plans/{planId}",
            session!(content_plans::read),
            "getContentPlan",
            "Read a content plan",
        )),
        tagged(line(
            Verb::Patch,
            "/api/projects/{id}/content-plans/{planId}",
            session!(content_plans::change),
            "updateContentPlan",
            "Change a content plan",
        )),
        tagged(line(
            Verb::Delete,
            "/api/projects/{id}/content-plans/{planId}",
            session!(content_plans::remove),
            "removeContentPlan",
            "Remove a content plan",
        )),
    ]
}

/// Keyword research.
fn what_people_search_for() -> Vec<Endpoint> {
    let reading = |parameters, it| Endpoint { parameters, ..it };
    vec![
        line(
            Verb::Get,
            "/api/keyword-research",
            member!(keyword_research::read),
            "getKeywordResearch",
            "How much of the month's research is used",
        ),
        line(
            Verb::Post,
            "/api/keyword-research",
            member!(keyword_research::research),
            "researchKeyword",
            "Research a keyword",
        ),
        reading(
            pages_of_searches,
            line(
                Verb::Get,
                "/api/keyword-research/history",
                member!(keyword_research::history),
                "listSearches",
                "List one's own searches",
            ),
        ),
        reading(
            keyword_research::ReopenSearch::parameters,
            line(
                Verb::Get,
                "/api/keyword-research/history/{id}",
                member!(keyword_research::reopen),
                "reopenSearch",
                "Open a search again",
            ),
        ),
        line(
            Verb::Delete,
            "/api/keyword-research/history/{id}",
            member!(keyword_research::forget),
            "forgetSearch",
            "Forget a search",
        ),
    ]
}
