use super::charts::bar;
use super::clients::{Client, clients};
use super::components::{Table, icon};
use super::forms::{Choice, options, select, submit};
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, audit_log, components, mail, members, page_header};
use crate::session_api::api_tokens;
use domain::ai_models::ModelSettings;
use domain::email::EmailAddress;
use domain::password::TypedPassword;
use domain::report_settings::{Frequency, Section};
use domain::rights::Right;
use domain::scope::Scope;
use domain::token::{ApiToken, TokenPolicy};
use domain::use_cases::ai_models::AiModel;
use domain::use_cases::tokens;
use domain::user::User;
use maud::{Markup, html};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsTab {
    Account,
    Members,
    Tokens,
    ReportDefaults,
    Models,
    Usage,
    AuditLog,
    Mail,
}

impl SettingsTab {
    const ALL: [Self; 8] = [
        Self::Account,
        Self::Members,
        Self::Tokens,
        Self::ReportDefaults,
        Self::Models,
        Self::Usage,
        Self::AuditLog,
        Self::Mail,
    ];

    const fn path(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Members => "members",
            Self::Tokens => "api-tokens",
            Self::ReportDefaults => "report-defaults",
            Self::Models => "models",
            Self::Usage => "usage",
            Self::AuditLog => "audit-log",
            Self::Mail => "mail",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Account => "Account",
            Self::Members => "Members",
            Self::Tokens => "API tokens",
            Self::ReportDefaults => "Report defaults",
            Self::Models => "AI models",
            Self::Usage => "Usage",
            Self::AuditLog => "Audit log",
            Self::Mail => "Mail",
        }
    }

    const fn right(self) -> Right {
        match self {
            Self::Account => Right::OwnLogin,
            Self::Members | Self::Usage => Right::AccountRead,
            Self::Tokens => Right::TokensManage,
            Self::ReportDefaults | Self::Models => Right::AccountWrite,
            Self::AuditLog | Self::Mail => Right::AuditRead,
        }
    }

    pub fn from_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.path() == path)
    }
}

/// The tabs under a path with the right that each needs.
pub fn rights(path: &str) -> impl Iterator<Item = (String, Right)> {
    let all = SettingsTab::ALL.into_iter();
    all.map(move |it| (format!("{path}/{}", it.path()), it.right()))
}

/// Tokens named before all are revoked.
const MAX_TOKENS_NAMED: usize = 10;

pub async fn page(visit: &PageContext<'_>, part: SettingsTab) -> Result<PageContent, PageError> {
    visit.require(part.right())?;
    let body = match part {
        SettingsTab::Account => account(visit).await?,
        SettingsTab::Members => members::body(visit).await?,
        SettingsTab::Tokens => tokens(visit).await?,
        SettingsTab::ReportDefaults => report_defaults(visit),
        SettingsTab::Models => models(visit).await?,
        SettingsTab::Usage => usage(visit).await?,
        SettingsTab::AuditLog => audit_log::body(visit).await?,
        SettingsTab::Mail => mail::body(visit).await?,
    };
    let tabs: Vec<(String, String, bool)> = SettingsTab::ALL
        .into_iter()
        .filter(|it| visit.may(it.right()))
        .map(|it| {
            (
                format!("/settings/{}", it.path()),
                it.title().to_owned(),
                it == part,
            )
        })
        .collect();
    Ok(PageContent {
        title: format!("{} · Settings", part.title()),
        project: None,
        simulated: false,
        parts: [
            page_header::head(vec![], part.title(), "", None),
            components::tabs("Settings", &tabs),
        ]
        .into_iter()
        .chain(body)
        .collect(),
    })
}

async fn account(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let tokens = if visit.may(Right::TokensRevoke) {
        working_tokens(visit).await?
    } else {
        Vec::new()
    };
    let sessions = sessions(visit, tokens.len()).await?;
    // Name and address in other accounts are copies.
    let person = visit.services.core.person(visit.member).await?;
    let person = person.ok_or(PageError::NotFound)?;
    let requested = visit.services.core.requested_address(visit.member).await?;
    Ok(vec![
        profile(visit, &person, requested.as_ref()),
        password(&person, &tokens),
        sessions,
    ])
}

