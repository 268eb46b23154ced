//! The sources of data that the settings set up, with their suppliers' names: for operators alone.

use crate::settings::Settings;
use crate::wiring::{ai_engines, keyword_data, search_supplier_list, system_ports};
use domain::money::MicroUsd;
use domain::ports::search_results::{PaidCallRefusal, SearchResults};
use domain::server_status::{Check, CheckState, Source, SourceKind, SourceState, SupplierTerms};
use domain::use_cases::measure_page_speed::SpeedSources;
use providers::{
    Supplier, ai, join_with_or, keywords, search, search_console::account_email, vitals,
};
use setting::Cap;

/// One of each kind, in their order. `search` and `speed` are those of the settings.
pub async fn sources(
    settings: &Settings,
    search: &dyn SearchResults,
    speed: &SpeedSources,
) -> [Source; SourceKind::ALL.len()] {
    [
        search_results(settings, search),
        engines(settings),
        research(settings),
        page_speed(settings, speed),
        search_console(settings).await,
    ]
}

fn source(kind: SourceKind, suppliers: Vec<SupplierTerms>, check: Check) -> Source {
    let state = if check.state == CheckState::Bad {
        SourceState::Off
    } else {
        SourceState::Working
    };
    Source {
        kind,
        suppliers,
        is_simulated: false,
        state,
        check,
    }
}

fn simulated(kind: SourceKind, check: Check) -> Source {
    Source {
        is_simulated: true,
        ..source(kind, vec![], check)
    }
}

fn search_results(settings: &Settings, supplier: &dyn SearchResults) -> Source {
    let kind = SourceKind::SearchResults;
    let subject = kind.title();
    if settings.search.is_simulated() {
        let check = Check::notice(
            subject,
            "sandbox: simulated search results, marked as simulated in every record",
            format!(
                "For real results set {}.",
                required_settings(search::SUPPLIERS)
            ),
        );
        return simulated(kind, check);
    }
    let depth = settings.search.depth.0;
    let (clock, randomness) = system_ports();
    let terms = search_supplier_list(settings, &clock, &randomness);
    let terms = terms.into_iter().map(|(name, it)| SupplierTerms {
        name: name.to_owned(),
        max_cost: Some(it.max_spend(depth).cost),
        refusal: it.paid_call_refusal(depth),
    });
    let names = settings.search.suppliers().join(", then ");
    let check = if let Some(unpaid) = supplier.paid_call_refusal(depth) {
        let message = format!("{names}: no calls are made: {unpaid}");
        Check::bad(subject, message, remedy_for(unpaid))
    } else {
        let max_spend = supplier.max_spend(depth);
        Check::good(
            subject,
            format!(
                "{names} ({}); at most {} call(s) and {} {} per {}; {}",
                supplier.label().engine,
                max_spend.calls,
                max_spend.cost,
                MicroUsd::CURRENCY,
                kind.unit(),
                spending_caps(settings),
            ),
        )
    };
    source(kind, terms.collect(), check)
}

/// Caps from settings; accounts have budgets as well.
fn spending_caps(settings: &Settings) -> String {
    if !settings.search.paid_calls {
        return "no paid calls are made (search.paid_calls)".to_owned();
    }
    let cap = |limit: Option<Cap>| limit.map_or_else(|| "no cap".to_owned(), |it| it.0.to_string());
    format!(
        "maximum cost per call: {}, per day for all accounts: {}",
        cap(settings.search.most_per_call),
        cap(settings.search.most_per_day)
    )
}

fn required_settings<S, P: ?Sized>(suppliers: &[Supplier<S, P>]) -> String {
    join_with_or(
        suppliers
            .iter()
            .map(|it| it.needs)
            .filter(|it| !it.is_empty()),
    )
}

fn remedy_for(unpaid: PaidCallRefusal) -> String {
    match unpaid {
        PaidCallRefusal::SwitchedOff => {
            let free = search::SUPPLIERS.iter().filter(|it| it.is_free);
            let free = join_with_or(free.map(|it| it.needs));
            format!("Set search.paid_calls to true, or configure a free supplier ({free}).")
        }
        PaidCallRefusal::TooExpensive { .. } => {
            "Raise search.most_per_call, or lower search.depth.".to_owned()
        }
        PaidCallRefusal::PriceUnknown => "Set the supplier's price.".to_owned(),
    }
}

