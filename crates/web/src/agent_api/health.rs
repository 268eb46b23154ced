//! GET /health: token status and permissions.

use crate::endpoint::Call;
use crate::limits::{Rate, RequestLimits};
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::route_table::ROWS;
use crate::services::{Services, SpeedLabel};
use crate::{http::json_guard, paging, paths, refusals};
use analysis::provenance::Provenance;
use domain::keyword::{KeywordText, NewKeywords};
use domain::ports::ai_answers::{AiEngines, EngineLabel};
use domain::ports::storage::StorageError;
use domain::ports::{ai_answers, page_speed, search_results};
use domain::scope::Scope;
use domain::stored_data::StorageQuota;
use domain::use_cases::accounts::AccountState;
use serde_json::{Value, json};
use std::sync::Arc;

pub async fn check(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let state = services.core.account_state(call.account()).await?;
    let state = state.ok_or_else(|| {
        refusals::storage_failure(&StorageError::Corrupt {
            subject: "the account of a token",
        })
    })?;
    let account = call.tenant();
    let refusals = services
        .supplier_refusals
        .refusals(services.core.storage.as_ref())
        .await;
    let refusals = refusals.map_err(|error| refusals::storage_failure(&error))?;
    Ok(ApiResponse::value(&json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "serverTime": services.core.clock.now(),
        "account": { "id": account.id.0, "name": account.name.as_str() },
        "token": call.caller.token().map(|token| json!({
            "id": token.id.0,
            "name": token.name.as_str(),
            "scopes": token.scopes.iter().map(Scope::name).collect::<Vec<_>>(),
            "expiresAt": token.ends_at(),
        })),
        "capabilities": capabilities(&call),
        "limits": limits(&services, &state),
        "quotas": quotas(&state),
        "providers": providers(&services, &refusals),
    })))
}

fn capabilities(call: &Call) -> Vec<Value> {
    let granted = |scope: Option<Scope>| {
        scope.is_none_or(|scope| {
            call.caller
                .token()
                .is_some_and(|it| it.scopes.contains(scope))
        })
    };
    let of_agents = ROWS
        .iter()
        .filter(|it| it.path.starts_with(paths::AGENT_API));
    let listed = of_agents.map(|row| {
        json!({
            "name": row.operation,
            "method": row.verb.name(),
            "path": row.path,
            "scope": row.scope.map(Scope::name),
            "granted": granted(row.scope),
        })
    });
    listed.collect()
}

pub(crate) fn limits(services: &Services, state: &AccountState) -> Value {
    let page = |limits: paging::PageLimits| json!({ "default": limits.default, "max": limits.max });
    json!({
        "bodyBytes": services.config.body.max_bytes,
        "bodyDepth": json_guard::MAX_DEPTH,
        "keywordsPerRequest": NewKeywords::MAX_PER_CALL,
        "keywordCharacters": KeywordText::MAX_CHARACTERS,
        "keywordWords": KeywordText::MAX_WORDS,
        "keywordsPerProject": state.account.limits.keywords_per_project,
        "storedRowsPerProject": state.storage_limits.project_rows,
        "unfinishedAnalyses": state.queue_limit,
        "runningAnalyses": services.core.policies.queue.running_per_account,
        "requests": requests(&services.config.limits),
        "pageSize": {
            "projects": page(super::projects::LIST_LIMITS),
            "keywords": page(super::keywords::LIST_LIMITS),
            "analyses": page(super::analyses::LIST_LIMITS),
            "results": page(super::results::LIST_LIMITS),
        },
    })
}

/// Of one server process; several processes grant more in total.
fn requests(limits: &RequestLimits) -> Value {
    let rate = |rate: Rate| json!({ "perMinute": rate.per_minute, "burst": rate.burst });
    json!({
        "reads": rate(limits.reads),
        "writes": rate(limits.writes),
        "analyses": rate(limits.analyses),
        "account": rate(limits.account),
        "inFlightPerToken": limits.in_flight_per_token,
        "inFlightPerAccount": limits.in_flight_per_account,
    })
}

