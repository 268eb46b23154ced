//! Published results.

use super::paging::{CursorCodec, Place, moment, page};
use super::state::State;
use super::{Session, Stored};
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::kept_pages::StagedPage;
use crate::page::{Page, PageCursor, SortValue};
use crate::ports::results::ResultRepository;
use crate::results::{
    CARRIED_OVER_ORDINAL, CarriedKind, Finding, FindingQuery, FindingSort, ResultHead,
    StagedFinding,
};
use analysis::{document::Document, result_type::ResultType};
use async_trait::async_trait;

/// Job and ordinal identify a record of a type.
type RecordId = (JobId, i64);

/// Within one run, the ordinal is unique.
const IN_A_RUN: CursorCodec<RecordId> = CursorCodec {
    encode: |place| PageCursor {
        value: place.value.clone(),
        id: place.id.1,
    },
    decode: |position| {
        Some(Place {
            value: position.value.clone(),
            id: (JobId(0), position.id),
        })
    },
};

/// A position has two values, so job and sort value share a text.
const OVER_RUNS: CursorCodec<RecordId> = CursorCodec {
    encode: |place| {
        let value = match &place.value {
            SortValue::Number(it) => format!("n{it}"),
            SortValue::Real(it) => format!("r{it}"),
            SortValue::Text(_) | SortValue::Missing => String::new(),
        };
        PageCursor {
            value: SortValue::Text(format!("{}/{value}", place.id.0)),
            id: place.id.1,
        }
    },
    decode: |position| {
        let SortValue::Text(text) = &position.value else {
            return None;
        };
        let (job, value) = text.split_once('/')?;
        let value = match (value.get(..1), value.get(1..)) {
            (Some("n"), Some(it)) => SortValue::Number(it.parse().ok()?),
            (Some("r"), Some(it)) => SortValue::Real(it.parse().ok()?),
            _ => SortValue::Missing,
        };
        let id = (JobId(job.parse().ok()?), position.id);
        Some(Place { value, id })
    },
};

fn finding(job: JobId, of: &StagedFinding) -> Finding {
    Finding {
        job,
        ordinal: of.ordinal,
        sort_value: of.sort_value,
        measured_at: of.measured_at,
        record: of.record.clone(),
    }
}

impl State {
    fn records(
        &self,
        account: AccountId,
        project: ProjectId,
        result_type: ResultType,
    ) -> impl Iterator<Item = (JobId, &StagedFinding)> {
        let findings = self.findings.iter().filter(move |(key, _)| {
            (key.0, key.1, key.2.0) == (account, project, result_type.name())
        });
        findings.map(|(key, finding)| (key.2.1, finding))
    }

    fn is_wanted(
        &self,
        account: AccountId,
        job: JobId,
        of: &StagedFinding,
        query: &FindingQuery,
    ) -> bool {
        let is_unfinished = || {
            let found = self.jobs.get(&(account, job));
            found.is_some_and(|it| it.state.is_unfinished())
        };
        let is_of_run = match query.job {
            Some(wanted) => job == wanted,
            None => of.ordinal < CARRIED_OVER_ORDINAL && !is_unfinished(),
        };
        is_of_run
            && query.keyword.is_none_or(|it| of.keyword == Some(it))
            && { query.url.as_ref() }.is_none_or(|it| of.url.as_ref() == Some(it))
            && query.ordinal.is_none_or(|it| of.ordinal == it)
            && query.from.is_none_or(|it| of.measured_at >= it)
            && query.to.is_none_or(|it| of.measured_at < it)
    }
}

#[async_trait]
impl ResultRepository for Session {
    async fn publish(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        heads: &[ResultHead],
        copied: &[ResultType],
    ) -> Stored<()> {
        self.change(|state| {
            let staged = state.staged.iter();
            let own = staged.filter(|(key, it)| {
                (key.0, key.1) == (account, job) && !copied.contains(&it.result_type)
            });
            let place = |it: &StagedFinding| (it.result_type.name(), job, it.ordinal);
            let own = own.map(|(_, it)| ((account, project, place(it)), it.clone()));
            let own: Vec<_> = own.collect();
            state.findings.extend(own);
            let pages = state.staged_pages.iter();
            let pages = pages.filter(|(key, _)| (key.0, key.1) == (account, job));
            let pages: Vec<StagedPage> = pages.map(|(_, it)| it.clone()).collect();
            for page in pages {
                state.publish_page((account, project, page.url.clone()), job, page);
            }
            state.discard(account, job);
            let key = |it: &ResultHead| (it.account, it.project, it.result_type.name());
            state
                .heads
                .extend(heads.iter().map(|it| (key(it), it.clone())));
            Ok(())
        })
    }

