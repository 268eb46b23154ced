use super::Core;
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::job::JobStatus;
use crate::job::kind::AnalysisKind;
use crate::page::{Direction, Page, PageRequest};
use crate::ports::jobs::{JobFilter, JobSort};
use crate::ports::storage::{Repositories, StorageError};
use crate::project::Project;
use crate::results::{Finding, FindingQuery, FindingSort, ResultHead};
use crate::search_console::{PageDay, RowSubject, choose_basis};
use analysis::findings::ai_trends::TallyFold;
use analysis::findings::ai_visibility::PromptTally;
use analysis::result_type::ResultType;
use chrono::{DateTime, Days, NaiveDate, Utc};

/// Tallies held in memory at once besides their sums.
const BATCH: u32 = 500;
/// Days of page clicks: two months before and after a fix.
const PAGE_DAYS: u64 = 120;
/// How far back imported rows are read.
const LOOKBACK: Days = Days::new(160);

#[derive(Debug, Clone, PartialEq)]
pub struct ResultsRequest {
    pub project: ProjectId,
    pub result_type: ResultType,
    pub keyword: Option<KeywordId>,
    pub url: Option<String>,
    /// Only records with this ordinal in each run.
    pub ordinal: Option<i64>,
    /// Measured at or after.
    pub from: Option<DateTime<Utc>>,
    /// Measured before.
    pub to: Option<DateTime<Utc>>,
    /// All runs, not only the newest.
    pub history: bool,
    pub page: PageRequest<FindingSort>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ProjectResults {
    pub project: Project,
    /// Head of the newest run; `None` if the type was never measured.
    pub head: Option<ResultHead>,
    /// The unfinished job that will produce the type, if there are no results yet.
    pub pending: Option<JobId>,
    pub findings: Page<Finding>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AllResults {
    pub project: Project,
    /// Heads of measured types, each with its first records.
    pub heads: Vec<(ResultHead, Vec<Finding>)>,
    pub pending: Vec<(AnalysisKind, JobId)>,
}

#[derive(Debug)]
pub struct TopResults {
    /// The newest rank check, if any.
    pub head: Option<ResultHead>,
    /// Its records about these keywords, unordered.
    pub records: Vec<Finding>,
}

impl Core {
    /// One type; `None` if the account has no such project.
    pub async fn results(
        &self,
        account: AccountId,
        request: &ResultsRequest,
    ) -> Result<Option<ProjectResults>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(project) = read.projects().find(account, request.project).await? else {
            return Ok(None);
        };
        let head = read
            .results()
            .head(account, project.id, request.result_type)
            .await?;
        let Some(head) = head else {
            let kind = AnalysisKind::for_result(request.result_type);
            let pending = pending(read.as_mut(), account, project.id).await?;
            let pending = pending
                .into_iter()
                .find_map(|(of, job)| (of == kind).then_some(job));
            return Ok(Some(ProjectResults {
                project,
                head: None,
                pending,
                findings: Page::empty(),
            }));
        };
        let findings = read
            .results()
            .findings(account, project.id, &query(request, head.job))
            .await?;
        Ok(Some(ProjectResults {
            project,
            head: Some(head),
            pending: None,
            findings,
        }))
    }

    /// All types, each with its first `top` records; `None` if the account has no such project.
    pub async fn all_results(
        &self,
        account: AccountId,
        project: ProjectId,
        top: u32,
    ) -> Result<Option<AllResults>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(project) = read.projects().find(account, project).await? else {
            return Ok(None);
        };
        let heads = read.results().heads(account, project.id, top).await?;
        let pending = pending(read.as_mut(), account, project.id).await?;
        Ok(Some(AllResults {
            project,
            heads,
            pending,
        }))
    }

    /// Top pages of the newest rank check for these keywords; `None` if the account has no such project.
    pub async fn top_results(
        &self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
    ) -> Result<Option<TopResults>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let serp = ResultType::Serp;
        let head = read.results().head(account, project, serp).await?;
        let records = match &head {
            Some(head) => {
                { read.results() }
                    .find_by_keywords(account, project, (serp, head.job), keywords)
                    .await?
            }
            None => Vec::new(),
        };
        Ok(Some(TopResults { head, records }))
    }

    /// Tallies of an engine since a day, folded into weeks: memory grows with prompts and weeks, not with runs.
    pub async fn tallies(
        &self,
        account: AccountId,
        project: ProjectId,
        engine: &str,
        since: NaiveDate,
        fold: TallyFold,
    ) -> Result<Vec<PromptTally>, StorageError> {
        let (mut fold, mut after) = (fold, None);
        loop {
            let mut read = self.storage.read().await?;
            let rows = read
                .answers()
                .tallies(account, project, engine, since, after, BATCH)
                .await?;
            drop(read);
            let is_last = rows.len() < BATCH as usize;
            for row in rows {
                after = Some(row.cursor());
                for tally in row.tallies {
                    fold.add(tally);
                }
            }
            if is_last {
                return Ok(fold.finish());
            }
        }
    }

    /// Daily Search Console figures of some pages over all queries, as of a day, unordered; days
    /// without a row are omitted. Empty if only whole periods were imported.
    pub async fn page_days(
        &self,
        account: AccountId,
        project: ProjectId,
        on: NaiveDate,
        pages: &[String],
    ) -> Result<Vec<PageDay>, StorageError> {
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, on - LOOKBACK)
            .await?;
        let basis = choose_basis(&stored, RowSubject::Page, on, PAGE_DAYS);
        match basis.filter(|it| it.spans.len() > 1) {
            None => Ok(Vec::new()),
            Some(basis) => {
                let rows = read.console_rows();
                rows.page_days(account, &basis.spans, pages).await
            }
        }
    }
}

fn query(request: &ResultsRequest, newest: JobId) -> FindingQuery {
    FindingQuery {
        result_type: request.result_type,
        job: (!request.history).then_some(newest),
        keyword: request.keyword,
        url: request.url.clone(),
        ordinal: request.ordinal,
        from: request.from,
        to: request.to,
        page: request.page.clone(),
    }
}

/// The project's unfinished jobs; only a few, because equivalent jobs are merged.
async fn pending(
    read: &mut dyn Repositories,
    account: AccountId,
    project: ProjectId,
) -> Result<Vec<(AnalysisKind, JobId)>, StorageError> {
    let newest = PageRequest {
        sort: JobSort::CreatedAt,
        direction: Direction::Descending,
        after: None,
        limit: 20,
        counted: false,
        bytes: None,
    };
    let mut unfinished = Vec::new();
    let filter = JobFilter {
        project: Some(project),
        ..JobFilter::default()
    };
    for job in read.jobs().list(account, &filter, &newest).await?.items {
        if matches!(
            job.state.status(),
            JobStatus::Queued | JobStatus::Running | JobStatus::Retrying
        ) {
            unfinished.push((job.kind, job.id));
        }
    }
    Ok(unfinished)
}
