//! Measures one keyword: queries a supplier and computes the findings. Stores nothing.

use super::keywords::KeywordTask;
use crate::domain_name::SiteDomain;
use crate::job::Job;
use crate::keyword::Keyword;
use crate::ports::clock::Clock;
use crate::ports::paid_call_ledger::{NoPaidCalls, PaidCallLedger};
use crate::ports::search_results::{
    ProviderError, SearchOutcome, SearchQuery, SearchResults, Spent,
};
use crate::results::{
    KeywordHistory, KeywordMeasurement, OwnPlace, PreviousSerp, RankPoint, SearchSource,
    StagedFinding,
};
use analysis::ctr::ClickCurve;
use analysis::document::Document;
use analysis::findings::keyword_market::{FailedMeasurement, Measurement, TrackedKeyword};
use analysis::findings::rankings::{PastRanks, RankInput, RankingRecord};
use analysis::findings::serp::{SerpInput, SerpRecord};
use analysis::findings::{rankings, serp};
use analysis::provenance::Provenance;
use analysis::result_type::ResultType;
use analysis::search_panel::DomainProminence;
use analysis::url_rules::SiteScope;
use std::sync::Arc;

pub struct MeasureKeyword {
    search: Arc<dyn SearchResults>,
    clock: Arc<dyn Clock>,
    depth: u32,
    prominence: Option<DomainProminence>,
    ledger: Arc<dyn PaidCallLedger>,
}

#[derive(Debug, Clone)]
pub struct MeasuredKeyword {
    pub measurement: KeywordMeasurement,
    pub findings: Vec<StagedFinding>,
    /// Supplier calls that are not in the ledger.
    pub calls: u64,
    /// Why it failed; the records state it too.
    pub failure: Option<ProviderError>,
    /// Why fewer results were checked than requested.
    pub truncated_by: Option<ProviderError>,
}

impl MeasuredKeyword {
    /// An error that would stop every further keyword too.
    pub fn permanent_failure(&self) -> Option<&ProviderError> {
        let error = self.failure.as_ref().or(self.truncated_by.as_ref());
        error.filter(|it| it.is_permanent())
    }
}

impl MeasureKeyword {
    pub fn new(search: Arc<dyn SearchResults>, clock: Arc<dyn Clock>, depth: u32) -> Self {
        Self {
            search,
            clock,
            depth,
            prominence: None,
            ledger: Arc::new(NoPaidCalls),
        }
    }

    /// Records paid calls; without a ledger none are made.
    #[must_use]
    pub fn with_ledger(self, ledger: Arc<dyn PaidCallLedger>) -> Self {
        Self { ledger, ..self }
    }

    /// Sets the prominence of domains in the project's last run, an input of keyword difficulty.
    #[must_use]
    pub fn with_prominence(self, prominence: Option<DomainProminence>) -> Self {
        Self { prominence, ..self }
    }

    pub fn supplier(&self) -> crate::ports::search_results::SupplierLabel {
        self.search.label()
    }

    /// Always returns records; after a failure they claim nothing about the rank.
    pub async fn run(&self, job: &Job, site: &SiteDomain, task: &KeywordTask) -> MeasuredKeyword {
        let query = self.query(job, site, &task.keyword);
        let SearchOutcome {
            answer,
            truncated_by: cut_by,
            spent,
        } = self.search.search(&query, &self.ledger).await;
        match answer {
            Ok(page) => MeasuredKeyword {
                truncated_by: cut_by,
                ..self.evaluate(job, site, task, Measurement::Seen(&page), spent)
            },
            Err(error) => {
                let failed = self.failed(&error);
                let evaluated = self.evaluate(job, site, task, Measurement::Failed(&failed), spent);
                MeasuredKeyword {
                    failure: Some(error),
                    ..evaluated
                }
            }
        }
    }

    fn query(&self, job: &Job, site: &SiteDomain, keyword: &Keyword) -> SearchQuery {
        SearchQuery {
            keyword: keyword.text.as_str().to_owned(),
            country: keyword.market.country.to_string(),
            language: keyword.market.language.to_string(),
            device: keyword.market.device,
            location: keyword.market.location.as_ref().map(ToString::to_string),
            depth: self.depth,
            day: job.day,
            site: site.ascii().to_owned(),
        }
    }

    fn failed(&self, error: &ProviderError) -> FailedMeasurement {
        let label = self.search.label();
        FailedMeasurement {
            code: error.code().to_owned(),
            at: self.clock.now(),
            engine: label.engine,
            provider: label.name,
            provenance: label.provenance,
        }
    }

