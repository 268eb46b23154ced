//! The server, for operators: sources, queue, mail, backup and accounts. No project, result or person is shown beyond
//! the table of accounts.

use super::components::Table;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, components, page_header};
use domain::account::{Account, AccountStatus};
use domain::money::MicroUsd;
use domain::ports::server_notes::ServerNote;
use domain::server_status::{Check, CheckState, Source, SourceState};
use domain::use_cases::server_status::{
    Refusal, ServerStatus, backup_check, last_backup, mail_check, queue_check,
};
use domain::user::{User, present};
use maud::{Markup, html};
use serde_json::json;

pub async fn page(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    let (services, core) = (visit.services, &visit.services.core);
    let status = core.server_status().await?;
    let accounts = core.all_accounts().await?;
    let checks = [
        queue_check(&status.queue, status.at),
        mail_check(core.sends_mail(), &status.mail),
        backup_check(&status.notes, status.at),
    ];
    let lead = "What works, what does not, and what to do about it. Projects, results and people of accounts are not shown here.";
    Ok(PageContent {
        title: "Server".to_owned(),
        project: None,
        simulated: false,
        parts: vec![
            page_header::head(vec![], "Server", lead, None),
            figures(&status, core.policies.prices.max_per_day),
            sources(&services.server.sources, &status.notes),
            checks_table(&checks),
            failures(&status),
            workers(&status),
            limits(&status),
            versions(&services.server.database),
            accounts_table(&accounts),
        ],
    })
}

fn figures(status: &ServerStatus, max_per_day: Option<MicroUsd>) -> Markup {
    let count = |it: u64, limited: bool| {
        let more = if limited { " or more" } else { "" };
        html! { (components::count(it)) (more) }
    };
    let failed = status.failures.iter().map(|it| it.1).sum();
    let backup = last_backup(&status.notes);
    let limit = max_per_day.map_or_else(
        || "no limit for all accounts together".to_owned(),
        |it| format!("limit {it} USD for all accounts together"),
    );
    components::stats(vec![
        components::stat(
            "Analyses waiting",
            components::count(status.queue.waiting),
            &format!("{} running", status.queue.running),
        ),
        components::stat(
            "Oldest due analysis, minutes",
            components::count(
                status
                    .queue
                    .oldest_wait(status.at)
                    .num_minutes()
                    .unsigned_abs(),
            ),
            "since it could have started",
        ),
        components::stat(
            "Analyses failed",
            count(failed, status.has_more_failures),
            "in the last 24 hours",
        ),
        components::stat(
            "Messages queued",
            components::count(status.mail.queued),
            &format!("{} failed in the last 24 hours", status.mail.failed),
        ),
        components::stat(
            "Last backup",
            backup.map_or_else(components::unknown, components::ago),
            "as recorded by this database",
        ),
        components::stat(
            "Spent today, USD",
            components::text(status.spending.taken().to_string()),
            &limit,
        ),
    ])
}

fn sources(sources: &[Source], notes: &[ServerNote]) -> Markup {
    let rows = sources.iter().map(|it| source(it, notes)).collect();
    let columns = ["Source", "Suppliers", "State", "Details", "What to do"];
    let table = Table::new(
        "Sources of data",
        columns.map(components::text_column),
        rows,
    );
    let note = "As the settings of this process set them up. Accounts see the kind of source and its state; suppliers are named here and by `sightline doctor` alone.";
    components::table_card("Sources of data", note, &table.hide_caption())
}

fn source(source: &Source, notes: &[ServerNote]) -> components::Row {
    let refusals = source.refusals(notes);
    let sign = match source.state_with(notes) {
        SourceState::Working if source.is_simulated => components::tag("warn", "simulated"),
        SourceState::Working => components::tag("good", "working"),
        SourceState::Refused => components::tag("bad", "refused by the supplier"),
        SourceState::Off => components::tag("bad", "no calls are made"),
        SourceState::NotSetUp => components::tag("", "not set up"),
    };
    let suppliers = source.suppliers.iter().map(|it| {
        let price = match (it.refusal, it.max_cost) {
            (Some(reason), _) => reason.to_string(),
            (None, Some(MicroUsd(0))) => "free".to_owned(),
            (None, Some(cost)) => format!("at most {cost} USD per {}", source.kind.unit()),
            (None, None) => "price unknown".to_owned(),
        };
        components::with_subtext(&it.name, price)
    });
    let suppliers: Vec<Markup> = suppliers.collect();
    let refused = refusals.iter().map(|it| html! { p { (it.message()) } });
    let todo = if refusals.is_empty() {
        source.check.todo.as_deref()
    } else {
        Some(Refusal::TODO)
    };
    components::row(vec![
        components::text(components::humanize_capitalized(source.kind.name())),
        if suppliers.is_empty() {
            components::text("none")
        } else {
            html! { @for it in suppliers { (it) } }
        },
        sign,
        html! { @for it in refused { (it) } p { (source.check.message) } },
        next_step(todo),
    ])
}

fn next_step(todo: Option<&str>) -> Markup {
    html! {
        @match todo {
            Some(todo) => (todo),
            None => span .soft { "Nothing" },
        }
    }
}

