//! Visits that bring no page.

use super::{
    Baseline, ChangeContext, Comparison, FETCH_FAILED, PageState,
    compare::blank,
    fields::change,
    history::{Missing, PageHistory},
    record::{FieldChange, FieldValue},
    significance::{ChangeClass, ChangedField, significance},
};
use crate::{observation::web_site::Fetched, provenance::RecordStatus};
use chrono::{DateTime, Utc};

/// Failed visits in a row from which on the page is gone. One is never a change.
const LEAST_FAILURES: u32 = 2;

/// Why a visit brought no page.
#[derive(Debug, Clone, Copy)]
pub enum Unread<'a> {
    /// No answer, or one that is no page.
    Failed(&'a Fetched),
    /// robots.txt does not allow reading it, seen at that time.
    Blocked(DateTime<Utc>),
}

/// What follows from a visit that brought no page. A first failure claims nothing; a second one in
/// a row is a change of the status, and so is another status after that. That robots.txt blocks the
/// page is a change at once.
#[must_use]
pub fn not_read(
    before: &PageState<'_>,
    why: Unread<'_>,
    history: &PageHistory,
    context: &ChangeContext,
) -> Comparison {
    let mut history = history.clone();
    let (at, now) = match why {
        Unread::Blocked(at) => (at, Missing::Blocked),
        Unread::Failed(fetched) => {
            history.failures = history.failures.saturating_add(1);
            let status = fetched.status.filter(|_| fetched.failure.is_none());
            (fetched.at, status.map_or(Missing::Failure, Missing::Status))
        }
    };
    let is_sure = now == Missing::Blocked || history.failures >= LEAST_FAILURES;
    let is_news = is_sure && history.missing.as_ref() != Some(&now);
    let mut found = Vec::new();
    if is_news {
        let was_status = Some(before.page.fetched.status);
        found.push(gone(history.missing.as_ref(), was_status.flatten(), &now));
        if before.page.is_indexable() && history.missing.is_none() {
            let flag = |it| Some(FieldValue::Flag(it));
            found.push(change(
                ChangedField::Indexable,
                1.0,
                flag(true),
                flag(false),
            ));
        }
        history.missing = Some(now.clone());
        history.note_comparison(at, true);
    } else if is_sure {
        history.note_comparison(at, false);
    }
    let mut record = blank(before, at, &history, context);
    if is_sure {
        record.significance = Some(significance(
            found.iter().map(|it| (it.weight, it.magnitude)),
        ));
    } else {
        record.envelope.status = RecordStatus::InsufficientData;
        record.envelope.warnings.push(FETCH_FAILED.to_owned());
    }
    if is_news {
        record.changed = true;
        record.change_class = ChangeClass::Major;
    }
    record.fields = found;
    Comparison {
        record,
        history,
        baseline: Baseline::Before,
    }
}

fn gone(was: Option<&Missing>, was_status: Option<u16>, now: &Missing) -> FieldChange {
    match now {
        Missing::Blocked => change(
            ChangedField::RobotsTxt,
            1.0,
            Some(FieldValue::Text("allowed".to_owned())),
            Some(FieldValue::Text("disallowed".to_owned())),
        ),
        _ => change(
            ChangedField::StatusCode,
            1.0,
            was.map_or_else(
                || was_status.map(|it| FieldValue::Number(it.into())),
                |it| Some(value(it)),
            ),
            Some(value(now)),
        ),
    }
}

/// That a page which was gone can be read again.
pub(super) fn restored(history: &PageHistory, status: Option<u16>) -> Option<FieldChange> {
    let was = history.missing.as_ref()?;
    Some(match was {
        Missing::Blocked => change(
            ChangedField::RobotsTxt,
            1.0,
            Some(value(was)),
            Some(FieldValue::Text("allowed".to_owned())),
        ),
        _ => change(
            ChangedField::StatusCode,
            1.0,
            Some(value(was)),
            status.map(|it| FieldValue::Number(it.into())),
        ),
    })
}

fn value(missing: &Missing) -> FieldValue {
    match missing {
        Missing::Status(status) => FieldValue::Number((*status).into()),
        Missing::Failure => FieldValue::Text("noAnswer".to_owned()),
        Missing::Blocked => FieldValue::Text("disallowed".to_owned()),
    }
}
