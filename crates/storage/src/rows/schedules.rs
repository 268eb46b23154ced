use super::{stored::row, validated};
use crate::schema::schedules;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::schedule::{Recurrence, Schedule};

row! {
    struct ScheduleRow(schedules, key (account_id, project_id, kind)) {
        account_id: AccountId,
        project_id: ProjectId,
        kind: AnalysisKind ["analysis kind"],
        days: String = recurrence.days.to_string(),
        time_of_day: String = recurrence.time(),
        zone: String = recurrence.zone.name().to_owned(),
        next_at: DateTime<Utc>,
        last_at: Option<DateTime<Utc>>,
        last_refusal: Option<String>,
    }
    Schedule { account: account_id, project: project_id, kind, recurrence, next_at, last_at, last_refusal }
    where { recurrence = validated(Recurrence::parse(&days, &time_of_day, &zone), "rhythm")?; }
}
