use crate::settings::Settings;
use crate::wiring::{ai_engines, keyword_data, search_results, system_ports};
use domain::money::MicroUsd;
use domain::ports::storage::{Storage, StorageError};
use providers::keywords;
use std::{collections::BTreeSet, sync::Arc};

pub const REMEDY: &str = "Set search.most_per_day for all accounts together, or a budget per account: sightline account limits --email … --monthly-budget 100. The budget of new accounts is new_accounts.monthly_budget.";

pub fn paid_sources(settings: &Settings) -> BTreeSet<String> {
    let (clock, randomness) = system_ports();
    let depth = settings.search.depth.0;
    let search = search_results(settings, &clock, &randomness);
    let research = keyword_data(settings, &clock, &randomness);
    let engines = ai_engines(settings, &clock, &randomness);
    let costs = |cost: MicroUsd| cost > MicroUsd(0);
    let mut paid = BTreeSet::new();
    if !settings.search.is_simulated()
        && search.paid_call_refusal(depth).is_none()
        && costs(search.max_spend(depth).cost)
    {
        paid.extend(settings.search.suppliers().iter().map(ToString::to_string));
    }
    if !research.label().provenance.is_simulated()
        && research.paid_call_refusal().is_none()
        && costs(research.max_spend().cost)
    {
        paid.extend(keywords::suppliers().map(|it| it.name.to_owned()));
    }
    let engines = { engines.all() }
        .filter(|it| it.paid_call_refusal().is_none() && costs(it.max_spend().cost))
        .filter(|it| !it.label().provenance.is_simulated());
    paid.extend(engines.map(|it| it.label().name));
    paid
}

/// A sentence that names the accounts that may spend without a limit; `None` if there are none.
pub async fn unbounded_spenders(
    settings: &Settings,
    storage: Arc<dyn Storage>,
) -> Result<Option<String>, StorageError> {
    let paid = paid_sources(settings);
    if paid.is_empty() || settings.search.most_per_day.is_some() {
        return Ok(None);
    }
    let accounts = storage
        .read()
        .await?
        .accounts()
        .count_without_budget()
        .await?;
    let future = settings.new_accounts.is_without_budget();
    let spenders = match (accounts, future) {
        (0, false) => return Ok(None),
        (0, true) => "new accounts".to_owned(),
        (accounts, false) => format!("{accounts} account(s)"),
        (accounts, true) => format!("{accounts} account(s) and all new accounts"),
    };
    let paid: Vec<_> = paid.into_iter().collect();
    Ok(Some(format!(
        "{spenders} have no spending limit for the paid suppliers {}",
        paid.join(", ")
    )))
}
