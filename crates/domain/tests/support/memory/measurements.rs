//! Measurements, and interim results of running jobs.

use super::past::is_measured;
use super::state::{State, add};
use super::{Session, Stored, conflict};
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::ports::measurements::MeasurementRepository;
use crate::project::Status;
use crate::results::{
    AsOf, CARRIED_OVER_ORDINAL, JournalEntry, KeywordHistory, KeywordMeasurement, OwnSnapshot,
    RankHistoryPoint, StagedFinding,
};
use analysis::result_type::ResultType;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::BTreeMap;

impl State {
    pub(super) fn staged_of(
        &self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
    ) -> impl Iterator<Item = &StagedFinding> {
        let staged = self
            .staged
            .iter()
            .filter(move |(key, _)| (key.0, key.1, key.2.0) == (account, job, result_type.name()));
        staged.map(|(_, finding)| finding)
    }

    pub(super) fn discard(&mut self, account: AccountId, job: JobId) {
        macro_rules! of_job {
            ($($table:ident),+) => {
                $(self.$table.retain(|(owner, of, _), _| (*owner, *of) != (account, job));)+
            };
        }
        of_job!(staged, staged_pages, journal);
    }

    /// Stages copies of the newest run's records of a type for another run; `place` gives their
    /// ordinals from `CARRIED_OVER_ORDINAL` on. Returns how many.
    pub(super) fn carry(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        result_type: ResultType,
        place: impl Fn(&Self, &StagedFinding) -> Option<i64>,
    ) -> u64 {
        let name = result_type.name();
        let head = self.heads.get(&(account, project, name));
        let Some(newest) = head.map(|it| it.job).filter(|it| *it != job) else {
            return 0;
        };
        let records = self.findings.iter().filter(|(key, _)| {
            (key.0, key.1, key.2.0, key.2.1) == (account, project, name, newest)
        });
        let copies = records.filter_map(|(_, record)| {
            let ordinal = CARRIED_OVER_ORDINAL + place(self, record)?;
            Some(StagedFinding {
                ordinal,
                ..record.clone()
            })
        });
        let copies: Vec<StagedFinding> = copies.collect();
        let number = copies.len() as u64;
        let rows = copies.into_iter();
        self.staged
            .extend(rows.map(|it| ((account, job, (name, it.ordinal)), it)));
        number
    }

    fn keep_newest_page(
        &mut self,
        account: AccountId,
        project: ProjectId,
        of: &KeywordMeasurement,
    ) {
        let known = self.latest_pages.get(&(account, project, of.keyword));
        let is_newer =
            known.is_none_or(|it| it.job != of.job && it.point.measured_at <= of.point.measured_at);
        if of.serp.is_some() && is_newer {
            self.latest_pages
                .insert((account, project, of.keyword), of.clone());
        }
    }

    /// Applies `convert` to the measurements in that period, per keyword, oldest first.
    fn map_measurements<T>(
        &self,
        (account, project): (AccountId, ProjectId),
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
        convert: impl Fn(&KeywordMeasurement) -> Option<T>,
    ) -> Vec<Vec<T>> {
        let of_keyword = |keyword: &KeywordId| {
            let series = self.series(account, project, *keyword, &as_of.source);
            let in_time = series
                .into_iter()
                .filter(|it| (since..=as_of.day).contains(&it.day));
            let mut in_time: Vec<_> = in_time.collect();
            in_time.sort_by_key(|it| it.day);
            in_time.into_iter().filter_map(&convert).collect()
        };
        keywords.iter().map(of_keyword).collect()
    }
}

