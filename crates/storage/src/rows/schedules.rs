use super::{known, passed};
use crate::{instant::At, schema::schedules};
use diesel::prelude::*;
use domain::{
    ids::{AccountId, ProjectId},
    job::kind::AnalysisKind,
    ports::storage::StorageError,
    schedule::{Rhythm, Schedule},
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = schedules,
    primary_key(account_id, project_id, kind),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct ScheduleRow {
    pub account_id: i64,
    pub project_id: i64,
    pub kind: String,
    pub days: String,
    pub time_of_day: String,
    pub zone: String,
    pub next_at: At,
    pub last_at: Option<At>,
    pub last_refusal: Option<String>,
}

impl From<&Schedule> for ScheduleRow {
    fn from(schedule: &Schedule) -> Self {
        let rhythm = &schedule.rhythm;
        Self {
            account_id: schedule.account.0,
            project_id: schedule.project.0,
            kind: schedule.kind.name().to_owned(),
            days: rhythm.days.to_string(),
            time_of_day: rhythm.time(),
            zone: rhythm.zone.name().to_owned(),
            next_at: schedule.next_at.into(),
            last_at: schedule.last_at.map(Into::into),
            last_refusal: schedule.last_refusal.clone(),
        }
    }
}

impl TryFrom<ScheduleRow> for Schedule {
    type Error = StorageError;

    fn try_from(row: ScheduleRow) -> Result<Self, StorageError> {
        let rhythm = Rhythm::parse(&row.days, &row.time_of_day, &row.zone);
        Ok(Self {
            account: AccountId(row.account_id),
            project: ProjectId(row.project_id),
            kind: known(AnalysisKind::named(&row.kind), "analysis kind")?,
            rhythm: passed(rhythm, "rhythm")?,
            next_at: row.next_at.into(),
            last_at: row.last_at.map(Into::into),
            last_refusal: row.last_refusal,
        })
    }
}
