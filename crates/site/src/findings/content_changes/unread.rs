use super::compare::empty_record;
use super::fields::change;
use super::history::{Missing, PageHistory};
use super::record::{FieldChange, FieldValue};
use super::significance::{ChangeClass, ChangedField, significance};
use super::{BLOCKED, Baseline, ChangeContext, Comparison, FETCH_FAILED, PageState};
use crate::observation::web_site::{FetchFailure, Fetched};
use crate::provenance::RecordStatus;
use chrono::{DateTime, Utc};

/// Consecutive failed visits from which the page is missing.
const MIN_FAILURES: u32 = 2;

#[derive(Debug, Clone, Copy)]
pub enum Unread<'a> {
    /// No response, or one without success.
    Failed(&'a Fetched),
    /// A success that is not HTML, such as a file.
    OtherMediaType(&'a Fetched),
    Redirected(&'a Fetched),
    /// robots.txt blocks it, as seen at that time.
    Blocked(DateTime<Utc>),
}

impl Unread<'_> {
    pub const fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Failed(fetched) | Self::OtherMediaType(fetched) | Self::Redirected(fetched) => {
                fetched.at
            }
            Self::Blocked(at) => *at,
        }
    }
}

/// A visit without a page. A first failure reports nothing; a second in a row, or a new status later, changes the
/// status. A robots.txt block, another media type or a redirect is a change at once. After that the same response is
/// unchanged; no response, or the same block, is unknown.
pub fn compare_unread(
    before: &PageState<'_>,
    reason: Unread<'_>,
    history: &PageHistory,
    context: &ChangeContext,
) -> Comparison {
    let mut history = history.clone();
    let at = reason.at();
    let now = match reason {
        Unread::Blocked(_) => Missing::Blocked,
        Unread::Redirected(fetched) => Missing::Moved(fetched.final_url.clone()),
        Unread::OtherMediaType(fetched) => {
            // A response ends the series of failures.
            history.failures = 0;
            let kind = fetched.content_type.as_ref();
            match kind.filter(|_| !fetched.challenge) {
                Some(kind) => Missing::Type(kind.clone()),
                None => return unknown(before, at, &history, context),
            }
        }
        // The page exists; only its body was not read.
        Unread::Failed(fetched) if fetched.failure == Some(FetchFailure::Unread) => {
            return unknown(before, at, &history, context);
        }
        Unread::Failed(fetched) if fetched.failure == Some(FetchFailure::Undecodable) => {
            history.failures = history.failures.saturating_add(1);
            Missing::Undecodable
        }
        Unread::Failed(fetched) => {
            history.failures = history.failures.saturating_add(1);
            let status = fetched.status.filter(|_| fetched.failure.is_none());
            status.map_or(Missing::Failure, Missing::Status)
        }
    };
    let is_immediate = matches!(now, Missing::Blocked | Missing::Type(_) | Missing::Moved(_));
    let is_sure = is_immediate || history.failures >= MIN_FAILURES;
    let is_new = is_sure && history.missing.as_ref() != Some(&now);
    let mut found = Vec::new();
    if is_new {
        found.push(missing_change(before, history.missing.as_ref(), &now));
        if before.page.is_indexable() && history.missing.is_none() && now.is_listed() == Some(false)
        {
            found.push(indexable_change(true, false));
        }
        history.missing = Some(now.clone());
        history.record_comparison(at, true);
    }
    let is_reported = is_new || (is_sure && now.is_answer());
    if is_reported && !is_new {
        history.record_comparison(at, false);
    }
    let mut record = empty_record(before, at, &history, context);
    if is_reported {
        record.changed = Some(is_new);
        record.change_class = Some(if is_new {
            ChangeClass::Major
        } else {
            ChangeClass::None
        });
        record.significance = Some(significance(
            found.iter().map(|it| (it.weight, it.magnitude)),
        ));
    } else {
        record.envelope.status = RecordStatus::InsufficientData;
        let warning = if now == Missing::Blocked {
            BLOCKED
        } else {
            FETCH_FAILED
        };
        record.envelope.warnings.push(warning.to_owned());
    }
    record.fields = found;
    Comparison {
        record,
        history,
        baseline: Baseline::Before,
    }
}