    async fn copy_staged(
        &mut self,
        account: AccountId,
        project: ProjectId,
        (result_type, job): (ResultType, JobId),
        after: Option<i64>,
        limit: u32,
    ) -> Stored<Option<i64>> {
        self.change(|state| {
            let staged = state.staged_of(account, job, result_type);
            let behind = staged.filter(|it| Some(it.ordinal) > after);
            let part: Vec<StagedFinding> = behind.take(limit as usize).cloned().collect();
            let last = part.last().map(|it| it.ordinal);
            let place = |it: &StagedFinding| (result_type.name(), job, it.ordinal);
            let part = part
                .into_iter()
                .map(|it| ((account, project, place(&it)), it));
            state.findings.extend(part);
            Ok(last)
        })
    }

    async fn discard_copied(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Stored<()> {
        self.change(|state| {
            let is_other = |key: &(AccountId, ProjectId, (_, JobId, _))| {
                (key.0, key.1, key.2.1) != (account, project, job)
            };
            state.findings.retain(|key, _| is_other(key));
            Ok(())
        })
    }

    async fn carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: CarriedKind,
    ) -> Stored<Option<Document>> {
        let key = (account, project, kind.name());
        self.query(|state| state.carries.get(&key).cloned())
    }

    async fn save_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: CarriedKind,
        carried: &Document,
    ) -> Stored<()> {
        let key = (account, project, kind.name());
        self.change(|state| {
            state.carries.insert(key, carried.clone());
            Ok(())
        })
    }

    async fn head(
        &mut self,
        account: AccountId,
        project: ProjectId,
        result_type: ResultType,
    ) -> Stored<Option<ResultHead>> {
        let key = (account, project, result_type.name());
        self.query(|state| state.heads.get(&key).cloned())
    }

    async fn heads_for_projects(
        &mut self,
        account: AccountId,
        projects: &[ProjectId],
        result_types: &[ResultType],
    ) -> Stored<Vec<ResultHead>> {
        self.query(|state| {
            let heads = state.heads.values().filter(|it| {
                it.account == account
                    && projects.contains(&it.project)
                    && result_types.contains(&it.result_type)
            });
            heads.cloned().collect()
        })
    }

    async fn find_by_keywords(
        &mut self,
        account: AccountId,
        project: ProjectId,
        (result_type, job): (ResultType, JobId),
        keywords: &[KeywordId],
    ) -> Stored<Vec<Finding>> {
        self.query(|state| {
            let records = state.records(account, project, result_type);
            let about = records.filter(|(of, it)| {
                *of == job && it.keyword.is_some_and(|it| keywords.contains(&it))
            });
            about.map(|(job, it)| finding(job, it)).collect()
        })
    }

    async fn carried_over_for_projects(
        &mut self,
        account: AccountId,
        projects: &[ProjectId],
        kind: CarriedKind,
    ) -> Stored<Vec<(ProjectId, Document)>> {
        self.query(|state| {
            let key = |project: ProjectId| (account, project, kind.name());
            let carried = { projects.iter() }.filter_map(|it| {
                let document = state.carries.get(&key(*it))?;
                Some((*it, document.clone()))
            });
            carried.collect()
        })
    }

    async fn heads(
        &mut self,
        account: AccountId,
        project: ProjectId,
        top: u32,
    ) -> Stored<Vec<(ResultHead, Vec<Finding>)>> {
        self.query(|state| {
            let heads = state.heads.values();
            let own = heads.filter(|it| (it.account, it.project) == (account, project));
            let with_records = own.map(|head| {
                let records = state.records(account, project, head.result_type);
                let of_run = records.filter(|(job, _)| *job == head.job);
                let first = of_run.take(top as usize).map(|(job, it)| finding(job, it));
                (head.clone(), first.collect())
            });
            with_records.collect()
        })
    }

    async fn findings(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &FindingQuery,
    ) -> Stored<Page<Finding>> {
        self.try_query(|state| {
            let records = state.records(account, project, query.result_type);
            let wanted = records.filter(|(job, it)| state.is_wanted(account, *job, it, query));
            let wanted: Vec<Finding> = wanted.map(|(job, it)| finding(job, it)).collect();
            let place = |it: &Finding| Place {
                value: match query.page.sort {
                    FindingSort::Ordinal => SortValue::Number(it.ordinal),
                    FindingSort::Value => it.sort_value.map_or(SortValue::Missing, SortValue::Real),
                    FindingSort::MeasuredAt => moment(it.measured_at),
                },
                id: (query.job.map_or(it.job, |_| JobId(0)), it.ordinal),
            };
            let codec = if query.job.is_some() {
                IN_A_RUN
            } else {
                OVER_RUNS
            };
            let bytes = |it: &Finding| it.record.as_str().len();
            page(wanted.iter(), &query.page, &codec, place, bytes)
        })
    }
}
