//! AI answers, their tallies, and monthly figures of keywords.

use super::past::is_measured;
use super::state::{State, add, remove, remove_oldest};
use super::{Session, Stored};
use crate::ids::{AccountId, AnswerId, JobId, KeywordId, ProjectId};
use crate::kept_answers::{AnswerKey, AnswerQuery, KeptAnswer, KeywordTallies, TallyCursor};
use crate::keyword_month::{CalendarMonth, MonthPoint, MonthRanks};
use crate::ports::kept_answers::AnswerRepository;
use crate::ports::keyword_months::KeywordMonthRepository;
use crate::project::Status;
use crate::record_ordinals::ORDINALS_PER_KEYWORD;
use crate::results::{CARRIED_OVER_ORDINAL, KeywordMeasurement, SearchSource, StagedFinding};
use analysis::result_type::ResultType;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{BTreeSet, HashMap};

fn keyword_of(kept: &KeptAnswer) -> Option<KeywordId> {
    kept.answer.prompt.keyword_id.map(KeywordId)
}

impl State {
    fn answers_about(
        &self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Vec<&KeptAnswer> {
        let own = self.answers.iter().filter(|(key, _)| key.0 == account);
        let of_job = own.map(|(_, (_, it))| it).filter(|it| it.job == job);
        let mut about: Vec<_> = of_job
            .filter(|it| keywords.contains(&keyword_of(it)))
            .collect();
        about.sort_by_key(|it| (keyword_of(it), AnswerKey::of(&it.answer)));
        about
    }
}

#[async_trait]
impl AnswerRepository for Session {
    async fn keep(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answers: &[KeptAnswer],
    ) -> Stored<()> {
        self.change(|state| {
            for kept in answers {
                let key = AnswerKey::of(&kept.answer);
                let about = state.answers_about(account, kept.job, &[keyword_of(kept)]);
                if !about.iter().any(|it| AnswerKey::of(&it.answer) == key) {
                    add(
                        &mut state.answers,
                        (account, kept.id),
                        (project, kept.clone()),
                    )?;
                }
            }
            Ok(())
        })
    }

    async fn answered(
        &mut self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Stored<Vec<AnswerKey>> {
        self.query(|state| {
            let answers = state.answers_about(account, job, keywords).into_iter();
            answers.map(|it| AnswerKey::of(&it.answer)).collect()
        })
    }

    async fn of_job(
        &mut self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Stored<Vec<KeptAnswer>> {
        self.query(|state| {
            let answers = state.answers_about(account, job, keywords).into_iter();
            answers.cloned().collect()
        })
    }

    async fn count(&mut self, account: AccountId, job: JobId) -> Stored<u64> {
        self.query(|state| {
            let answers = state.answers.iter();
            let of_job = answers.filter(|(key, it)| (key.0, it.1.job) == (account, job));
            of_job.count() as u64
        })
    }

    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answer: AnswerId,
    ) -> Stored<Option<KeptAnswer>> {
        self.query(|state| {
            let (of, kept) = state.answers.get(&(account, answer))?;
            (*of == project).then(|| kept.clone())
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &AnswerQuery,
    ) -> Stored<Vec<KeptAnswer>> {
        self.query(|state| {
            let newest_first = state.answers.iter().rev();
            let own = newest_first.filter(|(key, it)| (key.0, it.0) == (account, project));
            let wanted = own.map(|(_, (_, kept))| kept).filter(|it| {
                query.job.is_none_or(|job| it.job == job)
                    && query
                        .keyword
                        .is_none_or(|keyword| keyword_of(it) == Some(keyword))
                    && { query.engine.as_ref() }.is_none_or(|engine| it.answer.engine == *engine)
                    && query.before.is_none_or(|before| it.id < before)
            });
            wanted.take(query.limit as usize).cloned().collect()
        })
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let age = |it: &(ProjectId, KeptAnswer)| it.1.answer.answered_at;
            let is_over = |key: &(AccountId, _), it: &_| key.0 == account && age(it) < before;
            Ok(remove_oldest(&mut state.answers, limit, is_over, age))
        })
    }

    async fn save_tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        tallies: &[KeywordTallies],
    ) -> Stored<()> {
        self.change(|state| {
            let key = |it: &KeywordTallies| (account, project, (it.engine.clone(), it.cursor()));
            state
                .tallies
                .extend(tallies.iter().map(|it| (key(it), it.clone())));
            Ok(())
        })
    }

    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        engine: &str,
        since: NaiveDate,
        after: Option<TallyCursor>,
        limit: u32,
    ) -> Stored<Vec<KeywordTallies>> {
        self.query(|state| {
            let own = state.tallies.iter().filter(|(key, it)| {
                (key.0, key.1, &*it.engine) == (account, project, engine)
                    && it.day >= since
                    && Some(it.cursor()) > after
            });
            own.map(|(_, it)| it.clone()).take(limit as usize).collect()
        })
    }

