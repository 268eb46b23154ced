//! Summarizes what a rank check measured, over all its attempts.

use super::Core;
use super::leases::{LeaseError, LeaseToken};
use crate::ids::KeywordId;
use crate::job::Job;
use crate::keyword::LatestRank;
use crate::ports::storage::{StorageError, Transaction};
use crate::results::{CARRIED_OVER_ORDINAL, Coverage, RankPoint, ResultHead};
use analysis::document::Document;
use analysis::findings::rankings::{RankingRecord, RankingsSummary, RankingsTally};
use analysis::findings::serp::{SerpRecord, SerpTally};
use analysis::findings::{rankings, serp};
use analysis::provenance::{Provenance, RecordStatus};
use analysis::result_type::ResultType;
use chrono::{DateTime, Utc};

/// Warning of results with carried-over records; `measuredAt` of each record gives its age.
const CARRIED_OVER: &str = "carriedOver";
/// Records held in memory at once: search pages are large.
const BATCH: u32 = 50;
const CORRUPT: StorageError = StorageError::Corrupt {
    subject: "a staged record",
};

/// Observes all records during summarizing, so that they are read only once.
pub trait RecordObserver: Send {
    /// A keyword's ranking record and its ordinal.
    fn rank(&mut self, ordinal: i64, record: &RankingRecord);
    fn page(&mut self, record: &SerpRecord);
}

impl RecordObserver for () {
    fn rank(&mut self, _: i64, _: &RankingRecord) {}
    fn page(&mut self, _: &SerpRecord) {}
}

#[derive(Debug, Clone)]
pub struct RankCheckSummary {
    pub heads: Vec<ResultHead>,
    pub latest: Vec<(KeywordId, LatestRank)>,
    pub coverage: Coverage,
    pub rankings: RankingsSummary,
}

#[derive(Default)]
struct RankCheckTotals {
    /// Records carried over from earlier runs.
    carried_over: u64,
    /// Failed measurements of this run.
    failed: u64,
    rankings: RankingsTally,
    serp: SerpTally,
    latest: Vec<(KeywordId, LatestRank)>,
    supplier: Option<(String, Provenance)>,
    measured_at: Option<DateTime<Utc>>,
}

impl Core {
    /// Summary of a rank check of `requested` keywords; reads records in batches. Keywords that the
    /// job did not measure are carried over from the newest results, so that a check of three
    /// keywords does not hide the others.
    pub async fn summarize_rankings(
        &self,
        job: &Job,
        requested: u64,
        onlooker: &mut dyn RecordObserver,
    ) -> Result<RankCheckSummary, LeaseError> {
        self.carry_over_rankings(job).await?;
        let mut sums = RankCheckTotals::default();
        let mut ranks = self.walk_staged(job, ResultType::Rankings, BATCH);
        while let Some(batch) = ranks.next().await? {
            for staged in batch {
                let record: RankingRecord = staged.record.parse().map_err(|_| CORRUPT)?;
                sums.add_rank(&record, staged.ordinal);
                onlooker.rank(staged.ordinal, &record);
            }
        }
        let mut pages = self.walk_staged(job, ResultType::Serp, BATCH);
        while let Some(batch) = pages.next().await? {
            for staged in batch {
                let record: SerpRecord = staged.record.parse().map_err(|_| CORRUPT)?;
                sums.serp.add(&record);
                onlooker.page(&record);
            }
        }
        Ok(sums.finish(job, requested, self.clock.now()))
    }

    async fn carry_over_rankings(&self, job: &Job) -> Result<(), LeaseError> {
        let carry = |mut work: Box<dyn Transaction>, _, _| async move {
            for result_type in [ResultType::Rankings, ResultType::Serp] {
                work.measurements()
                    .stage_carried_over(job.account, job.project, job.id, result_type)
                    .await?;
            }
            Ok(work.commit().await?)
        };
        self.with_lease(LeaseToken::of(job), carry).await
    }
}

impl RankCheckTotals {
    fn add_rank(&mut self, record: &RankingRecord, ordinal: i64) {
        self.rankings.add(record);
        if ordinal >= CARRIED_OVER_ORDINAL {
            self.carried_over += 1;
            return;
        }
        let envelope = &record.envelope;
        self.failed += u64::from(envelope.status == RecordStatus::Error);
        self.measured_at = self.measured_at.max(Some(envelope.measured_at));
        if envelope.status != RecordStatus::Error || self.supplier.is_none() {
            self.supplier = Some((
                envelope.provider.clone().unwrap_or_default(),
                envelope.provenance,
            ));
        }
        let Some(keyword) = envelope.keyword_id else {
            return;
        };
        let point = RankPoint::of(record);
        let latest = LatestRank {
            position: point.position,
            url: point.url,
            measured_at: point.measured_at,
            state: point.state,
        };
        self.latest.push((KeywordId(keyword), latest));
    }

    fn finish(self, job: &Job, requested: u64, now: DateTime<Utc>) -> RankCheckSummary {
        let own = self.latest.len() as u64;
        let coverage = Coverage::new(requested, own.saturating_sub(self.failed), self.failed);
        let count = own + self.carried_over;
        // Requested keywords that were not measured may be among the carried-over ones.
        let whole = requested.max(count);
        let rankings = self.rankings.finish(whole);
        let serp = self.serp.finish(whole);
        let warnings: Vec<String> = (self.carried_over > 0)
            .then(|| CARRIED_OVER.to_owned())
            .into_iter()
            .collect();
        let (provider, provenance) = self
            .supplier
            .unwrap_or_else(|| (String::new(), Provenance::Measured));
        let head = |result_type, method_version: &str, coverage, summary| ResultHead {
            account: job.account,
            project: job.project,
            result_type,
            job: job.id,
            generated_at: now,
            measured_at: self.measured_at.unwrap_or(now),
            method_version: method_version.to_owned(),
            provider: provider.clone(),
            provenance,
            coverage,
            item_count: count,
            summary,
            warnings: warnings.clone(),
        };
        let heads = vec![
            head(
                ResultType::Rankings,
                rankings::METHOD_VERSION,
                rankings.coverage,
                Document::of(&rankings),
            ),
            head(
                ResultType::Serp,
                serp::METHOD_VERSION,
                serp.coverage,
                Document::of(&serp),
            ),
        ];
        RankCheckSummary {
            heads,
            latest: self.latest,
            coverage,
            rankings,
        }
    }
}
