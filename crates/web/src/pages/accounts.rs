use super::components::Table;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, components, page_header};
use maud::html;
use serde_json::json;

/// The person's accounts, with a button to switch to each.
pub async fn page(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    let accounts = visit.services.core.accounts_of(visit.member).await?;
    let lead = "Each account has its own projects, members and limits. You work in one at a time.";
    let rows = accounts.iter().map(|(account, role)| {
        let change = if account.id == visit.account() {
            components::tag("good", "current")
        } else {
            components::api_button(
                "slim",
                "POST /api/session/account",
                &json!({ "accountId": account.id.0 }).to_string(),
                "",
                "/",
                &format!("Switch to {}", account.name.as_str()),
            )
        };
        components::row(vec![
            components::text(account.name.as_str()),
            components::text(components::humanize_capitalized(role.name())),
            change,
        ])
    });
    let columns = ["Account", "Your role", "Switch"].map(components::text_column);
    let table = Table::new("Your accounts", columns, rows.collect()).hide_caption();
    let leave = components::api_button(
        "danger",
        "DELETE /api/settings/membership",
        "",
        "Leave this account? You lose access to its projects at once. A member can invite you again.",
        "/sign-in",
        &format!("Leave {}", visit.member.account.name.as_str()),
    );
    let is_operator = visit.services.core.is_operator(visit.member).await?;
    Ok(PageContent {
        title: "Accounts".to_owned(),
        project: None,
        simulated: false,
        parts: vec![
            page_header::head(vec![], "Your accounts", lead, None),
            components::table_card("Accounts", "", &table),
            html! { @if is_operator { p { a href="/operator" { "All accounts of this server" } } } },
            html! {
                section .card .page {
                    h2 { "Leave an account" }
                    p .hint { "What you did stays named. The last owner cannot leave: make another member an owner first." }
                    div .row { (leave) }
                }
            },
        ],
    })
}