pub(crate) fn quotas(state: &AccountState) -> Vec<Value> {
    let account = &state.account;
    let allowances = [
        account.project_allowance(),
        account.keyword_allowance(),
        account.ai_allowance(),
    ];
    let mut quotas: Vec<Value> = { allowances.iter() }
        .chain(&state.stored_allowances())
        .map(|it| json!({ "name": it.name.name(), "limit": it.limit, "used": it.used }))
        .collect();
    quotas.push(json!({ "name": "unfinishedAnalyses", "limit": state.queue_limit, "used": state.queue.queued + state.queue.running }));
    quotas.push(json!({
        "name": StorageQuota::AccountBytes.name(),
        "limit": state.storage_limits.account_bytes,
        "used": state.stored.bytes(),
    }));
    quotas.push(json!({
        "name": "monthlyBudget",
        "limit": account.limits.monthly_budget.map(|budget| budget.to_string()),
        "used": state.spending.spent.to_string(),
        "reserved": state.spending.reserved.to_string(),
        "currency": "USD",
        "since": state.month,
    }));
    quotas.push(json!({
        "name": "dailyBudget",
        "limit": account.limits.daily_budget.map(|budget| budget.to_string()),
        "used": state.today.spent.to_string(),
        "reserved": state.today.reserved.to_string(),
        "currency": "USD",
        "since": state.day,
    }));
    quotas
}

/// `refusals`: operation and message of each supplier that refuses the operator's account.
fn providers(services: &Services, refusals: &[(String, String)]) -> Vec<Value> {
    let needs = [
        (search_results::OPERATION, search_results(services)),
        (
            "",
            json!({ "need": "siteReader", "label": "crawler", "state": "ready" }),
        ),
        (
            ai_answers::OPERATION,
            answers(&services.core.policies.engines),
        ),
        (page_speed::OPERATION, vitals(&services.config.speed)),
    ];
    let described = needs.into_iter().map(|(operation, mut need)| {
        for (_, refusal) in refusals.iter().filter(|it| it.0 == operation) {
            need["state"] = json!("failing");
            match need["missing"].as_array_mut() {
                Some(missing) => missing.push(json!(refusal)),
                None => need["missing"] = json!([refusal]),
            }
        }
        need
    });
    described.collect()
}

/// `failing` while paid calls are disabled, since every rank check would be refused; `missing` has the operator's
/// hint.
fn search_results(services: &Services) -> Value {
    let (search, unpaid) = (
        &services.config.search,
        services.core.policies.prices.paid_call_refusal,
    );
    let state = match (search.provenance, unpaid) {
        (_, Some(_)) => "failing",
        (Provenance::Simulated, None) => "sandbox",
        (_, None) => "ready",
    };
    let missing: Vec<&str> = unpaid.iter().map(|it| it.hint()).collect();
    json!({ "need": "searchResults", "label": search.name, "state": state, "missing": missing })
}

/// The configured engines; without any, those of the sandbox.
fn answers(engines: &AiEngines) -> Value {
    let labels: Vec<EngineLabel> = engines.all().map(|it| it.label()).collect();
    let is_simulated = |it: &EngineLabel| it.provenance.is_simulated();
    let names: Vec<&str> = labels.iter().map(|it| it.name.as_str()).collect();
    json!({
        "need": "aiAnswers",
        "label": (!names.is_empty()).then(|| names.join(", ")),
        "state": if names.is_empty() {
            "notConfigured"
        } else if labels.iter().all(is_simulated) {
            "sandbox"
        } else {
            "ready"
        },
    })
}

/// `ready` with at least one source of field or lab data; `missing` lists the sources that are not configured. Without
/// any, an analysis only reads files.
fn vitals(speed: &SpeedLabel) -> Value {
    let is_ready = !speed.names.is_empty();
    let missing: Vec<String> = speed.missing.iter().map(ToString::to_string).collect();
    json!({
        "need": "vitals",
        "label": is_ready.then(|| speed.names.join(", ")),
        "state": if is_ready { "ready" } else { "notConfigured" },
        "missing": missing,
    })
}