    async fn stage_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        places: &[i64],
    ) -> Stored<u64> {
        let of = ResultType::AiVisibility;
        let place = |state: &State, record: &StagedFinding| {
            let is_tracked = |id| {
                let keyword = state.keywords.get(&(account, id));
                keyword.is_some_and(|it| it.status == Status::Active && it.ai_tracked)
            };
            let place = record.ordinal % CARRIED_OVER_ORDINAL;
            let mut staged = state.staged_of(account, job, of);
            let is_wanted = record.keyword.is_none_or(is_tracked)
                && places.contains(&(record.ordinal % ORDINALS_PER_KEYWORD))
                && !staged.any(|it| it.ordinal % CARRIED_OVER_ORDINAL == place);
            is_wanted.then_some(place)
        };
        self.change(|state| Ok(state.carry(account, project, job, of, place)))
    }

    async fn purge_tallies(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let own = state.tallies.iter().filter(|(key, _)| key.0 == account);
            let mut days: Vec<NaiveDate> = own.map(|(_, it)| it.day).collect();
            days.retain(|it| *it < before);
            days.sort_unstable();
            let last_index = limit.saturating_sub(1) as usize;
            let last = days.get(last_index).or(days.last()).copied();
            let is_over = |key: &(AccountId, _, _), it: &KeywordTallies| {
                key.0 == account && Some(it.day) <= last
            };
            Ok(remove(&mut state.tallies, u32::MAX, is_over))
        })
    }
}

fn month_point(of: &KeywordMeasurement) -> MonthPoint {
    MonthPoint {
        measured_at: of.point.measured_at,
        position: of.point.position,
        url: of.point.url.clone(),
    }
}

impl State {
    fn month_ranks(
        &self,
        (account, project): (AccountId, ProjectId),
        keyword: KeywordId,
        source: &SearchSource,
        month: CalendarMonth,
    ) -> Option<MonthRanks> {
        let mut series = self.series(account, project, keyword, source);
        series.retain(|it| is_measured(it));
        let in_month = |it: &NaiveDate| (month.first()..=month.last()).contains(it);
        let days: BTreeSet<NaiveDate> = series.iter().map(|it| it.day).filter(in_month).collect();
        let before = series.iter().map(|it| it.day);
        let before = before.filter(|it| (month.lookback_start()..=month.first()).contains(it));
        // Of several measurements on a day, the last counts.
        let on = |day: NaiveDate| series.iter().rev().find(|it| it.day == day);
        let of_month = series.iter().filter(|it| days.contains(&it.day));
        Some(MonthRanks {
            keyword,
            source: source.clone(),
            days: u32::try_from(days.len()).unwrap_or(u32::MAX),
            best: of_month.filter_map(|it| it.point.position).min(),
            start: month_point(on(before.max().or(days.first().copied())?)?),
            last: month_point(on(*days.last()?)?),
        })
    }
}

#[async_trait]
impl KeywordMonthRepository for Session {
    async fn ranks(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Stored<Vec<MonthRanks>> {
        self.query(|state| {
            let mut histories = Vec::new();
            for keyword in keywords.iter().collect::<BTreeSet<_>>() {
                let mut sources: Vec<SearchSource> = Vec::new();
                for measured in state.measurements_of(account, project, *keyword) {
                    if !sources.contains(&measured.source) {
                        sources.push(measured.source.clone());
                    }
                }
                let of = (account, project);
                let found = sources
                    .iter()
                    .filter_map(|it| state.month_ranks(of, *keyword, it, month));
                histories.extend(found);
            }
            histories
        })
    }

    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Stored<Vec<KeywordTallies>> {
        self.query(|state| {
            let own = state.tallies.iter().filter(|(key, it)| {
                (key.0, key.1) == (account, project)
                    && keywords.contains(&it.keyword)
                    && (month.first()..=month.last()).contains(&it.day)
            });
            own.map(|(_, it)| it.clone()).collect()
        })
    }

    async fn search_volumes(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
    ) -> Stored<HashMap<KeywordId, u32>> {
        self.query(|state| {
            let there = state.keywords_of(account, project);
            let known = there.filter_map(|it| Some((it.id, it.search_volume?)));
            known.filter(|(id, _)| keywords.contains(id)).collect()
        })
    }
}