/// `requested`: a new address that is not confirmed yet.
fn profile(visit: &PageContext<'_>, user: &User, requested: Option<&EmailAddress>) -> Markup {
    let sends_mail = visit.services.core.sends_mail();
    let account = &visit.member.account;
    html! {
        form .card .page method="post" data-api="PATCH /api/settings/account" data-then=(if sends_mail { "/settings/account" } else { "stay" }) data-notice=[sends_mail.then_some("Saved. A new e-mail address counts once you open the link that was sent to it.")] {
            h2 { "You and your account" }
            div .fields {
                label .field {
                    span { "Your name" }
                    input name="name" required maxlength="200" value=(user.name.as_str()) autocomplete="name";
                }
                label .field {
                    span { "E-mail" }
                    input type="email" name="email" required value=(user.email.as_str()) autocomplete="username";
                    small {
                        @if let Some(requested) = requested {
                            "You sign in with it until you open the link that was sent to " (requested) "."
                        } @else if sends_mail {
                            "You sign in with it. A new address counts once you open the link that is sent to it."
                        } @else {
                            "You sign in with it."
                        }
                    }
                }
                @if visit.may(Right::AccountWrite) { label .field {
                    span { "Account" }
                    input name="accountName" required maxlength="200" value=(account.name.as_str()) autocomplete="organization";
                } }
            }
            (submit("Save"))
        }
    }
}

fn password(user: &User, tokens: &[ApiToken]) -> Markup {
    html! {
        form .card .page method="post" data-api="POST /api/settings/password" data-then="/settings/account" data-notice="The password is changed; all other sessions have ended." {
            h2 { "Password" }
            input .out type="email" value=(user.email.as_str()) autocomplete="username" tabindex="-1" aria-hidden="true" readonly;
            div .fields {
                label .field {
                    span { "Now" }
                    input type="password" name="currentPassword" data-as="raw" required autocomplete="current-password" maxlength="256";
                }
                label .field {
                    span { "New" }
                    input type="password" name="newPassword" data-as="raw" required minlength=(TypedPassword::MIN_CHARS) maxlength="256" autocomplete="new-password";
                    small { "At least " (TypedPassword::MIN_CHARS) " characters. All other sessions end." }
                }
            }
            @if let Some(all) = token_count_text(tokens.len()) {
                label .check {
                    input type="checkbox" name="revokeTokens";
                    " "
                    span {
                        "Revoke " (all) " as well "
                        small { (token_names(tokens)) ". Do so when somebody else may have been in your account: tokens go on working otherwise." }
                    }
                }
            }
            (submit("Change the password"))
        }
    }
}

/// `None` without tokens.
fn token_count_text(tokens: usize) -> Option<String> {
    match tokens {
        0 => None,
        1 => Some("the API token".to_owned()),
        count => Some(format!("all {count} API tokens")),
    }
}

async fn working_tokens(visit: &PageContext<'_>) -> Result<Vec<ApiToken>, PageError> {
    let mut tokens = visit.services.core.tokens(visit.account()).await?;
    tokens.retain(|it| it.accept(visit.now).is_ok());
    Ok(tokens)
}

/// The first `NAMED` ones.
fn token_names(tokens: &[ApiToken]) -> String {
    let name = |it: &ApiToken| format!("{} (…{})", it.name, it.last_four);
    let mut names: Vec<String> = tokens.iter().take(MAX_TOKENS_NAMED).map(name).collect();
    if tokens.len() > MAX_TOKENS_NAMED {
        names.push(format!("and {} more", tokens.len() - MAX_TOKENS_NAMED));
    }
    names.join(", ")
}

async fn sessions(visit: &PageContext<'_>, tokens: usize) -> Result<Markup, PageError> {
    let sessions = { &visit.services.core }
        .sessions(&visit.member.session)
        .await?;
    let rows = sessions.iter().map(|it| {
        let end = if it.id == visit.member.session.id {
            components::tag("good", "this one")
        } else {
            let path = format!("DELETE /api/settings/sessions/{}", it.id);
            components::api_button("quiet slim danger", &path, "", "", "", "End it")
        };
        components::row(vec![
            components::text(it.browser.as_deref().unwrap_or("not told")),
            components::text(&it.network),
            components::ago(it.last_seen_at),
            components::date_time(it.ends_at()),
            end,
        ])
    });
    let columns =
        ["Browser", "Network", "Last seen", "Ends", "Change it"].map(components::text_column);
    let table = Table::new("Where you are signed in", columns, rows.collect()).hide_caption();
    let tokens = token_count_text(tokens);
    let stays =
        { tokens.as_ref() }.map_or_else(String::new, |it| format!(" For {it}, nothing changes."));
    let everywhere = components::api_button(
        "",
        "DELETE /api/session?everywhere=true",
        "",
        &format!("Sign out on every device, this one too?{stays}"),
        "/sign-in",
        "Sign out everywhere",
    );
    let and_tokens = tokens.map(|it| {
        components::api_button(
            "danger",
            "DELETE /api/session?everywhere=true&revokeTokens=true",
            "",
            &format!("Sign out on every device, this one too, and revoke {it}? Programs that use them are refused from now on."),
            "/sign-in",
            &format!("Sign out everywhere and revoke {it}"),
        )
    });
    let note = "A session ends by itself; end one that you do not know.";
    Ok(html! {
        (components::table_card("Where you are signed in", note, &table))
        div .row {
            (everywhere)
            @if let Some(button) = and_tokens { (button) }
        }
    })
}

