//! /api/keyword-research: search volume and related keywords.

use super::sign_in::no_store;
use crate::contract::fields::{Fields, read_body};
use crate::contract::{body, query, values};
use crate::endpoint::MemberCall;
use crate::links::{Link, Operation};
use crate::paging::{PageLimits, Paging, finish_query};
use crate::problem::{Code, FieldError, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use crate::{refusals, request_metrics};
use analysis::findings::keyword_research::report;
use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, SearchId};
use domain::keyword::KeywordText;
use domain::keyword_research::{ResearchQuota, ResearchSubject, SearchSummary};
use domain::market::{Country, Language};
use domain::market_names::UnknownName;
use domain::page::Direction;
use domain::ports::research::SearchSort;
use domain::ports::storage::StorageError;
use domain::use_cases::research::keyword::ResearchKeywordError;
use domain::use_cases::research::{ReopenSearchError, Research, ResearchRequest};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 50,
    max: 200,
};

const SORTS: [(&str, SearchSort); 1] = [("searchedAt", SearchSort::SearchedAt)];

/// Cursors of searches are bound to this.
const HISTORY: &str = "/api/keyword-research/history";

body! {
    ResearchKeyword {
        keyword: KeywordText = required "keyword";
        country: CountryName = required "location";
        language: LanguageName = required "language";
        project: ProjectId = nullable "projectId";
    }
}

query! {
    pub(crate) ReopenSearch {
        project: ProjectId = optional "projectId", "Marks the ideas that this project tracks already.";
    }
}

/// The monthly research quota.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let account = call.member.account.id;
    let quota = services.core.research_quota(account).await?;
    let quota = quota.ok_or_else(|| {
        refusals::storage_failure(&StorageError::Corrupt {
            subject: "the account of a session",
        })
    })?;
    Ok(no_store(ApiResponse::value(&Value::Object(quota_view(
        &quota,
    )))))
}

/// From the cache, otherwise from the supplier.
pub async fn research(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let (subject, project) = read_body(&call.body, read_request)?;
    let request = ResearchRequest {
        account: call.member.account.id,
        user: call.member.user.id,
        subject,
        project,
    };
    // Finishes even if the client disconnects: the reserved unit must be booked or released, and paid results stored.
    let searching = tokio::spawn({
        let services = Arc::clone(&services);
        async move { services.research_keyword.run(&request).await }
    });
    let lost = |_| Problem::new(Code::InternalError, "A search got lost on its way.");
    let now = services.core.clock.now();
    let refused = |error| refused(error, now);
    let research = searching.await.map_err(lost)?.map_err(refused)?;
    Ok(no_store(ApiResponse::value(&view(&research))))
}

/// The user's own searches, newest first.
pub async fn history(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let (account, user) = (call.member.account.id, call.member.user.id);
    let bound_to = format!("{HISTORY} {user}");
    let paging = Paging {
        query: &call.query,
        account,
        bound_to: &bound_to,
        limits: LIST_LIMITS,
        sorts: &SORTS,
        default_direction: Direction::Descending,
    };
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let request = finish_query(paging.request(key, now), &call.query)?;
    let page = services.core.searches(account, user, &request).await?;
    let items: Vec<Value> = page.items.iter().map(history_item).collect();
    Ok(no_store(ApiResponse::value(&json!({
        "items": items,
        "nextCursor": paging.next_cursor(&page, key, now),
        "limit": request.limit,
    }))))
}

/// As shown before, without a supplier call or quota.
pub async fn reopen(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let project = ReopenSearch(&call.query).project();
    call.query.finish()?;
    let (account, user) = (call.member.account.id, call.member.user.id);
    let search = SearchId(call.id.unwrap_or_default());
    let research = services
        .core
        .reopen_search(account, user, search, project)
        .await
        .map_err(|error| match error {
            ReopenSearchError::NoSuchSearch => no_search(),
            ReopenSearchError::NoSuchProject => refusals::no_project(),
            ReopenSearchError::Storage(error) => error.into(),
        })?;
    Ok(no_store(ApiResponse::value(&view(&research))))
}

pub async fn forget(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let (account, user) = (call.member.account.id, call.member.user.id);
    let search = SearchId(call.id.unwrap_or_default());
    if !services.core.forget_search(account, user, search).await? {
        return Err(no_search());
    }
    Ok(no_store(ApiResponse::value(&json!({ "forgotten": 1 }))))
}

fn read_request(body: &ResearchKeyword) -> Option<(ResearchSubject, Option<ProjectId>)> {
    let (keyword, country, language) = (body.keyword(), body.country(), body.language());
    let project = body.project().value();
    let subject = ResearchSubject {
        keyword: keyword?,
        country: country?,
        language: language?,
    };
    Some((subject, project))
}

struct CountryName;

struct LanguageName;

values! {
    CountryName => Country: |fields, at, value| named(fields, at, value, Country::named), json!({ "type": "string", "description": "The name of a country." });
    LanguageName => Language: |fields, at, value| named(fields, at, value, Language::named), json!({ "type": "string", "description": "The name of a language." });
}

/// An unknown name is an error with the closest names.
fn named<T>(
    fields: &Fields,
    pointer: &str,
    value: &Value,
    find: impl Fn(&str) -> Result<T, UnknownName>,
) -> Option<T> {
    let text = fields.text(pointer, value)?;
    if text.trim().is_empty() {
        fields.note(FieldError::in_body(
            pointer,
            "required",
            "must not be empty",
        ));
        return None;
    }
    match find(text) {
        Ok(found) => Some(found),
        Err(unknown) => {
            let mut error = FieldError::in_body(pointer, "unknown-name", unknown.to_string())
                .with("nearest", unknown.nearest.clone());
            if let Some(meant) = unknown.nearest.first() {
                error = error.with("didYouMean", meant.as_str());
            }
            fields.note(error);
            None
        }
    }
}

