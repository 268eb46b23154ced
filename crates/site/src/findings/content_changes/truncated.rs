use super::compare::empty_record;
use super::history::PageHistory;
use super::significance::{ChangeClass, significance};
use super::{BODY_CUT, Baseline, ChangeContext, Comparison, PARSER_LIMIT, PageState, unread};
use crate::{observation::web_site::Truncation, provenance::RecordStatus};

/// Comparison when either page is truncated: reports only that a missing page is back, as a major change. A truncated
/// page never becomes the baseline; a complete one replaces a truncated one.
pub(super) fn compare_truncated(
    before: &PageState<'_>,
    after: &PageState<'_>,
    history: &PageHistory,
    context: &ChangeContext,
) -> Comparison {
    let fetched = &after.page.fetched;
    let found = unread::restored_change(history, fetched);
    let mut history = history.clone();
    // A response ends the series of failures.
    history.failures = 0;
    history.missing = None;
    if found.is_some() {
        history.record_comparison(fetched.at, true);
    }
    let baseline = if after.page.is_truncated() {
        Baseline::Before
    } else {
        history.clear_text();
        Baseline::After
    };
    let mut record = empty_record(before, fetched.at, &history, context);
    record.envelope.status = RecordStatus::InsufficientData;
    record.envelope.warnings = warnings(before, after);
    if let Some(found) = found {
        record.envelope.status = RecordStatus::Partial;
        record.changed = Some(true);
        record.change_class = Some(ChangeClass::Major);
        record.significance = Some(significance([(found.weight, found.magnitude)]));
        record.fields.push(found);
    }
    Comparison {
        record,
        history,
        baseline,
    }
}

fn warnings(before: &PageState<'_>, after: &PageState<'_>) -> Vec<String> {
    let pages = [before.page, after.page];
    let cut = { pages.iter() }.any(|it| it.fetched.truncation == Truncation::AtLimit);
    let unparsed = pages.iter().any(|it| it.document.parser_limit);
    let codes = [(cut, BODY_CUT), (unparsed, PARSER_LIMIT)];
    let reached = codes.iter().filter(|it| it.0);
    reached.map(|it| it.1.to_owned()).collect()
}
