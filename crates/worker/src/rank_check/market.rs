//! Evaluates all SERPs together: share of voice, competitors, prominence and keyword priorities.

use super::head::{HeadContext, HeadInput, project_finding};
use super::market_history::{CompetitorHistory, PageHistory};
use super::project_overrides::SiteOverrides;
use crate::{WorkerContext, attempt_state::AttemptFailure};
use analysis::ctr::ClickCurve;
use analysis::document::{Document, FromJson};
use analysis::findings::ai_visibility::AiVisibilitySummary;
use analysis::findings::competitors::{AiRates, CompetitorsContext, CompetitorsSummary};
use analysis::findings::rankings::RankingRecord;
use analysis::findings::serp::SerpRecord;
use analysis::findings::sov::{EarlierPages, SovContext, SovSummary};
use analysis::findings::{competitors, sov};
use analysis::keyword_metrics::{Priority, PriorityInput, priorities};
use analysis::provenance::Provenance;
use analysis::result_type::ResultType;
use analysis::search_panel::{DomainProminence, Panel, PanelPage, PanelTopic};
use chrono::{DateTime, Utc};
use domain::job::Job;
use domain::keyword::Keyword;
use domain::ports::storage::StorageError;
use domain::results::{CarriedKind, ResultHead, StagedFinding};
use domain::use_cases::summarize_rankings::RecordObserver;
use std::collections::BTreeMap;

/// Keywords per batch.
const BATCH: u32 = 1_000;

pub(super) struct Market<'a> {
    panel: Panel<'a>,
    sites: &'a SiteOverrides,
    topics: BTreeMap<i64, PanelTopic>,
    priority_inputs: Vec<(i64, PriorityInput)>,
    /// The latest AI visibility summary, if there is one.
    ai: Option<AiVisibilitySummary>,
}

pub(super) struct MarketFindings {
    pub(super) staged: Vec<StagedFinding>,
    pub(super) heads: Vec<ResultHead>,
    pub(super) carried: Vec<(CarriedKind, Document)>,
}

impl<'a> Market<'a> {
    pub(super) async fn of(
        tools: &WorkerContext,
        job: &Job,
        sites: &'a SiteOverrides,
        now: DateTime<Utc>,
    ) -> Result<Self, AttemptFailure> {
        let mut topics = BTreeMap::new();
        let ranks = tools.search.label().provenance;
        let mut keywords = tools.core.walk_keywords(job.account, job.project, BATCH);
        while let Some(batch) = keywords.next().await? {
            topics.extend(batch.iter().map(|it| (it.id.0, topic(it, ranks))));
        }
        Ok(Self {
            sites,
            panel: Panel::new(&sites.own, ClickCurve::published(), now),
            topics,
            priority_inputs: Vec::new(),
            ai: newest_ai_summary(tools, job).await?,
        })
    }

    /// Priority of each keyword among all, by ordinal of its ranking record.
    pub(super) fn priorities(&self) -> BTreeMap<i64, Priority> {
        let inputs: Vec<PriorityInput> = self.priority_inputs.iter().map(|(_, it)| *it).collect();
        let places = self.priority_inputs.iter().map(|(ordinal, _)| *ordinal);
        places
            .zip(priorities(&inputs))
            .filter_map(|(ordinal, priority)| Some((ordinal, priority?)))
            .collect()
    }

    pub(super) fn evaluate(
        mut self,
        run: &HeadContext<'_>,
        mut pages: PageHistory,
        mut competitors: CompetitorHistory,
    ) -> MarketFindings {
        for topic in std::mem::take(&mut self.topics).into_values() {
            self.panel.add_missing(topic);
        }
        let mut found = MarketFindings {
            staged: Vec::new(),
            heads: Vec::new(),
            carried: vec![(
                CarriedKind::Prominence,
                Document::of(&self.panel.prominence()),
            )],
        };
        self.add_shares(run, &mut pages, &mut found);
        self.add_competitors(run, &mut competitors, &mut found);
        found
    }

    fn add_shares(
        &self,
        run: &HeadContext<'_>,
        past: &mut PageHistory,
        found: &mut MarketFindings,
    ) {
        let records = sov::shares(
            &self.panel,
            &SovContext {
                project_id: run.job.project.0,
                tracked: &self.sites.tracked,
                week_ago: past.a_week_before(run.job.day),
                month_ago: past.a_month_before(run.job.day),
                provider: Some(run.provider),
            },
        );
        let measured_at = self.panel.measured_at();
        for (place, record) in records.iter().enumerate() {
            let staged = project_finding(ResultType::Sov, place, measured_at, Document::of(record));
            found.staged.push(StagedFinding {
                sort_value: record.sov,
                ..staged
            });
        }
        let Some(summary) = SovSummary::of(&records) else {
            return;
        };
        let summary = SovSummary {
            ai_share_of_voice: self.ai.as_ref().and_then(|it| it.share_of_voice),
            ..summary
        };
        past.remember(run.job.day, EarlierPages::of(&self.panel));
        found.heads.push(run.head(HeadInput {
            result_type: ResultType::Sov,
            method: sov::METHOD_VERSION,
            coverage: summary.coverage,
            records: records.len(),
            summary: Document::of(&summary),
        }));
        found
            .carried
            .push((CarriedKind::PageHistory, Document::of(past)));
    }

