//! The session API's part of the route table, documented in `docs/reference/session-endpoints.md`.

use crate::agent_api::{
    analyses as agent_analyses, keywords, models as agent_models, projects,
    results as agent_results,
};
use crate::contract::Parameter;
use crate::csp_reports;
use crate::endpoint::{Access, Call, Endpoint, MailCall, MemberCall, VisitorCall};
use crate::endpoints::{endpoints, handled, project_parameters};
use crate::paging::page_parameters;
use crate::session_api::{
    account, accounts, analyses, api_tokens, assignments, audit_log, bulk_keywords, console_rows,
    content_plans, current_session, events, invitation, keyword_research, keyword_status, mail,
    members, models, operator, password, person_links, reactivate, reauthenticate, report_defaults,
    results, search_console, sessions, sign_in, sign_out, top_results, welcome,
};
use domain::mail::StopLink;
use domain::rights::Right;

macro_rules! visitor {
    ($handler:path) => {
        Access::Visitor(handled!(VisitorCall, $handler))
    };
}
macro_rules! mail_program {
    ($handler:path) => {
        Access::Mail(handled!(MailCall, $handler))
    };
}
macro_rules! member {
    ($right:ident, $handler:path) => {
        Access::Member(Right::$right, handled!(MemberCall, $handler))
    };
}
macro_rules! operator {
    ($handler:path) => {
        Access::Operator(handled!(MemberCall, $handler))
    };
}
macro_rules! session {
    ($right:ident, $handler:path) => {
        Access::Session(Right::$right, handled!(Call, $handler))
    };
}
macro_rules! report {
    ($handler:path) => {
        Access::Report($handler)
    };
}

fn content_plan_parameters() -> Vec<Parameter> {
    page_parameters(content_plans::LIST_LIMITS).into()
}

fn search_parameters() -> Vec<Parameter> {
    page_parameters(keyword_research::LIST_LIMITS).into()
}

/// The project is in the path.
fn project_result_parameters() -> Vec<Parameter> {
    let mut all = agent_results::ReadResults::parameters();
    all.retain(|it| it.name != "projectId");
    all
}

