use super::{
    NoPage,
    charts::bar,
    clients::{Client, clients},
    frame::{self, Page, Spot},
    parts::{self, Html, Table},
    visit::Visit,
};
use crate::session_api::api_tokens;
use askama::Template;
use domain::{
    ai_models::ModelSettings,
    password::TypedPassword,
    report_settings::{Frequency, Section},
    scope::Scope,
    token::{ApiToken, TokenPolicy},
    use_cases::{ai_models::AiModel, tokens},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Account,
    Tokens,
    ReportDefaults,
    Models,
    Usage,
}

impl Part {
    const ALL: [Self; 5] = [
        Self::Account,
        Self::Tokens,
        Self::ReportDefaults,
        Self::Models,
        Self::Usage,
    ];

    const fn path(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Tokens => "api-tokens",
            Self::ReportDefaults => "report-defaults",
            Self::Models => "models",
            Self::Usage => "usage",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Account => "Account",
            Self::Tokens => "API tokens",
            Self::ReportDefaults => "Report defaults",
            Self::Models => "AI models",
            Self::Usage => "Usage",
        }
    }

    pub fn named(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.path() == path)
    }
}

const EVENTS: u32 = 50;
/// Tokens that are named where all of them may be revoked.
const NAMED: usize = 10;

#[derive(Template)]
#[template(path = "account.html")]
struct Profile<'a> {
    name: &'a str,
    email: &'a str,
    account: &'a str,
    least: usize,
    tokens: usize,
    named: String,
}

#[derive(Template)]
#[template(path = "tokens.html")]
struct NewToken<'a> {
    scopes: Vec<(&'static str, &'static str, bool)>,
    base: &'a str,
    clients: Vec<Client>,
    lifetimes: Vec<Lifetime>,
    longest: Option<i64>,
}

struct Lifetime {
    days: String,
    name: String,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "report_defaults.html")]