#[async_trait]
impl MeasurementRepository for Session {
    async fn histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        as_of: &AsOf,
    ) -> Stored<Vec<KeywordHistory>> {
        self.query(|state| {
            let keywords = keywords.iter();
            keywords
                .map(|it| state.history(account, project, *it, as_of))
                .collect()
        })
    }

    async fn rank_histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Stored<Vec<Vec<RankHistoryPoint>>> {
        let to_point = |it: &KeywordMeasurement| {
            Some(RankHistoryPoint {
                day: it.day,
                measured_at: it.point.measured_at,
                state: it.point.state,
                position: it.point.position,
                depth_checked: it.point.depth_checked,
            })
        };
        self.query(|state| {
            state.map_measurements((account, project), keywords, since, as_of, to_point)
        })
    }

    async fn own_places(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Stored<Vec<Vec<OwnSnapshot>>> {
        let to_snapshot = |it: &KeywordMeasurement| {
            is_measured(it).then(|| OwnSnapshot {
                at: it.point.measured_at,
                depth_checked: it.point.depth_checked,
                places: it.own.clone(),
            })
        };
        self.query(|state| {
            state.map_measurements((account, project), keywords, since, as_of, to_snapshot)
        })
    }

    async fn add(
        &mut self,
        account: AccountId,
        project: ProjectId,
        measurements: &[KeywordMeasurement],
    ) -> Stored<()> {
        self.change(|state| {
            for of in measurements {
                let key = (account, project, (of.keyword, of.job));
                state.measurements.entry(key).or_insert_with(|| of.clone());
                state.keep_newest_page(account, project, of);
            }
            Ok(())
        })
    }

    async fn counts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Stored<Vec<(KeywordId, u32)>> {
        self.query(|state| {
            let mut counts: BTreeMap<KeywordId, u32> = BTreeMap::new();
            for (owner, of, (keyword, by)) in state.measurements.keys() {
                if (*owner, *of, *by) == (account, project, job) {
                    *counts.entry(*keyword).or_default() += 1;
                }
            }
            counts.into_iter().collect()
        })
    }

    /// All at once: a test has few keywords.
    async fn purge_points(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        _: Option<KeywordId>,
    ) -> Stored<Option<KeywordId>> {
        self.change(|state| {
            let keywords = &state.keywords;
            state.measurements.retain(|key, it| {
                let is_known = keywords.contains_key(&(key.0, key.2.0));
                key.0 != account || !is_known || it.day >= before
            });
            Ok(None)
        })
    }

    async fn purge_findings(
        &mut self,
        account: AccountId,
        result_type: ResultType,
        before: DateTime<Utc>,
        _: Option<ProjectId>,
    ) -> Stored<Option<ProjectId>> {
        self.change(|state| {
            let heads = &state.heads;
            state.findings.retain(|key, it| {
                let head = heads.get(&(key.0, key.1, key.2.0));
                let is_old = it.result_type == result_type && it.measured_at < before;
                let is_newest = head.is_none_or(|head| head.job == key.2.1);
                key.0 != account || !is_old || is_newest
            });
            Ok(None)
        })
    }

    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        findings: &[StagedFinding],
    ) -> Stored<()> {
        self.change(|state| {
            let place = |it: &StagedFinding| (account, job, (it.result_type.name(), it.ordinal));
            state
                .staged
                .extend(findings.iter().map(|it| (place(it), it.clone())));
            Ok(())
        })
    }

    async fn stage_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        result_type: ResultType,
    ) -> Stored<u64> {
        let place = move |state: &State, record: &StagedFinding| {
            let keyword = state.keywords.get(&(account, record.keyword?))?;
            let mut staged = state.staged_of(account, job, result_type);
            let is_new = !staged.any(|it| it.keyword == record.keyword);
            (is_new && keyword.status == Status::Active).then_some(keyword.id.0)
        };
        self.change(|state| Ok(state.carry(account, project, job, result_type, place)))
    }

    async fn staged_keywords(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
    ) -> Stored<Vec<KeywordId>> {
        self.query(|state| {
            let staged = state.staged_of(account, job, result_type);
            let own = staged.filter(|it| it.ordinal < CARRIED_OVER_ORDINAL);
            let mut keywords: Vec<KeywordId> = own.filter_map(|it| it.keyword).collect();
            keywords.sort_unstable();
            keywords.dedup();
            keywords
        })
    }

    async fn staged(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
        after: Option<i64>,
        limit: u32,
    ) -> Stored<Vec<StagedFinding>> {
        self.query(|state| {
            let staged = state.staged_of(account, job, result_type);
            let behind = staged.filter(|it| Some(it.ordinal) > after);
            behind.take(limit as usize).cloned().collect()
        })
    }

    async fn discard(&mut self, account: AccountId, job: JobId) -> Stored<()> {
        self.change(|state| {
            state.discard(account, job);
            Ok(())
        })
    }

    async fn append_journal(
        &mut self,
        account: AccountId,
        job: JobId,
        entries: &[JournalEntry],
    ) -> Stored<()> {
        self.change(|state| {
            entries.iter().try_for_each(|it| {
                let added = add(
                    &mut state.journal,
                    (account, job, it.sequence),
                    it.body.clone(),
                );
                added.or_else(|_| conflict("journal_entries_pkey"))
            })
        })
    }

    async fn read_journal(
        &mut self,
        account: AccountId,
        job: JobId,
        after: Option<i64>,
        limit: u32,
    ) -> Stored<Vec<JournalEntry>> {
        self.query(|state| {
            let entries = state
                .journal
                .iter()
                .filter(|(key, _)| (key.0, key.1) == (account, job) && Some(key.2) > after);
            let entries = entries.map(|(key, body)| JournalEntry {
                sequence: key.2,
                body: body.clone(),
            });
            entries.take(limit as usize).collect()
        })
    }
}
