//! Keyword data of DataForSEO Labs, two calls per query: `POST {base}/v3/dataforseo_labs/google/related_keywords/live`
//! for the keyword's metrics, its SERP features and related searches; `…/keyword_suggestions/live` for longer phrases.
//!
//! Source: `docs.dataforseo.com/v3/dataforseo_labs/google/related_keywords/live` and `…/keyword_suggestions/live`,
//! copies and public clients of 2026-11-22.

use super::figures;
use crate::http_client::RawResponse;
use crate::paid_calls::{Billed, Counter, SpendingRules, micro_usd};
use crate::resilience::{Billing, CallFailure, Guard};
use crate::search::data_for_seo::locations::country_code;
use crate::search::data_for_seo::wire::{Elements, Item};
use crate::search::data_for_seo::{DataForSeo, unsupported_country};
use crate::supplier::SupplierContext;
use analysis::{
    keyword_text::normalized,
    observation::keyword_research::{IdeaRelation, KeywordFigures, KeywordIdea, ResearchedKeyword},
    provenance::Provenance,
};
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::keyword_data::{
    KeywordData, KeywordDataLabel, KeywordDataOutcome, KeywordQuery, OPERATION,
};
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{PaidCallRefusal, ProviderError, Spent};
use serde_json::{Map, Value, json};
use std::{collections::HashSet, sync::Arc, time::Duration};

const RELATED: &str = "/v3/dataforseo_labs/google/related_keywords/live";
const SUGGESTIONS: &str = "/v3/dataforseo_labs/google/keyword_suggestions/live";

const CALLS: u64 = 2;
/// Levels of related searches; the second adds up to 72.
const DEPTH: u32 = 2;
const MAX_RELATED: u32 = 60;
const MAX_SUGGESTIONS: u32 = 100;
/// For all calls and pauses of a query: shorter than its reservation lasts.
const RESEARCH_TIMEOUT: Duration = Duration::from_mins(1);

pub(super) struct Labs {
    client: DataForSeo,
    guard: Guard,
    clock: Arc<dyn Clock>,
    spending: SpendingRules,
    /// Maximum price of a call, in millionths of a US dollar.
    price: u64,
}

struct LabsResponse {
    seed: Option<Map<String, Value>>,
    others: Vec<Map<String, Value>>,
    cost: Option<u64>,
}

impl Billed for LabsResponse {
    fn reported_cost(&self) -> Option<u64> {
        self.cost
    }
}

impl Labs {
    pub(super) fn new(client: DataForSeo, price: u64, ctx: &SupplierContext) -> Self {
        Self {
            client,
            guard: ctx.guard("dataForSeo", OPERATION),
            clock: ctx.clock(),
            spending: ctx.spending,
            price,
        }
    }

    async fn fetch(
        &self,
        query: &KeywordQuery,
        counter: &mut Counter<'_>,
    ) -> Result<ResearchedKeyword, ProviderError> {
        let place = country_code(&query.country).ok_or_else(unsupported_country)?;
        let task = json!({
            "keyword": query.keyword,
            "location_code": place,
            "language_code": query.language,
            "include_seed_keyword": true,
        });
        let mut related = task.clone();
        related["include_serp_info"] = json!(true);
        related["depth"] = json!(DEPTH);
        related["limit"] = json!(MAX_RELATED);
        let related = self.call(query, counter, RELATED, related).await?;
        let mut suggestions = task;
        suggestions["limit"] = json!(MAX_SUGGESTIONS);
        let suggestions = self.call(query, counter, SUGGESTIONS, suggestions).await?;
        Ok(self.merge(query, &related, &suggestions))
    }

    async fn call(
        &self,
        query: &KeywordQuery,
        counter: &mut Counter<'_>,
        path: &'static str,
        task: Value,
    ) -> Result<LabsResponse, ProviderError> {
        let step = format!(
            "dataForSeo {path} of {} {}: {}",
            query.country, query.language, query.keyword
        );
        let tasks = json!([task]);
        counter
            .call(
                step,
                |text| self.client.without_credentials(text),
                || self.client.post(path, &tasks),
                |answer| self.read(answer),
            )
            .await
    }