const fn scope_description(scope: Scope) -> &'static str {
    match scope {
        Scope::ProjectsRead => "reads projects and results",
        Scope::ProjectsWrite => "creates, changes and deactivates projects",
        Scope::KeywordsRead => "reads keywords",
        Scope::KeywordsWrite => "adds, changes and deactivates keywords",
        Scope::AnalysisRun => "starts analyses, which may cost money",
        Scope::ModelsRead => "reads the settings of AI models",
    }
}

fn max_lifetime_days(policy: TokenPolicy) -> Option<i64> {
    policy.longest.map(|it| it.num_days())
}

/// Within the server's policy, including its longest.
fn lifetimes(policy: TokenPolicy) -> Vec<(String, String, bool)> {
    let longest = max_lifetime_days(policy);
    let max_days = longest
        .unwrap_or(api_tokens::MAX_DAYS)
        .min(api_tokens::MAX_DAYS);
    let mut days: Vec<i64> = [30, 90, 365]
        .into_iter()
        .filter(|it| *it < max_days)
        .collect();
    days.push(max_days);
    let usual = policy.shortened(tokens::NewToken::DEFAULT_LIFETIME);
    let choice = |days: i64| {
        let name = match days {
            1 => "A day".to_owned(),
            365 => "A year".to_owned(),
            _ => format!("{days} days"),
        };
        (days.to_string(), name, days == usual.num_days())
    };
    let mut all: Vec<(String, String, bool)> = days.into_iter().map(choice).collect();
    if longest.is_none() {
        all.push((String::new(), "Until it is revoked".to_owned(), false));
    }
    all
}

async fn tokens(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let form = new_token(visit);
    let tokens = visit.services.core.tokens(visit.account()).await?;
    if tokens.is_empty() {
        let text = "Agents and scripts sign in with a token. Make the first one above.";
        let none = components::empty_state("key", "No tokens yet", text, None);
        return Ok(vec![form, html! { div .none-yet { (none) } }]);
    }
    let rows = tokens.iter().map(|it| {
        let state = match (it.revoked_at, it.expires_at) {
            (Some(_), _) => components::tag("bad", "revoked"),
            (None, Some(end)) if end <= visit.now => components::tag("warn", "expired"),
            _ => components::tag("good", "works"),
        };
        let scopes = it.scopes.iter().map(|it| components::tag("", it.name()));
        let revoke = components::api_button(
            "quiet slim danger",
            &format!("DELETE /api/settings/api-tokens/{}", it.id),
            "",
            "Revoke this token? Whoever uses it is refused from now on.",
            "",
            "Revoke",
        );
        components::row(vec![
            components::with_subtext(it.name.as_str(), format_args!("… {}", it.last_four)),
            state,
            components::tags(scopes).unwrap_or_default(),
            it.last_used_at
                .map_or_else(|| components::text("never"), components::ago),
            it.expires_at
                .map_or_else(|| components::text("never"), components::ago),
            if it.revoked_at.is_some() {
                Markup::default()
            } else {
                revoke
            },
        ])
    });
    let columns = [
        "Token",
        "State",
        "Scopes",
        "Last used",
        "Expires",
        "Change it",
    ]
    .map(components::text_column);
    let table = Table::new("Tokens", columns, rows.collect()).hide_caption();
    Ok(vec![form, components::table_card("Tokens", "", &table)])
}