fn quota_view(quota: &ResearchQuota) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("usage".into(), quota.usage().into());
    members.insert("limit".into(), quota.limit.into());
    members.insert("available".into(), quota.is_available().into());
    members.insert("resetsAt".into(), json!(quota.resets_at()));
    members
}

fn subject_view(subject: &ResearchSubject) -> Map<String, Value> {
    let (country, language) = (subject.country, subject.language);
    let mut members = Map::new();
    members.insert("keyword".into(), subject.keyword.as_str().into());
    members.insert("normalized".into(), subject.keyword.normalized().into());
    members.insert(
        "location".into(),
        json!({ "name": country.name(), "code": country.to_string() }),
    );
    members.insert(
        "language".into(),
        json!({ "name": language.name(), "code": language.to_string() }),
    );
    members
}

fn view(research: &Research) -> Value {
    let (subject, kept) = (&research.subject, &research.kept);
    let language = subject.language.to_string();
    let found = report(subject.keyword.as_str(), &language, &kept.found);
    let mut members = Map::new();
    members.insert("id".into(), research.search.0.into());
    members.extend(subject_view(subject));
    members.insert("searchedAt".into(), json!(research.searched_at));
    members.insert("cached".into(), research.is_cached.into());
    members.insert("cachedAt".into(), json!(kept.bought_at));
    members.insert("expiresAt".into(), json!(kept.expires_at));
    members.extend(quota_view(&research.quota));
    if let Value::Object(found) = json!(found) {
        members.extend(found);
    }
    let tracked = research.tracked.as_ref();
    let ideas = members.get_mut("ideas").and_then(Value::as_array_mut);
    for idea in ideas.into_iter().flatten() {
        let in_project = idea["keyword"]
            .as_str()
            .and_then(|keyword| Some(tracked?.holds(keyword)));
        idea["inProject"] = json!(in_project);
    }
    Value::Object(members)
}

fn history_item(search: &SearchSummary) -> Value {
    let mut members = Map::new();
    members.insert("id".into(), search.id.0.into());
    members.extend(subject_view(&search.subject));
    members.insert("searchVolume".into(), json!(search.search_volume));
    members.insert("ideas".into(), search.ideas.into());
    members.insert("provider".into(), search.provider.as_str().into());
    members.insert("provenance".into(), search.provenance.name().into());
    members.insert("searchedAt".into(), json!(search.searched_at));
    members.insert("cachedAt".into(), json!(search.bought_at));
    members.insert("expiresAt".into(), json!(search.expires_at));
    Value::Object(members)
}

fn no_search() -> Problem {
    let problem = Problem::new(Code::NotFound, "You have no search with this id.");
    problem
        .hint("List your searches.")
        .next_action(Link::to(Operation::ListSearches), "Your searches")
}

fn refused(error: ResearchKeywordError, now: DateTime<Utc>) -> Problem {
    match error {
        ResearchKeywordError::NoSuchProject => refusals::no_project(),
        ResearchKeywordError::QuotaExceeded(quota) => quota_exceeded(&quota, now),
        ResearchKeywordError::PaidCallRefused(unpaid) => {
            let detail = format!("Keywords are not researched: {unpaid}.");
            Problem::new(Code::FeatureDisabled, detail).hint(unpaid.hint())
        }
        ResearchKeywordError::OverBudget(over) => refusals::over_budget(&over, "Research later"),
        ResearchKeywordError::Supplier { code } => supplier_unavailable(&code),
        ResearchKeywordError::UnderWay => Problem::new(
            Code::SupplierUnavailable,
            "The keyword is being researched, and the supplier takes its time.",
        )
        .with("reason", "searchUnderWay")
        .hint("Send the request again after the time in Retry-After; nothing was used up.")
        .retry_after(Duration::from_secs(5)),
        ResearchKeywordError::Storage(error) => error.into(),
    }
}

fn quota_exceeded(quota: &ResearchQuota, now: DateTime<Utc>) -> Problem {
    request_metrics::count_quota_rejection(request_metrics::KEYWORD_RESEARCH);
    let detail = format!(
        "{} of {} searches of this month are used.",
        quota.usage(),
        quota.limit
    );
    let quota_json = json!({
        "name": "keywordResearch",
        "used": quota.usage(),
        "limit": quota.limit,
        "resetsAt": quota.resets_at(),
    });
    Problem::new(Code::QuotaExceeded, detail)
        .with("quota", quota_json)
        .with("resetsAt", json!(quota.resets_at()))
        .retry_after((quota.resets_at() - now).to_std().unwrap_or_default())
        .hint("Wait for the next month (UTC), or ask the operator for a higher limit. Keywords that your account researched within 30 days still answer.")
}

/// No quota was used.
fn supplier_unavailable(code: &str) -> Problem {
    let problem = Problem::new(
        Code::SupplierUnavailable,
        "The supplier of keyword data did not answer; nothing was used up.",
    );
    let problem = problem.with("reason", code);
    let lasting = [
        "supplierUnauthorised",
        "supplierOutOfFunds",
        "supplierRefused",
    ];
    if lasting.contains(&code) {
        problem.hint("Ask the operator: the supplier's account or the question is the cause, and the same question fails again.")
    } else {
        problem
            .hint("Send the request again after the time in Retry-After.")
            .retry_after(Duration::from_secs(10))
    }
}