/// A visit that reports nothing and does not count as a failure.
fn unknown(
    before: &PageState<'_>,
    at: DateTime<Utc>,
    history: &PageHistory,
    context: &ChangeContext,
) -> Comparison {
    let mut record = empty_record(before, at, history, context);
    record.envelope.status = RecordStatus::InsufficientData;
    record.envelope.warnings.push(FETCH_FAILED.to_owned());
    Comparison {
        record,
        history: history.clone(),
        baseline: Baseline::Before,
    }
}

/// The change of a page that is newly missing, or missing for a new reason.
fn missing_change(before: &PageState<'_>, was: Option<&Missing>, now: &Missing) -> FieldChange {
    let text = |it: &str| Some(FieldValue::Text(it.to_owned()));
    match now {
        Missing::Blocked => change(
            ChangedField::RobotsTxt,
            1.0,
            text("allowed"),
            Some(value(now)),
        ),
        Missing::Moved(_) => {
            let from = match was {
                Some(Missing::Moved(url)) => url,
                _ => &before.page.fetched.final_url,
            };
            change(ChangedField::FinalUrl, 1.0, text(from), Some(value(now)))
        }
        Missing::Type(_) => {
            let kind = match was {
                Some(Missing::Type(kind)) => Some(kind),
                _ => before.page.fetched.content_type.as_ref(),
            };
            let kind = kind.and_then(|it| text(it));
            change(ChangedField::ContentType, 1.0, kind, Some(value(now)))
        }
        Missing::Status(_) | Missing::Failure | Missing::Undecodable => {
            let status = before.page.fetched.status;
            let status = status.map(|it| FieldValue::Number(it.into()));
            // A file was a success, like the page.
            let was = was.filter(|it| !matches!(it, Missing::Type(_)));
            change(
                ChangedField::StatusCode,
                1.0,
                was.map(value).or(status),
                Some(value(now)),
            )
        }
    }
}

/// Adds that a missing page is back, and indexable again if it was reported as not indexable.
pub(super) fn add_restored(
    found: &mut Vec<FieldChange>,
    history: &PageHistory,
    fetched: &Fetched,
    is_listed: bool,
) {
    found.extend(restored_change(history, fetched));
    if history.missing.as_ref().and_then(Missing::is_listed) == Some(false) {
        found.retain(|it| it.name != ChangedField::Indexable);
        if is_listed {
            found.push(indexable_change(false, true));
        }
    }
}

fn indexable_change(was: bool, is: bool) -> FieldChange {
    let flag = |it| Some(FieldValue::Flag(it));
    change(ChangedField::Indexable, 1.0, flag(was), flag(is))
}

pub(super) fn restored_change(history: &PageHistory, fetched: &Fetched) -> Option<FieldChange> {
    let was = history.missing.as_ref()?;
    Some(match was {
        Missing::Moved(_) => change(
            ChangedField::FinalUrl,
            1.0,
            Some(value(was)),
            Some(FieldValue::Text(fetched.final_url.clone())),
        ),
        Missing::Type(_) => change(
            ChangedField::ContentType,
            1.0,
            Some(value(was)),
            fetched.content_type.clone().map(FieldValue::Text),
        ),
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
            fetched.status.map(|it| FieldValue::Number(it.into())),
        ),
    })
}

fn value(missing: &Missing) -> FieldValue {
    match missing {
        Missing::Status(status) => FieldValue::Number((*status).into()),
        Missing::Failure => FieldValue::Text("noAnswer".to_owned()),
        Missing::Undecodable => FieldValue::Text("undecodable".to_owned()),
        Missing::Blocked => FieldValue::Text("disallowed".to_owned()),
        Missing::Type(it) | Missing::Moved(it) => FieldValue::Text(it.clone()),
    }
}