    fn read(&self, answer: &RawResponse) -> Result<LabsResponse, CallFailure> {
        let Elements {
            items, seed, cost, ..
        } = self.client.parse_elements(answer)?;
        // Related keywords are nested one level deeper than suggestions.
        let data = |Item(mut item): Item| match item.remove("keyword_data") {
            Some(Value::Object(data)) => data,
            _ => item,
        };
        let seed = match seed {
            Some(Value::Object(seed)) => Some(seed),
            _ => None,
        };
        Ok(LabsResponse {
            seed,
            others: items.into_iter().map(data).collect(),
            cost,
        })
    }

    fn merge(
        &self,
        query: &KeywordQuery,
        related: &LabsResponse,
        suggestions: &LabsResponse,
    ) -> ResearchedKeyword {
        let own = normalized(&query.keyword);
        let is_own = |data: &&Map<String, Value>| {
            let keyword = data.get("keyword").and_then(Value::as_str);
            keyword.is_some_and(|it| normalized(it) == own)
        };
        // Some answers have the keyword only among the related ones.
        let seed = { related.seed.as_ref() }
            .or_else(|| related.others.iter().find(is_own))
            .or(suggestions.seed.as_ref())
            .or_else(|| suggestions.others.iter().find(is_own));
        let mut known_keywords = HashSet::from([own.clone()]);
        let sources = [
            (&related.others, IdeaRelation::Related),
            (&suggestions.others, IdeaRelation::Phrase),
        ];
        let ideas = sources
            .into_iter()
            .flat_map(|(others, relation)| others.iter().map(move |data| (data, relation)));
        let ideas = ideas.filter_map(|(data, relation)| {
            let keyword = data.get("keyword").and_then(Value::as_str)?;
            let is_new = !keyword.trim().is_empty() && known_keywords.insert(normalized(keyword));
            is_new.then(|| KeywordIdea {
                keyword: keyword.to_owned(),
                relation,
                figures: figures::keyword_figures(data),
            })
        });
        let label = self.label();
        ResearchedKeyword {
            provider: label.name,
            provenance: label.provenance,
            fetched_at: self.clock.now(),
            figures: seed.map_or_else(KeywordFigures::default, figures::keyword_figures),
            features: seed.and_then(figures::features),
            ideas: ideas.collect(),
        }
    }
}

#[async_trait]
impl KeywordData for Labs {
    fn label(&self) -> KeywordDataLabel {
        KeywordDataLabel {
            name: "keyword data".to_owned(),
            provenance: Provenance::Estimated,
        }
    }

    fn max_spend(&self) -> Spent {
        Spent::on(CALLS, micro_usd(self.price))
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        self.spending.objection(self.price)
    }

    async fn research(
        &self,
        query: &KeywordQuery,
        ledger: &Arc<dyn PaidCallLedger>,
    ) -> KeywordDataOutcome {
        if let Some(unpaid) = self.paid_call_refusal() {
            return KeywordDataOutcome {
                answer: Err(ProviderError::PaidCallRefused(unpaid)),
                spent: Spent::default(),
            };
        }
        let mut counter = Counter::new(&self.guard, ledger.as_ref(), Billing::PerCall, self.price);
        let fetched = tokio::time::timeout(RESEARCH_TIMEOUT, self.fetch(query, &mut counter)).await;
        match fetched {
            Ok(answer) => KeywordDataOutcome {
                answer,
                spent: counter.spent,
            },
            // Whether the call under way was billed is unknown.
            Err(_) => KeywordDataOutcome {
                answer: Err(ProviderError::TimedOut),
                spent: self.max_spend(),
            },
        }
    }
}