fn engines(settings: &Settings) -> Source {
    let kind = SourceKind::AiEngines;
    let subject = kind.title();
    let (clock, randomness) = system_ports();
    let engines = ai_engines(settings, &clock, &randomness);
    let terms: Vec<SupplierTerms> = { engines.all() }
        .map(|engine| {
            let label = engine.label();
            let model = label.model.map(|it| format!(" ({it})"));
            SupplierTerms {
                name: format!("{}{}", label.name, model.unwrap_or_default()),
                max_cost: Some(engine.max_spend().cost),
                refusal: engine.paid_call_refusal(),
            }
        })
        .collect();
    let descriptions = terms.iter().map(|it| match (it.refusal, it.max_cost) {
        (Some(unpaid), _) => format!("{}: no calls are made: {unpaid}", it.name),
        (None, cost) => format!(
            "{}: at most {} {} per {}",
            it.name,
            cost.unwrap_or_default(),
            MicroUsd::CURRENCY,
            kind.unit()
        ),
    });
    let message = descriptions.collect::<Vec<_>>().join("; ");
    if settings.ai.is_simulated(&settings.search) {
        let check = Check::notice(
            subject,
            format!("sandbox: simulated engines, marked as simulated in every record; {message}"),
            format!(
                "For real answers set {}.",
                required_settings(&ai::suppliers())
            ),
        );
        return simulated(kind, check);
    }
    let check = if terms.iter().all(|it| it.refusal.is_none()) {
        Check::good(subject, message)
    } else {
        let todo = "Set ai.paid_calls and search.paid_calls to true, raise ai.most_per_call, or set the prices of the model.";
        Check::bad(subject, message, todo)
    };
    source(kind, terms, check)
}

fn research(settings: &Settings) -> Source {
    let kind = SourceKind::KeywordData;
    let subject = kind.title();
    let (clock, randomness) = system_ports();
    let supplier = keyword_data(settings, &clock, &randomness);
    let [Supplier { name, needs, .. }] = keywords::suppliers();
    if supplier.label().provenance.is_simulated() {
        let check = Check::notice(
            subject,
            "sandbox: simulated figures, marked as simulated in every response",
            format!("For real figures set {needs}."),
        );
        return simulated(kind, check);
    }
    let max_spend = supplier.max_spend();
    let terms = SupplierTerms {
        name: name.to_owned(),
        max_cost: Some(max_spend.cost),
        refusal: supplier.paid_call_refusal(),
    };
    let check = match terms.refusal {
        Some(unpaid) => Check::bad(
            subject,
            format!("{name}: no calls are made: {unpaid}"),
            "Set search.paid_calls to true, raise search.most_per_call, or correct keyword_research.price_per_call.",
        ),
        None => Check::good(
            subject,
            format!(
                "{name}; at most {} call(s) and {} {} per {}; results are cached for all accounts for 30 days",
                max_spend.calls,
                max_spend.cost,
                MicroUsd::CURRENCY,
                kind.unit()
            ),
        ),
    };
    source(kind, vec![terms], check)
}

fn free(name: impl Into<String>) -> SupplierTerms {
    SupplierTerms {
        name: name.into(),
        max_cost: Some(MicroUsd(0)),
        refusal: None,
    }
}

fn page_speed(settings: &Settings, speed: &SpeedSources) -> Source {
    let kind = SourceKind::PageSpeed;
    let subject = kind.title();
    let set = &settings.vitals;
    let browser = speed.browser.missing().is_none();
    let browser = browser.then(|| speed.browser.provider());
    let names = vitals::suppliers(&set.crux, &set.page_speed).map(str::to_owned);
    let names: Vec<String> = names.chain(browser).collect();
    let message = if names.is_empty() {
        "not configured: only figures of files are reported, paint times are null".to_owned()
    } else {
        names.join(", ")
    };
    let field = speed
        .field
        .missing()
        .map(|_| vitals::FIELD_REMEDY.to_owned());
    let lab = { speed.browser.missing() }.filter(|_| speed.other_lab.is_none());
    let todo: Vec<String> = field
        .into_iter()
        .chain(lab.map(|it| format!("{it}.")))
        .collect();
    let check = if todo.is_empty() {
        Check::good(subject, message)
    } else {
        Check::notice(subject, message, todo.join(" "))
    };
    let state = if names.is_empty() {
        SourceState::NotSetUp
    } else {
        SourceState::Working
    };
    Source {
        state,
        ..source(kind, names.into_iter().map(free).collect(), check)
    }
}

/// Whether the service account's key is usable; `sightline search-console status` shows what it may read.
async fn search_console(settings: &Settings) -> Source {
    let kind = SourceKind::SearchConsole;
    let subject = kind.title();
    let Some(file) = &settings.search_console.key_file else {
        let check = Check::good(
            subject,
            "not fetched (search_console.key_file is not set); exported files can be imported",
        );
        return Source {
            state: SourceState::NotSetUp,
            ..source(kind, vec![], check)
        };
    };
    let check = match account_email(file).await {
        Ok(email) => Check::good(
            subject,
            format!(
                "fetched once a day as {email}, which needs read access to the properties (key: {})",
                file.display()
            ),
        ),
        Err(unusable) => {
            let todo = format!("Action: {}.", unusable.remedy);
            Check::bad(subject, unusable.missing, todo)
        }
    };
    source(kind, vec![free("Google")], check)
}