fn new_token(visit: &PageContext<'_>) -> Markup {
    let config = &visit.services.config;
    let policy = visit.services.core.policies.tokens;
    html! {
        section .card .page {
            h2 { "Make a token" }
            p .hint { "Whoever holds a token may do what its scopes say, for this account. Its text is shown once, here; afterwards only its last four characters." }
            form .page method="post" data-api="POST /api/settings/api-tokens" data-show="made" data-hide="none-yet" {
                div .fields {
                    label .field {
                        span { "Name" }
                        input name="name" required maxlength="200" placeholder="Reporting agent";
                        small { "So that you know it again." }
                    }
                    label .field {
                        span { "Works for" }
                        select name="expiresInDays" data-as="number" { (options(lifetimes(policy))) }
                        @if let Some(days) = max_lifetime_days(policy) { small { "Tokens last " (days) " days at the most on this server." } }
                    }
                }
                fieldset .stack {
                    legend { "Scopes" }
                    @for it in Scope::ALL {
                        label .check {
                            input type="checkbox" name="scopes" value=(it.name()) data-as="listed" checked[it.name().ends_with("read")];
                            " "
                            span { code { (it.name()) } " " (scope_description(it)) }
                        }
                    }
                }
                (submit(html! { (icon("key")) "Make the token" }))
            }
            (new_token_panel(&config.public_base_url))
        }
    }
}

/// A new token's text, and how to use it.
fn new_token_panel(base: &str) -> Markup {
    html! {
        div #made .page hidden {
            p class="note-box good" tabindex="-1" {
                (icon("check"))
                span { "The token is made. Copy it now; it is not shown again." }
            }
            div .row { code .code .wrap #token data-from="token" {} (copy_button("token", "Copy")) }
            h3 #try { "Try it" }
            pre .code #curl tabindex="0" role="group" aria-labelledby="try" {
                "curl -H \"Authorization: Bearer " (token_placeholder()) "\" " (base) "/api/agent/v1/projects"
            }
            div .row { (copy_button("curl", "Copy the line")) }
            h3 #agents { "For agents that speak MCP" }
            p .hint { "Keep the token in a variable of your shell, which the clients below take it from, so that no file of theirs holds it." }
            pre .code #keep tabindex="0" role="group" aria-labelledby="agents" { "export SIGHTLINE_TOKEN='" (token_placeholder()) "'" }
            div .row { (copy_button("keep", "Copy the line")) }
            @for client in clients(base) { (client_set_up(&client)) }
        }
    }
}

fn client_set_up(client: &Client) -> Markup {
    let label = format!("For {}", client.name);
    html! {
        details {
            summary { (client.name) }
            p .hint { (client.place) }
            pre .code id=(client.id) tabindex="0" role="group" aria-label=(label) { (client.text) }
            div .row { (copy_button(client.id, &format!("Copy it for {}", client.name))) }
        }
    }
}

/// Filled by a script.
fn token_placeholder() -> Markup {
    html! { span data-from="token" {} }
}

pub fn copy_button(id: &str, text: &str) -> Markup {
    html! { button type="button" data-copy=(id) { (icon("copy")) span { (text) } } }
}

fn report_defaults(visit: &PageContext<'_>) -> Vec<Markup> {
    let now = &visit.member.account.report_defaults;
    let pdf = [
        ("yes", "Yes", now.include_pdf),
        ("no", "No", !now.include_pdf),
    ];
    vec![html! {
        form .card .page method="post" data-api="PUT /api/settings/report-defaults" data-then="stay" {
            h2 { "What projects inherit" }
            (no_reports_yet())
            label .check { input type="checkbox" name="enabled" checked[now.enabled]; " Send reports" }
            (select("How often", "frequency", frequencies(Some(now.frequency))))
            (select("As PDF too", "includePdf", pdf))
            fieldset .stack {
                legend { "What they hold" }
                @for it in Section::ALL {
                    label .check {
                        input type="checkbox" name={ "content." (it.name()) } checked[now.content.get(&it).copied().unwrap_or(true)];
                        " " (components::humanize_capitalized(it.name()))
                    }
                }
            }
            (submit("Save"))
        }
    }]
}

pub fn no_reports_yet() -> Markup {
    let text = html! {
        b { "Reports are not sent yet." }
        " These settings are stored and will apply once sending is available. A file for a client: sightline audit URL --html report.html"
    };
    components::notice("", "info", text)
}

pub fn frequencies(now: Option<Frequency>) -> impl Iterator<Item = Choice> {
    let all = Frequency::ALL.into_iter();
    all.map(move |it| {
        (
            it.name(),
            components::humanize_capitalized(it.name()),
            Some(it) == now,
        )
    })
}

async fn models(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let models = visit.services.core.ai_models(visit.account()).await?;
    let text = "Which engines are asked, and how often. Answers vary, so that a rate without many answers says little.";
    let all = std::iter::once(components::remark("", text)).chain(models.iter().map(model));
    Ok(all.collect())
}