    fn evaluate(
        &self,
        job: &Job,
        site: &SiteDomain,
        task: &KeywordTask,
        measurement: Measurement<'_>,
        spent: Spent,
    ) -> MeasuredKeyword {
        let keyword = tracked(&task.keyword, self.search.label().provenance);
        let site = SiteScope::of(site.ascii());
        let queried = self.search.label().source();
        let source = match measurement {
            Measurement::Seen(page) => SearchSource {
                engine: page.engine.clone(),
                provenance: page.provenance,
            },
            Measurement::Failed(_) => queried.clone(),
        };
        // After a failover to another engine, the series is a different one.
        let unknown = KeywordHistory::default();
        let history = if source == queried {
            &task.history
        } else {
            &unknown
        };
        let serp = serp::snapshot(&SerpInput {
            keyword: &keyword,
            site: &site,
            measurement,
            competitors: None,
            previous: history.serp.as_ref(),
            month_ago: history.month_ago.as_ref(),
            prominence: self.prominence.as_ref(),
        });
        let past = PastRanks {
            points: &history.points,
            best: history.best,
            worst: history.worst,
        };
        // Search Console only has Google data; simulated results represent Google.
        let own = task.own.as_ref().filter(|_| source.is_google());
        let rank = rankings::rank(&RankInput {
            keyword: &keyword,
            site: &site,
            measurement,
            past,
            own_data: own,
            difficulty: serp.difficulty.as_ref().and_then(|it| it.score),
        });

        MeasuredKeyword {
            measurement: to_measurement(job, task, source, &rank, &serp),
            findings: vec![
                staged_rank(&task.keyword, &rank),
                staged_serp(&task.keyword, &serp),
            ],
            calls: spent.calls.saturating_sub(spent.ledger_calls),
            failure: None,
            truncated_by: None,
        }
    }
}

/// The keyword as analysis input, for ranks of that provenance.
pub fn tracked(keyword: &Keyword, ranks: Provenance) -> TrackedKeyword {
    TrackedKeyword {
        project_id: keyword.project.0,
        keyword_id: keyword.id.0,
        keyword: keyword.text.as_str().to_owned(),
        country: keyword.market.country.to_string(),
        location: keyword.market.location.as_ref().map(ToString::to_string),
        language: keyword.market.language.to_string(),
        device: keyword.market.device,
        search_volume: keyword.volume_for_ranks(ranks).map(u64::from),
    }
}

fn to_measurement(
    job: &Job,
    task: &KeywordTask,
    source: SearchSource,
    rank: &RankingRecord,
    serp: &SerpRecord,
) -> KeywordMeasurement {
    let curve = task.own.as_ref().and_then(|it| it.curve.as_ref());
    let curve = curve.filter(|it| it.name() == rank.ctr_model);
    let best = rank.best_position.zip(rank.best_position_at);
    KeywordMeasurement {
        keyword: task.keyword.id,
        job: job.id,
        day: job.day,
        source,
        point: RankPoint::of(rank),
        own: own_places(rank, curve),
        best: best.map(|(position, at)| rankings::BestPosition { position, at }),
        worst: rank.worst_position,
        serp: PreviousSerp::of(serp),
    }
}

/// Own results for comparison over weeks. Expected clicks use the published curve, so that the day
/// a project gets its own curve causes no jump.
fn own_places(rank: &RankingRecord, own: Option<&ClickCurve>) -> Vec<OwnPlace> {
    let places = rank.own_urls.iter().map(|it| OwnPlace {
        url: it.url.clone(),
        position: it.position,
        expected_ctr: match own {
            None => Some(it.expected_ctr),
            Some(own) => own.as_published(it.position, it.expected_ctr),
        },
    });
    places.collect()
}

fn staged_rank(keyword: &Keyword, rank: &RankingRecord) -> StagedFinding {
    StagedFinding {
        result_type: ResultType::Rankings,
        ordinal: keyword.id.0,
        keyword: Some(keyword.id),
        url: rank.envelope.url.clone(),
        sort_value: rank.position.map(f64::from),
        measured_at: rank.envelope.measured_at,
        record: Document::of(rank),
    }
}

fn staged_serp(keyword: &Keyword, serp: &SerpRecord) -> StagedFinding {
    StagedFinding {
        result_type: ResultType::Serp,
        ordinal: keyword.id.0,
        keyword: Some(keyword.id),
        url: None,
        sort_value: None,
        measured_at: serp.envelope.measured_at,
        record: Document::of(serp),
    }
}