    fn add_competitors(
        &self,
        run: &HeadContext<'_>,
        past: &mut CompetitorHistory,
        found: &mut MarketFindings,
    ) {
        let records = competitors::competitors(
            &self.panel,
            &CompetitorsContext {
                project_id: run.job.project.0,
                pinned: &self.sites.pinned,
                home_page_types: &BTreeMap::new(),
                earlier: &past.as_of(run.job.day, self.panel.curve()),
                ai: &ai_rates(self.ai.as_ref()),
                provider: Some(run.provider),
            },
        );
        let measured_at = self.panel.measured_at();
        for (place, record) in records.iter().enumerate() {
            let document = Document::of(record);
            let staged = project_finding(ResultType::Competitors, place, measured_at, document);
            found.staged.push(StagedFinding {
                sort_value: record.competitor_score,
                ..staged
            });
        }
        let summary = CompetitorsSummary::of(&records, &self.panel);
        past.remember(run.job.day, self.panel.curve(), &records);
        found.heads.push(run.head(HeadInput {
            result_type: ResultType::Competitors,
            method: competitors::METHOD_VERSION,
            coverage: summary.coverage,
            records: records.len(),
            summary: Document::of(&summary),
        }));
        found
            .carried
            .push((CarriedKind::CompetitorHistory, Document::of(past)));
    }
}

impl RecordObserver for Market<'_> {
    fn rank(&mut self, ordinal: i64, record: &RankingRecord) {
        self.priority_inputs.push((
            ordinal,
            PriorityInput {
                opportunity: record.opportunity,
                cpc: None,
                intent: record.intent,
                trend: None,
            },
        ));
    }

    fn page(&mut self, record: &SerpRecord) {
        let keyword = record.envelope.keyword_id;
        let Some(topic) = keyword.and_then(|id| self.topics.remove(&id)) else {
            return;
        };
        match PanelPage::of_record(record) {
            Some(page) => self.panel.add(topic, &page),
            None => self.panel.add_missing(topic),
        }
    }
}

fn topic(keyword: &Keyword, ranks: Provenance) -> PanelTopic {
    PanelTopic {
        keyword_id: keyword.id.0,
        keyword: keyword.text.as_str().to_owned(),
        search_volume: keyword.volume_for_ranks(ranks).map(u64::from),
        tags: keyword.tags.iter().map(ToString::to_string).collect(),
        page_group: None,
    }
}

/// The latest AI visibility summary; a simulated one only beside simulated pages.
async fn newest_ai_summary(
    tools: &WorkerContext,
    job: &Job,
) -> Result<Option<AiVisibilitySummary>, StorageError> {
    let mut read = tools.core.storage.read().await?;
    let head = read
        .results()
        .head(job.account, job.project, ResultType::AiVisibility)
        .await?;
    let pages = tools.search.label().provenance;
    let may_stand = |it: &ResultHead| !it.provenance.is_simulated() || pages.is_simulated();
    let summary = { head.filter(may_stand) }.map(|it| it.summary.parse());
    let summary = summary.transpose();
    summary.map_err(|_| StorageError::Corrupt {
        subject: "a summary",
    })
}

fn ai_rates(summary: Option<&AiVisibilitySummary>) -> BTreeMap<String, AiRates> {
    let named = summary.into_iter().flat_map(|it| &it.competitors);
    let rates = named.filter_map(|it| {
        let rates = AiRates {
            mention_rate: it.mention_rate,
            citation_rate: it.citation_rate,
        };
        Some((it.domain.clone()?, rates))
    });
    rates.collect()
}

pub(super) async fn last_prominence(
    tools: &WorkerContext,
    job: &Job,
) -> Result<Option<DomainProminence>, StorageError> {
    load_carried_over(tools, job, CarriedKind::Prominence).await
}

pub(super) async fn load_carried_over<T: FromJson>(
    tools: &WorkerContext,
    job: &Job,
    of: CarriedKind,
) -> Result<Option<T>, StorageError> {
    let mut read = tools.core.storage.read().await?;
    let carried = read
        .results()
        .carried_over(job.account, job.project, of)
        .await?;
    carried
        .map(|it| it.parse())
        .transpose()
        .map_err(|_| StorageError::Corrupt {
            subject: "what the last run left behind",
        })
}