pub fn session_api() -> Vec<Endpoint> {
    endpoints![
        // Sessions.
        Get "/api/welcome", visitor(welcome::read) "getWelcome" "Whether the first account is still to be created";
        Post "/api/welcome", visitor(welcome::welcome) "welcomeOwner" "Create the first account and sign in";
        Post "/api/session", visitor(sign_in::sign_in) "signIn" "Sign in";
        Get "/api/session", member(OwnLogin, current_session::read) "getSession" "Who is signed in, limits, CSRF token";
        Delete "/api/session", member(OwnLogin, sign_out::sign_out) "signOut" "Sign out", parameters: sign_out::SignOut::parameters;
        Post "/api/session/reauthenticate", member(OwnLogin, reauthenticate::reauthenticate) "reauthenticate" "Give the password again";
        Get "/api/settings/sessions", member(OwnLogin, sessions::read) "listSessions" "Where one is signed in";
        Delete "/api/settings/sessions", member(OwnLogin, sessions::end_others) "endOtherSessions" "End all other sessions", parameters: sessions::EndSessions::parameters;
        Delete "/api/settings/sessions/{id}", member(OwnLogin, sessions::end) "endSession" "End a session";
        Post csp_reports::PATH, report(csp_reports::accept_reports) "reportPolicy" "Report what a page's policy refused";
        Get "/api/session/accounts", member(OwnLogin, accounts::read) "listAccounts" "The accounts of the person";
        Post "/api/session/account", member(OwnLogin, accounts::enter) "enterAccount" "Switch to another account";
        // Invitations: for the holder of a link.
        Post "/api/invitation", visitor(invitation::preview) "previewInvitation" "What an invitation's link offers";
        Post "/api/invitation/accept", visitor(invitation::accept) "acceptInvitation" "Accept an invitation and sign in";
        Post "/api/session/invitation", member(OwnLogin, invitation::join) "joinAccount" "Accept an invitation, signed in";
        // By the links of messages.
        Post "/api/password-reset", visitor(person_links::request_reset) "requestPasswordReset" "Request a link to set a new password";
        Post "/api/password-reset/complete", visitor(person_links::reset) "resetPassword" "Set a new password by a link";
        Post "/api/address/confirm", visitor(person_links::confirm_address) "confirmAddress" "Confirm a new e-mail address by its link";
        Post "/api/address/cancel", visitor(person_links::cancel_address) "cancelAddress" "Keep or restore the e-mail address before";
        Post "/api/not-me", visitor(person_links::disown_sign_in) "disownSignIn" "End all sessions after a stranger's sign-in";
        Get StopLink::API, visitor(mail::show_stop) "showUnsubscribe" "Leads to the page that stops messages", parameters: mail::StopMail::parameters;
        Post StopLink::API, mail_program(mail::stop) "unsubscribe" "Stop messages of a kind", parameters: mail::StopMail::parameters;
        // Mail.
        Get "/api/settings/mail", member(AuditRead, mail::read) "listMail" "Messages, and addresses that get none", parameters: mail::ReadMail::parameters;
        Post "/api/settings/mail/{id}/copies", member(AccountWrite, mail::send_again) "sendMailAgain" "Send a message again";
        Delete "/api/settings/suppressions", member(AccountWrite, mail::lift) "liftSuppression" "Send messages to an address again", parameters: mail::LiftSuppression::parameters;
        // Members.
        Get "/api/settings/members", member(AccountRead, members::read) "listMembers" "Members and open invitations";
        Patch "/api/settings/members/{id}", member(MembersManage, members::change) "updateMember" "Change a member's role or projects";
        Delete "/api/settings/members/{id}", member(MembersManage, members::remove) "removeMember" "Remove a member", parameters: members::RemoveMember::parameters;
        Delete "/api/settings/membership", member(OwnLogin, members::leave) "leaveAccount" "Leave the account";
        Post "/api/settings/invitations", member(MembersManage, members::invite) "inviteMember" "Invite a person";
        Post "/api/settings/invitations/{id}/link", member(MembersManage, members::renew) "renewInvitation" "Make a new link for an invitation";
        Delete "/api/settings/invitations/{id}", member(MembersManage, members::revoke) "revokeInvitation" "Revoke an invitation";
        // For operators.
        Get "/api/operator/status", operator(operator::status) "getServerStatus" "Sources, queue, mail and backup of the server";
        Get "/api/operator/accounts", operator(operator::accounts) "listAllAccounts" "Accounts of the server";
        Patch "/api/operator/accounts/{id}", operator(operator::change) "updateAccountStatus" "Disable or enable an account";
        // Settings.
        Get "/api/settings/api-tokens", member(TokensManage, api_tokens::read) "listTokens" "List API tokens";
        Post "/api/settings/api-tokens", member(TokensManage, api_tokens::create) "createToken" "Create an API token";
        Delete "/api/settings/api-tokens/{id}", member(TokensRevoke, api_tokens::revoke) "revokeToken" "Revoke an API token";
        Get "/api/settings/report-defaults", member(AccountRead, report_defaults::read) "getReportDefaults" "What reports inherit", is_conditional: true;
        Put "/api/settings/report-defaults", member(AccountWrite, report_defaults::set) "setReportDefaults" "Set what reports inherit";
        Get "/api/settings/account", member(OwnLogin, account::read) "getAccount" "Account and person", is_conditional: true;
        Patch "/api/settings/account", member(OwnLogin, account::change) "updateAccount" "Change names or e-mail address";
        Post "/api/settings/password", member(OwnLogin, password::change) "changePassword" "Change the password";
        Get "/api/settings/audit-log", member(AuditRead, audit_log::read) "getAuditLog" "Actions and their actors", parameters: audit_log::ReadAuditLog::parameters;
        Put "/api/settings/audit-log", member(AccountWrite, audit_log::set) "setAuditLog" "Set how long the audit log is stored";
        Get "/api/settings/models", session(AccountRead, agent_models::list) "sessionListModels" "How AI engines are queried", is_conditional: true;
        Put "/api/settings/models", session(AccountWrite, models::set) "setModels" "Set how AI engines are queried";
        // Events.
        Get "/api/events", member(ResultsRead, events::read) "listEvents" "What happened", parameters: events::ReadEvents::parameters;
        // Projects.
        Get "/api/projects", session(ResultsRead, projects::list) "sessionListProjects" "List projects", parameters: projects::ListProjects::parameters, is_conditional: true;
        Post "/api/projects", session(ProjectsWrite, projects::create) "sessionCreateProject" "Create a project";
        Get "/api/projects/{id}", session(ResultsRead, projects::read) "sessionGetProject" "Read a project", parameters: project_parameters, is_conditional: true;
        Patch "/api/projects/{id}", session(ProjectsWrite, projects::change) "sessionUpdateProject" "Change a project", is_conditional: true;
        Delete "/api/projects/{id}", session(ProjectsWrite, projects::deactivate) "sessionDeactivateProject" "Deactivate a project", is_conditional: true;
        Post "/api/projects/{id}/reactivate", session(ProjectsWrite, reactivate::project) "reactivateProject" "Bring a project back";
        // Keywords.
        Get "/api/projects/{id}/keywords", session(ResultsRead, keywords::list) "sessionListKeywords" "List a project's keywords", parameters: keywords::ListKeywords::parameters, is_conditional: true;
        Post "/api/projects/{id}/keywords", session(KeywordsWrite, keywords::add) "sessionAddKeywords" "Add keywords";
        Post "/api/projects/{id}/keywords/bulk", session(KeywordsWrite, bulk_keywords::save) "saveKeywords" "Save researched keywords";
        Get "/api/projects/{id}/keyword-status", session(ResultsRead, keyword_status::read) "getKeywordStatus" "A month of the keywords", parameters: keyword_status::ReadKeywordStatus::parameters, is_conditional: true;
        Get "/api/projects/{id}/top-results", session(ResultsRead, top_results::read) "getTopResults" "Which pages are found first", parameters: top_results::ReadTopResults::parameters;
        Patch "/api/keywords/{id}", session(KeywordsWrite, keywords::change) "sessionUpdateKeyword" "Change a keyword", is_conditional: true;
        Delete "/api/keywords/{id}", session(KeywordsWrite, keywords::deactivate) "sessionDeactivateKeyword" "Deactivate a keyword", is_conditional: true;
        Post "/api/keywords/{id}/reactivate", session(KeywordsWrite, reactivate::keyword) "reactivateKeyword" "Bring a keyword back";
        // Results, analyses and Search Console.
        Get "/api/projects/{id}/results", session(ResultsRead, results::read) "sessionGetResults" "Read results", parameters: project_result_parameters, is_conditional: true;
        Get "/api/analyses", session(DetailsRead, agent_analyses::list) "sessionListAnalyses" "Follow analyses", parameters: agent_analyses::ListAnalyses::parameters;
        Post "/api/analyses", session(AnalysisRun, agent_analyses::start) "sessionStartAnalysis" "Start an analysis";
        Delete "/api/analyses/{id}", session(AnalysisRun, analyses::cancel) "cancelAnalysis" "Cancel an analysis";
        Get "/api/projects/{id}/search-console", session(DetailsRead, search_console::read) "getSearchConsole" "What was imported of Search Console";
        Post "/api/projects/{id}/search-console", session(PlansWrite, search_console::import) "importSearchConsole" "Import an export or rows of Search Console";
        Get "/api/projects/{id}/search-console/rows", session(DetailsRead, console_rows::read) "getSearchConsoleRows" "What was searched for and shown", parameters: console_rows::ReadConsoleRows::parameters, is_conditional: true;
        // Content plans.
        Get "/api/projects/{id}/content-plans", session(DetailsRead, content_plans::list) "listContentPlans" "List content plans", parameters: content_plan_parameters, is_conditional: true;
        Post "/api/projects/{id}/content-plans", session(PlansWrite, content_plans::add) "addContentPlan" "Save a content plan";
        Get "/api/projects/{id}/content-plans/{planId}", session(DetailsRead, content_plans::read) "getContentPlan" "Read a content plan", is_conditional: true;
        Patch "/api/projects/{id}/content-plans/{planId}", session(PlansWrite, content_plans::change) "updateContentPlan" "Change a content plan", is_conditional: true;
        Delete "/api/projects/{id}/content-plans/{planId}", session(PlansWrite, content_plans::remove) "removeContentPlan" "Remove a content plan", is_conditional: true;
        // Assignments.
        Get "/api/projects/{id}/assignments", session(DetailsRead, assignments::list) "listAssignments" "Who takes care of issues and suggestions";
        Put "/api/projects/{id}/assignments", session(PlansWrite, assignments::set) "setAssignment" "Assign an issue or suggestion to a member";
        // Keyword research.
        Get "/api/keyword-research", member(ResearchUse, keyword_research::read) "getKeywordResearch" "How much of the month's research is used";
        Post "/api/keyword-research", member(ResearchUse, keyword_research::research) "researchKeyword" "Research a keyword";
        Get "/api/keyword-research/history", member(ResearchUse, keyword_research::history) "listSearches" "List one's own searches", parameters: search_parameters;
        Get "/api/keyword-research/history/{id}", member(ResearchUse, keyword_research::reopen) "reopenSearch" "Open a search again", parameters: keyword_research::ReopenSearch::parameters;
        Delete "/api/keyword-research/history/{id}", member(ResearchUse, keyword_research::forget) "forgetSearch" "Forget a search";
    ]
}
