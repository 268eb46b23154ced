//! /api/operator: the server's state and accounts, for operators. No project or result of an account is shown.

use super::sign_in::no_store;
use super::{account_view, list};
use crate::contract::fields::read_body;
use crate::contract::{body, string_enums};
use crate::endpoint::MemberCall;
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use domain::account::{Account, AccountStatus};
use domain::audit::Author;
use domain::ids::AccountId;
use domain::money::MicroUsd;
use domain::ports::server_notes::ServerNote;
use domain::server_status::{Check, Source};
use domain::use_cases::server_status::{
    Refusal, ServerStatus, backup_check, last_backup, mail_check, queue_check,
};
use domain::user::{User, present};
use serde_json::{Value, json};
use std::sync::Arc;

string_enums!(AccountStatus);

body! {
    ChangeAccountStatus {
        status: AccountStatus = required "status";
    }
}

pub async fn status(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let status = services.core.server_status().await?;
    Ok(no_store(ApiResponse::value(&status_view(
        &services, &status,
    ))))
}

/// Oldest first.
pub async fn accounts(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let accounts = services.core.all_accounts().await?;
    let items: Vec<Value> = accounts.iter().map(view).collect();
    Ok(no_store(ApiResponse::value(&list(&items))))
}

/// Disabling refuses the account's tokens, ends its sessions and cancels its unfinished analyses.
pub async fn change(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let status = read_body(&call.body, ChangeAccountStatus::status)?;
    let id = AccountId(call.id.unwrap_or_default());
    let by = Author::operator(&call.member.user);
    let changed = services.core.switch_account(by, id, status).await?;
    let account = changed.ok_or_else(|| {
        let problem = Problem::new(Code::NotFound, "The server has no account with this id.");
        problem.hint("List the accounts.")
    })?;
    Ok(no_store(ApiResponse::value(&account_view(&account))))
}

fn status_view(services: &Services, status: &ServerStatus) -> Value {
    let (queue, mail, core) = (&status.queue, &status.mail, &services.core);
    let is_mail_on = core.sends_mail();
    let sources = services.server.sources.iter();
    let failures = status.failures.iter();
    let workers = status.workers.iter();
    json!({
        "at": status.at,
        "version": env!("CARGO_PKG_VERSION"),
        "database": services.server.database,
        "sources": sources.map(|it| source_view(it, &status.notes)).collect::<Vec<_>>(),
        "queue": {
            "check": check_view(&queue_check(queue, status.at)),
            "waiting": queue.waiting,
            "running": queue.running,
            "oldestWaitSeconds": queue.oldest_wait(status.at).num_seconds(),
            "failures": failures.map(|(code, count)| json!({ "code": code, "count": count })).collect::<Vec<_>>(),
            "hasMoreFailures": status.has_more_failures,
            "workers": workers.map(|it| json!({
                "name": it.name,
                "analyses": it.jobs,
                "leaseUntil": it.lease_until,
            })).collect::<Vec<_>>(),
        },
        "accountsAtLimit": {
            "runningAnalyses": status.queue_limits.running,
            "unfinishedAnalyses": status.queue_limits.unfinished,
            "projects": status.limits.projects,
            "keywords": status.limits.keywords,
            "aiTracked": status.limits.ai_tracked,
            "monthlyBudget": status.limits.monthly_budget,
            "dailyBudget": status.limits.daily_budget,
        },
        "mail": {
            "check": check_view(&mail_check(is_mail_on, mail)),
            "isSetUp": is_mail_on,
            "queued": mail.queued,
            "failed": mail.failed,
            "expired": mail.expired,
            "unknown": mail.unknown,
        },
        "backup": {
            "check": check_view(&backup_check(&status.notes, status.at)),
            "lastAt": last_backup(&status.notes),
        },
        "spending": {
            "spent": status.spending.spent.to_string(),
            "reserved": status.spending.reserved.to_string(),
            "limit": core.policies.prices.max_per_day.map(|it| it.to_string()),
            "currency": MicroUsd::CURRENCY,
        },
    })
}

fn check_view(check: &Check) -> Value {
    json!({ "state": check.state.name(), "message": check.message, "todo": check.todo })
}

fn source_view(source: &Source, notes: &[ServerNote]) -> Value {
    let refusals = source.refusals(notes);
    let mut check = check_view(&source.check);
    if !refusals.is_empty() {
        check["todo"] = Refusal::TODO.into();
    }
    let suppliers = source.suppliers.iter().map(|it| {
        json!({
            "name": it.name,
            "maxCost": it.max_cost.map(|cost| cost.to_string()),
            "costUnit": source.kind.unit(),
            "refusal": it.refusal.map(|refusal| refusal.to_string()),
        })
    });
    let refusals = { refusals.iter() }
        .map(|it| json!({ "supplier": it.supplier, "code": it.code, "at": it.at }));
    json!({
        "kind": source.kind.name(),
        "state": source.state_with(notes).name(),
        "isSimulated": source.is_simulated,
        "suppliers": suppliers.collect::<Vec<_>>(),
        "refusals": refusals.collect::<Vec<_>>(),
        "check": check,
    })
}

fn view((account, members): &(Account, Vec<User>)) -> Value {
    let mut view = account_view(account);
    let owners = members.iter().filter(|it| it.is_present_owner());
    view["owners"] = owners
        .map(|it| it.email.as_str())
        .collect::<Vec<_>>()
        .into();
    view["members"] = present(members).count().into();
    let (usage, limits) = (account.usage, account.limits);
    view["usage"] = json!({
        "projects": usage.projects,
        "keywords": usage.keywords,
        "aiTracked": usage.ai_tracked,
    });
    view["limits"] = json!({
        "projects": limits.projects,
        "keywords": limits.keywords,
        "keywordsPerProject": limits.keywords_per_project,
        "aiTracked": limits.ai_tracked,
        "keywordResearch": limits.keyword_research,
        "monthlyBudget": limits.monthly_budget.map(|it| it.to_string()),
        "dailyBudget": limits.daily_budget.map(|it| it.to_string()),
    });
    view
}