fn model(model: &AiModel) -> Markup {
    let settings = &model.settings;
    let (samples, prompts) = (ModelSettings::SAMPLES, ModelSettings::PROMPTS);
    let (sign, hint) = match &model.configured {
        Some(_) => (
            components::tag("good", "configured"),
            "It is asked by this server.",
        ),
        None => (
            components::tag("warn", "no key"),
            "This server has no key for it. Its operator adds one in the server's settings.",
        ),
    };
    html! {
        form .card .page method="post" data-api="PUT /api/settings/models" data-wrap="items" data-then="stay" {
            header .row .apart { h2 { (model.title) } (sign) }
            input type="hidden" name="id" value=(settings.engine);
            label .check { input type="checkbox" name="active" checked[settings.is_active]; " Ask it" }
            div .fields {
                label .field {
                    span { "Times each prompt is asked" }
                    input type="number" name="samplesPerPrompt" data-as="number" min=(samples.start()) max=(samples.end()) value=(settings.samples);
                    small { "More answers, less doubt: 5 for each of 5 prompts leave ± 18 points at a half." }
                }
                label .field {
                    span { "Prompts for each keyword" }
                    input type="number" name="promptsPerKeyword" data-as="number" min=(prompts.start()) max=(prompts.end()) value=(settings.prompts);
                }
                label .field {
                    span { "Weight" }
                    input type="number" name="weight" data-as="number" min="0" max="100" step="any" value=(settings.weight);
                    small { "How much it counts in the score." }
                }
            }
            label .check { input type="checkbox" name="webSearch" checked[settings.web_search]; " Let it search the web" }
            p .small .soft { (hint) }
            div .row { button type="submit" { "Save" } }
            p data-outcome {}
        }
    }
}

/// Rounded up, so that stored data is never shown as 0.
const fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_024 * 1_024)
}

async fn usage(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let found = visit.services.core.account_state(visit.account()).await?;
    let found = found.ok_or(PageError::NotFound)?;
    let account = &found.account;
    let [stored_projects, stored_keywords] = found.stored_allowances();
    let rows = [
        ("Projects", account.project_allowance()),
        ("Keywords", account.keyword_allowance()),
        ("Keywords measured in AI answers", account.ai_allowance()),
        ("Projects, deactivated ones included", stored_projects),
        ("Keywords, deactivated ones included", stored_keywords),
    ];
    let rows = rows.into_iter().map(|(name, it)| {
        let share = if it.limit == 0 {
            1.0
        } else {
            f64::from(it.used) / f64::from(it.limit)
        };
        components::row(vec![
            components::text(name),
            components::count(it.used.into()),
            components::count(it.limit.into()),
            bar(share, if share >= 0.9 { "w" } else { "1" }),
        ])
    });
    let columns = vec![
        components::text_column("Allowance"),
        components::number_column("Used"),
        components::number_column("Limit"),
        components::text_column("How full"),
    ];
    let allowances = Table::new("Allowances", columns, rows.collect()).hide_caption();
    let limit = |it: Option<domain::money::MicroUsd>| {
        it.map_or_else(|| "no limit".to_owned(), |it| format!("limit {it} USD"))
    };
    let stats = components::stats(vec![
        components::stat(
            "Spent this month, USD",
            components::text(found.spending.spent.to_string()),
            &limit(account.limits.monthly_budget),
        ),
        components::stat(
            "Spent today, USD",
            components::text(found.today.spent.to_string()),
            &limit(account.limits.daily_budget),
        ),
        components::stat(
            "Set aside for running analyses, USD",
            components::text(found.spending.reserved.to_string()),
            "given back when they cost less",
        ),
        components::stat(
            "Analyses waiting",
            components::count(found.queue.queued.into()),
            &format!("of {} that may wait", found.queue_limit),
        ),
        components::stat(
            "Stored, MiB",
            components::count(mebibytes(found.stored.bytes())),
            &found.storage_limits.account_bytes.map_or_else(
                || "no limit".to_owned(),
                |it| {
                    format!(
                        "limit {} MiB: rows of Search Console and content plans",
                        mebibytes(it)
                    )
                },
            ),
        ),
    ]);
    let note = match visit.services.purge_term().0 {
        Some(days) => format!(
            "A deactivated project is removed with all its data {days} days after it was deactivated. Until then it can be brought back, and counts."
        ),
        None => String::new(),
    };
    Ok(vec![
        stats,
        components::table_card("Allowances", &note, &allowances),
    ])
}
