use super::components::Table;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, components, page_header};
use domain::account::{Account, AccountStatus};
use domain::user::{User, present};
use maud::Markup;
use serde_json::json;

/// The accounts of the server, for operators: no project or result is shown.
pub async fn page(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    let accounts = visit.services.core.all_accounts().await?;
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
    let lead = "Accounts with their limits. Their projects and results are not shown here.";
    let note = "Create accounts and set limits with `sightline account`.";
    Ok(PageContent {
        title: "Server".to_owned(),
        project: None,
        simulated: false,
        parts: vec![
            page_header::head(vec![], "Server", lead, None),
            components::table_card("Accounts", note, &table),
        ],
    })
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