struct ReportDefaults {
    enabled: bool,
    pdf: bool,
    frequencies: Vec<(&'static str, String, bool)>,
    sections: Vec<(&'static str, String, bool)>,
}

#[derive(Template)]
#[template(path = "models.html")]
struct Models {
    models: Vec<Model>,
}

struct Model {
    title: String,
    engine: String,
    sign: Html,
    active: bool,
    samples: u32,
    samples_range: (u32, u32),
    prompts: u32,
    prompts_range: (u32, u32),
    weight: f64,
    web_search: bool,
    told: String,
}

pub async fn page(visit: &Visit<'_>, part: Part) -> Result<Page, NoPage> {
    let body = match part {
        Part::Account => account(visit).await?,
        Part::Tokens => tokens(visit).await?,
        Part::ReportDefaults => report_defaults(visit),
        Part::Models => models(visit).await?,
        Part::Usage => usage(visit).await?,
    };
    let tabs: Vec<(String, String, bool)> = Part::ALL
        .into_iter()
        .map(|it| {
            (
                format!("/settings/{}", it.path()),
                it.title().to_owned(),
                it == part,
            )
        })
        .collect();
    Ok(Page {
        title: format!("{} · Settings", part.title()),
        spot: Spot::Settings,
        project: None,
        simulated: false,
        parts: [
            frame::head(vec![], part.title(), "", None),
            parts::tabs("Settings", &tabs),
        ]
        .into_iter()
        .chain(body)
        .collect(),
    })
}

async fn account(visit: &Visit<'_>) -> Result<Vec<Html>, NoPage> {
    let tokens = working_tokens(visit).await?;
    let form = Profile {
        name: visit.who.user.name.as_str(),
        email: visit.who.user.email.as_str(),
        account: visit.who.account.name.as_str(),
        least: TypedPassword::LEAST,
        tokens: tokens.len(),
        named: named(&tokens),
    };
    let sessions = sessions(visit, tokens.len()).await?;
    let events = visit
        .services
        .core
        .audit_events(visit.account(), EVENTS)
        .await?;
    let rows = events.iter().map(|it| {
        parts::row(vec![
            parts::text(&parts::headed(it.action.name())),
            parts::at(it.at),
            parts::text(it.actor.name()),
            parts::text(&it.detail),
        ])
    });
    let columns = ["What", "When", "Who", "Particulars"]
        .map(parts::words)
        .to_vec();
    let table = Table::new("What was done", columns, rows.collect()).named_above();
    let log = parts::card_of_at(
        "log",
        "What was done by whom",
        "The newest 50 entries; nothing in them is secret.",
        &table,
    );
    Ok(vec![Html::of(&form), sessions, log])
}

async fn working_tokens(visit: &Visit<'_>) -> Result<Vec<ApiToken>, NoPage> {
    let mut tokens = visit.services.core.tokens(visit.account()).await?;
    tokens.retain(|it| it.accept(visit.now).is_ok());
    Ok(tokens)
}

/// Names of the first ones.
fn named(tokens: &[ApiToken]) -> String {
    let name = |it: &ApiToken| format!("{} (…{})", it.name, it.last_four);
    let mut names: Vec<String> = tokens.iter().take(NAMED).map(name).collect();
    if tokens.len() > NAMED {
        names.push(format!("and {} more", tokens.len() - NAMED));
    }
    names.join(", ")
}

async fn sessions(visit: &Visit<'_>, tokens: usize) -> Result<Html, NoPage> {
    let (account, user) = (visit.account(), visit.who.user.id);
    let sessions = visit.services.core.sessions(account, user).await?;
    let rows = sessions.iter().map(|it| {
        let end = if it.id == visit.who.session.id {
            parts::tag("good", "this one")
        } else {
            let path = format!("DELETE /api/settings/sessions/{}", it.id);
            parts::pressed("quiet slim danger", &path, "", "", "", "End it")
        };
        parts::row(vec![
            parts::text(it.browser.as_deref().unwrap_or("not told")),
            parts::text(&it.network),
            parts::ago(it.last_seen_at),
            parts::at(it.ends_at()),
            end,
        ])
    });
    let columns = ["Browser", "Network", "Last seen", "Ends", "Change it"]
        .map(parts::words)
        .to_vec();
    let table = Table::new("Where you are signed in", columns, rows.collect()).named_above();
    let tokens = match tokens {
        0 => None,
        1 => Some("the API token".to_owned()),
        count => Some(format!("all {count} API tokens")),
    };
    let stays =
        { tokens.as_ref() }.map_or_else(String::new, |it| format!(" For {it}, nothing changes."));
    let everywhere = parts::pressed(
        "",
        "DELETE /api/session?everywhere=true",
        "",
        &format!("Sign out on every device, this one too?{stays}"),
        "/sign-in",
        "Sign out everywhere",
    );
    let and_tokens = tokens.map(|it| {
        parts::pressed(
            "danger",
            "DELETE /api/session?everywhere=true&revokeTokens=true",
            "",
            &format!("Sign out on every device, this one too, and revoke {it}? Programs that use them are refused from now on."),
            "/sign-in",
            &format!("Sign out everywhere and revoke {it}"),
        )
    });
    let buttons = Html::all([Some(everywhere), and_tokens].into_iter().flatten());
    Ok(Html::all([
        parts::card_of(
            "Where you are signed in",
            "A session ends by itself; end one that you do not know.",
            &table,
        ),
        parts::wrapped("div", "row", &buttons),
    ]))
}

const fn scope_told(scope: Scope) -> &'static str {
    match scope {
        Scope::ProjectsRead => "reads projects and results",
        Scope::ProjectsWrite => "creates, changes and deactivates projects",
        Scope::KeywordsRead => "reads keywords",
        Scope::KeywordsWrite => "adds, changes and deactivates keywords",
        Scope::AnalysisRun => "starts analyses, which may cost money",
        Scope::ModelsRead => "reads the settings of AI models",
    }
}

fn longest_days(policy: TokenPolicy) -> Option<i64> {
    policy.longest.map(|it| it.num_days())
}

/// How long a token may work, as far as this server allows; its longest is among the choices.
fn lifetimes(policy: TokenPolicy) -> Vec<Lifetime> {
    let longest = longest_days(policy);
    let most = longest
        .unwrap_or(api_tokens::MOST_DAYS)
        .min(api_tokens::MOST_DAYS);
    let mut days: Vec<i64> = [30, 90, 365].into_iter().filter(|it| *it < most).collect();
    days.push(most);
    let usual = policy.shortened(tokens::NewToken::DEFAULT_LIFETIME);
    let choice = |days: i64| Lifetime {
        days: days.to_string(),
        name: match days {
            1 => "A day".to_owned(),
            365 => "A year".to_owned(),
            _ => format!("{days} days"),
        },
        chosen: days == usual.num_days(),
    };
    let mut all: Vec<Lifetime> = days.into_iter().map(choice).collect();
    if longest.is_none() {
        all.push(Lifetime {
            days: String::new(),
            name: "Until it is revoked".to_owned(),
            chosen: false,
        });
    }
    all
}

async fn tokens(visit: &Visit<'_>) -> Result<Vec<Html>, NoPage> {
    let scopes = Scope::ALL
        .into_iter()
        .map(|it| (it.name(), scope_told(it), it.name().ends_with("read")));
    let form = NewToken {
        scopes: scopes.collect(),
        base: &visit.services.config.public_base_url,
        clients: clients(&visit.services.config.public_base_url),
        lifetimes: lifetimes(visit.services.core.policies.tokens),
        longest: longest_days(visit.services.core.policies.tokens),
    };
    let tokens = visit.services.core.tokens(visit.account()).await?;
    if tokens.is_empty() {
        let text = "Agents and scripts sign in with a token. Make the first one above.";
        return Ok(vec![
            Html::of(&form),
            parts::wrapped(
                "div",
                "none-yet",
                &parts::empty("key", "No tokens yet", text, None),
            ),
        ]);
    }
    let rows = tokens.iter().map(|it| {
        let state = match (it.revoked_at, it.expires_at) {
            (Some(_), _) => parts::tag("bad", "revoked"),
            (None, Some(end)) if end <= visit.now => parts::tag("warn", "expired"),
            _ => parts::tag("good", "works"),
        };
        let scopes = it.scopes.iter().map(|it| parts::tag("", it.name()));
        let revoke = parts::pressed(
            "quiet slim danger",
            &format!("DELETE /api/settings/api-tokens/{}", it.id),
            "",
            "Revoke this token? Whoever uses it is refused from now on.",
            "",
            "Revoke",
        );
        parts::row(vec![
            parts::under(
                &parts::text(it.name.as_str()),
                &parts::text(&format!("… {}", it.last_four)),
            ),
            state,
            parts::wrapped("span", "tags", &Html::all(scopes)),
            it.last_used_at
                .map_or_else(|| parts::text("never"), parts::ago),
            it.expires_at
                .map_or_else(|| parts::text("never"), parts::ago),
            if it.revoked_at.is_some() {
                Html::default()
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
    .map(parts::words)
    .to_vec();
    let table = Table::new("Tokens", columns, rows.collect()).named_above();
    Ok(vec![Html::of(&form), parts::card_of("Tokens", "", &table)])
}

fn report_defaults(visit: &Visit<'_>) -> Vec<Html> {
    let now = &visit.who.account.report_defaults;
    let sections = Section::ALL.into_iter().map(|it| {
        let on = now.content.get(&it).copied().unwrap_or(true);
        (it.name(), parts::headed(it.name()), on)
    });
    vec![Html::of(&ReportDefaults {
        enabled: now.enabled,
        pdf: now.include_pdf,
        frequencies: frequencies(Some(now.frequency)),
        sections: sections.collect(),
    })]
}

/// Value, name, and whether it is chosen.
pub fn frequencies(now: Option<Frequency>) -> Vec<(&'static str, String, bool)> {
    let all = Frequency::ALL.into_iter();
    all.map(|it| (it.name(), parts::headed(it.name()), Some(it) == now))
        .collect()
}

async fn models(visit: &Visit<'_>) -> Result<Vec<Html>, NoPage> {
    let models = visit.services.core.ai_models(visit.account()).await?;
    let text = "Which engines are asked, and how often. Answers vary, so that a rate without many answers says little.";
    let models = models.iter().map(model).collect();
    Ok(vec![parts::remark("", text), Html::of(&Models { models })])
}

fn model(model: &AiModel) -> Model {
    let settings = &model.settings;
    let (sign, told) = match &model.configured {
        Some(_) => (
            parts::tag("good", "configured"),
            "It is asked by this server.",
        ),
        None => (
            parts::tag("warn", "no key"),
            "This server has no key for it. Its operator adds one in the server's settings.",
        ),
    };
    Model {
        title: model.title.clone(),
        engine: settings.engine.clone(),
        sign,
        active: settings.is_active,
        samples: settings.samples,
        samples_range: (
            *ModelSettings::SAMPLES.start(),
            *ModelSettings::SAMPLES.end(),
        ),
        prompts: settings.prompts,
        prompts_range: (
            *ModelSettings::PROMPTS.start(),
            *ModelSettings::PROMPTS.end(),
        ),
        weight: settings.weight,
        web_search: settings.web_search,
        told: told.to_owned(),
    }
}

/// Rounded up: what is stored is never shown as nothing.
const fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_024 * 1_024)
}

async fn usage(visit: &Visit<'_>) -> Result<Vec<Html>, NoPage> {
    let found = visit.services.core.account_state(visit.account()).await?;
    let found = found.ok_or(NoPage::NotFound)?;
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
        parts::row(vec![
            parts::text(name),
            parts::count(it.used.into()),
            parts::count(it.limit.into()),
            bar(share, if share >= 0.9 { "w" } else { "1" }),
        ])
    });
    let columns = vec![
        parts::words("Allowance"),
        parts::figures("Used"),
        parts::figures("Limit"),
        parts::words("How full"),
    ];
    let allowances = Table::new("Allowances", columns, rows.collect()).named_above();
    let limit = |it: Option<domain::money::MicroUsd>| {
        it.map_or_else(|| "no limit".to_owned(), |it| format!("limit {it} USD"))
    };
    let stats = parts::stats(vec![
        parts::stat(
            "Spent this month, USD",
            parts::text(&found.spending.spent.to_string()),
            &limit(account.limits.monthly_budget),
        ),
        parts::stat(
            "Spent today, USD",
            parts::text(&found.today.spent.to_string()),
            &limit(account.limits.daily_budget),
        ),
        parts::stat(
            "Set aside for running analyses, USD",
            parts::text(&found.spending.reserved.to_string()),
            "given back when they cost less",
        ),
        parts::stat(
            "Analyses waiting",
            parts::count(found.queue.queued.into()),
            &format!("of {} that may wait", found.queue_limit),
        ),
        parts::stat(
            "Stored, MiB",
            parts::count(mebibytes(found.stored.bytes())),
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
    let told = match visit.services.purge_term().0 {
        Some(days) => format!(
            "A deactivated project is removed with all its data {days} days after it was deactivated. Until then it can be brought back, and counts."
        ),
        None => String::new(),
    };
    Ok(vec![
        stats,
        parts::card_of("Allowances", &told, &allowances),
    ])
}