fn checks_table(checks: &[Check]) -> Markup {
    let rows = checks.iter().map(|it| {
        let sign = match it.state {
            CheckState::Good => "good",
            CheckState::Notice => "warn",
            CheckState::Bad => "bad",
        };
        let todo = it.todo.as_deref();
        components::row(vec![
            components::text(components::humanize_capitalized(it.subject)),
            components::tag(sign, it.state.name()),
            components::text(&it.message),
            next_step(todo),
        ])
    });
    let columns = ["What", "State", "Details", "What to do"].map(components::text_column);
    let table = Table::new("Queue, mail and backup", columns, rows.collect()).hide_caption();
    let note = "`sightline doctor` checks more: database, keys, clock, disk and the mail server.";
    components::table_card("Queue, mail and backup", note, &table)
}

fn failures(status: &ServerStatus) -> Markup {
    let title = "Analyses that failed in the last 24 hours";
    if status.failures.is_empty() {
        return components::card(title, "", html! { p { "None." } });
    }
    let rows = status.failures.iter().map(|(code, count)| {
        components::row(vec![
            components::text(html! { code { (code) } }),
            components::count(*count),
        ])
    });
    let columns = [
        components::text_column("Code"),
        components::number_column("Analyses"),
    ];
    let table = Table::new(title, columns, rows.collect()).hide_caption();
    let note = if status.has_more_failures {
        "The newest 1,000. The workers' logs have the cause of each. A code that begins with supplier is about a source above."
    } else {
        "The workers' logs have the cause of each. A code that begins with supplier is about a source above."
    };
    components::table_card(title, note, &table)
}

fn workers(status: &ServerStatus) -> Markup {
    let note = "A worker renews the leases of its analyses while it lives. A worker without an analysis leaves no trace in the database.";
    if status.workers.is_empty() {
        let text = html! { p { "No worker has an analysis now." } };
        return components::card("Workers", note, text);
    }
    let rows = status.workers.iter().map(|it| {
        let (sign, text) = if it.lease_until > status.at {
            ("good", "renews its leases")
        } else {
            ("bad", "lost its leases")
        };
        components::row(vec![
            components::text(&it.name),
            components::tag(sign, text),
            components::count(it.jobs),
            components::date_time(it.lease_until),
        ])
    });
    let columns = [
        components::text_column("Worker"),
        components::text_column("State"),
        components::number_column("Analyses"),
        components::text_column("Leases end"),
    ];
    let table = Table::new("Workers", columns, rows.collect()).hide_caption();
    components::table_card("Workers", note, &table)
}

fn limits(status: &ServerStatus) -> Markup {
    let (limits, queue) = (&status.limits, &status.queue_limits);
    let rows = [
        ("Running analyses", queue.running),
        ("Unfinished analyses", queue.unfinished),
        ("Projects", limits.projects),
        ("Keywords", limits.keywords),
        ("Keywords measured in AI answers", limits.ai_tracked),
        ("Budget of the month", limits.monthly_budget),
        ("Budget of the day", limits.daily_budget),
    ];
    let rows = rows.map(|(name, accounts)| {
        components::row(vec![components::text(name), components::count(accounts)])
    });
    let columns = [
        components::text_column("Limit"),
        components::number_column("Accounts"),
    ];
    let table = Table::new("Accounts at a limit", columns, rows.into()).hide_caption();
    let note = "How many accounts use all that they may. Raise a limit with `sightline account limits`, those of the queue in the settings.";
    components::table_card("Accounts at a limit", note, &table)
}

fn versions(database: &str) -> Markup {
    components::card(
        "Version",
        "",
        components::pairs(vec![
            ("Sightline", components::text(env!("CARGO_PKG_VERSION"))),
            ("Database", components::text(database)),
        ]),
    )
}

fn accounts_table(accounts: &[(Account, Vec<User>)]) -> Markup {
    let rows = accounts.iter().map(row).collect();
    let columns = [
        "Account",
        "Owner",
        "Status",
        "Members",
        "Projects",
        "Keywords",
        "AI keywords",
        "Change it",
    ]
    .map(components::text_column);
    let table = Table::new("Accounts of this server", columns, rows).hide_caption();
    let note = "Create accounts and set limits with `sightline account`.";
    components::table_card("Accounts", note, &table)
}

fn row((account, members): &(Account, Vec<User>)) -> components::Row {
    let owner = members.iter().find(|it| it.is_present_owner());
    let (sign, other, label, question) = match account.status {
        AccountStatus::Active => (
            "good",
            AccountStatus::Disabled,
            "Disable",
            "Disable this account? Its tokens are refused, its sessions end, and its unfinished analyses are canceled.",
        ),
        AccountStatus::Disabled => ("bad", AccountStatus::Active, "Enable", ""),
    };
    let of = |used: u32, limit: u32| components::text(format!("{used} of {limit}"));
    let (usage, limits) = (account.usage, account.limits);
    components::row(vec![
        components::with_subtext(account.name.as_str(), account.id.to_string()),
        owner.map_or_else(components::unknown, |it| {
            components::text(it.email.as_str())
        }),
        components::tag(sign, account.status.name()),
        components::count(present(members).count() as u64),
        of(usage.projects, limits.projects),
        of(usage.keywords, limits.keywords),
        of(usage.ai_tracked, limits.ai_tracked),
        status_button(account, other, label, question),
    ])
}

fn status_button(account: &Account, to: AccountStatus, label: &str, question: &str) -> Markup {
    let path = format!("PATCH /api/operator/accounts/{}", account.id);
    let body = json!({ "status": to.name() }).to_string();
    components::api_button("quiet slim", &path, &body, question, "", label)
}
