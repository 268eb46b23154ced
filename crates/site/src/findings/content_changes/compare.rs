use super::blocks::{CleanText, TrackedBlocks, track_blocks};
use super::frequency::frequency;
use super::history::PageHistory;
use super::record::{ChangeRecord, FieldChange};
use super::significance::{ChangeClass, ChangedField, significance};
use super::unread::Unread;
use super::{
    Baseline, ChangeContext, Comparison, EXTRACTION_CHANGED, FLAPPING, INTERSTITIAL,
    LANGUAGE_CHANGED, METHOD, PageState, TEXT_COLLAPSED, facts, fields, truncated, unread,
};
use crate::{
    findings::envelope::Envelope,
    observation::page_content::PageContent,
    provenance::{Provenance, RecordStatus},
    result_type::ResultType,
    text::{diff::difference, language::detection::HIGH_CONFIDENCE, words::words},
};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Minimum words of an earlier text for its loss to be significant.
const MIN_WORDS: usize = 50;
/// Share of the words below which a text collapsed.
const COLLAPSED_SHARE: f64 = 0.1;
/// Other pages with the same text from which it is an interstitial.
const MIN_SAME_TEXT_PAGES: u32 = 2;

/// Compares two versions of a page. A later response without success counts as unread, see [`super::compare_unread`].
pub fn compare(
    before: &PageState<'_>,
    after: &PageState<'_>,
    history: &PageHistory,
    context: &ChangeContext,
) -> Comparison {
    let fetched = &after.page.fetched;
    if !fetched.is_success() && before.page.fetched.is_success() {
        return unread::compare_unread(before, Unread::Failed(fetched), history, context);
    }
    if before.page.is_truncated() || after.page.is_truncated() {
        return truncated::compare_truncated(before, after, history, context);
    }
    let mut warnings = Vec::new();
    let read_alike = before.page.document.extraction == after.page.document.extraction;
    if read_alike {
        match is_interstitial(before.page, after) {
            Some(true) => return interstitial(before, after, history, context),
            Some(false) => {}
            None => warnings.push(TEXT_COLLAPSED.to_owned()),
        }
        if language_changed(before.page, after.page) {
            warnings.push(LANGUAGE_CHANGED.to_owned());
        }
    } else {
        warnings.push(EXTRACTION_CHANGED.to_owned());
    }
    let text = read_alike.then(|| TextComparison::of(before.page, after.page, history));
    let (was_listed, is_listed) = facts::indexable(before.page, after.page);
    let mut found = fields::changed_fields(before, after, &context.scope);
    if !read_alike {
        found.retain(|it| !it.name.depends_on_extraction());
    }
    let text_change = text.as_ref().and_then(TextComparison::change);
    let hashes = text.as_ref().map_or(&[][..], |it| &it.hashes);
    // Volatile blocks and punctuation change the hash but not the text.
    let flapping = text_change.is_some() && history.is_flapping(hashes);
    found.extend(text_change);
    unread::add_restored(&mut found, history, fetched, is_listed);
    order(&mut found);
    if flapping {
        warnings.push(FLAPPING.to_owned());
    }
    let parts = found.iter().map(|it| (it.weight, it.magnitude));
    let significance = significance(parts);
    let lost = was_listed && !is_listed;
    let class = match ChangeClass::of(significance) {
        it if lost => it.max(ChangeClass::Major),
        it => it,
    };
    let changed = class != ChangeClass::None;
    let mut history = history.clone();
    history.record_visit(fetched.at, hashes, changed);
    let mut record = empty_record(before, fetched.at, &history, context);
    if let Some(text) = text {
        text.write_to(&mut record);
        history.slots = text.tracked.slots;
    } else {
        record.envelope.status = RecordStatus::Partial;
        history.clear_text();
    }
    record.envelope.warnings = warnings;
    record.changed = Some(changed);
    record.change_class = Some(class);
    record.significance = Some(significance);
    record.fields = found;
    record.flapping = flapping;
    Comparison {
        record,
        history,
        baseline: Baseline::After,
    }
}

/// The compared text of a page before any volatile blocks are known.
pub fn compared_text(page: &PageContent) -> String {
    CleanText::of(page).without(&BTreeSet::new())
}

pub(super) fn empty_record(
    before: &PageState<'_>,
    to_at: DateTime<Utc>,
    history: &PageHistory,
    context: &ChangeContext,
) -> ChangeRecord {
    let fetched = &before.page.fetched;
    let requested_url = fetched.chain.first().map_or(&before.page.url, |it| &it.url);
    ChangeRecord {
        envelope: Envelope {
            result_type: ResultType::ContentChanges,
            project_id: context.project_id,
            keyword_id: None,
            url: Some(requested_url.clone()),
            measured_at: to_at,
            status: RecordStatus::Ok,
            error: None,
            provenance: Provenance::Measured,
            provider: None,
            method_version: METHOD.to_owned(),
            sample_size: history.comparisons,
            warnings: Vec::new(),
        },
        from_at: fetched.at,
        to_at,
        changed: None,
        change_class: None,
        significance: None,
        similarity: None,
        containment_old: None,
        added_words: None,
        removed_words: None,
        fields: Vec::new(),
        text_diff: Vec::new(),
        text_diff_left_out: 0,
        volatile_blocks: 0,
        flapping: false,
        first_change_detected_at: history.first_change_at,
        source: context.source,
        owner: context.owner,
        change_frequency: frequency(
            history.comparisons,
            history.changes,
            history.last_at - history.since,
        ),
    }
}

/// By weight times magnitude, descending.
fn order(found: &mut [FieldChange]) {
    let effect = |it: &FieldChange| it.weight * it.magnitude;
    found.sort_by(|one, other| {
        effect(other)
            .total_cmp(&effect(one))
            .then(one.name.cmp(&other.name))
    });
}

/// Whether a consent or payment interstitial replaced the page: nine tenths of the text are gone
/// and other pages have the same text. `None` if other pages are unknown.
fn is_interstitial(before: &PageContent, after: &PageState<'_>) -> Option<bool> {
    let (was, is) = (before.text.counts.words, after.page.text.counts.words);
    #[expect(clippy::cast_precision_loss, reason = "words of one page")]
    let collapsed = was >= MIN_WORDS && (is as f64) < COLLAPSED_SHARE * was as f64;
    if !collapsed {
        return Some(false);
    }
    let others = after.site.pages_with_same_text?;
    Some(others >= MIN_SAME_TEXT_PAGES)
}

fn interstitial(
    before: &PageState<'_>,
    after: &PageState<'_>,
    history: &PageHistory,
    context: &ChangeContext,
) -> Comparison {
    let mut record = empty_record(before, after.page.fetched.at, history, context);
    record.envelope.status = RecordStatus::Partial;
    record.envelope.warnings.push(INTERSTITIAL.to_owned());
    Comparison {
        record,
        history: history.clone(),
        baseline: Baseline::Before,
    }
}

fn language_changed(before: &PageContent, after: &PageContent) -> bool {
    let sure = |page: &PageContent| {
        let detected = page.text.detected.as_ref();
        detected
            .filter(|it| it.confidence >= HIGH_CONFIDENCE)
            .map(|it| it.code.clone())
    };
    matches!((sure(before), sure(after)), (Some(was), Some(is)) if was != is)
}

struct TextComparison {
    /// Of the earlier text, if the history has none, and of the later; empty if unchanged.
    hashes: Vec<u64>,
    tracked: TrackedBlocks,
    /// `None` if at most the order of blocks changed.
    difference: Option<(crate::text::diff::Difference, String)>,
    has_words: bool,
}

impl TextComparison {
    fn of(before: &PageContent, after: &PageContent, history: &PageHistory) -> Self {
        if before.text.main.blocks == after.text.main.blocks {
            // Most pages do not change; skip the expensive cleaning.
            return Self {
                hashes: Vec::new(),
                tracked: TrackedBlocks::unchanged(history),
                difference: None,
                has_words: { &before.text.main.blocks }
                    .iter()
                    .any(|it| words(&it.text).next().is_some()),
            };
        }
        let (was, is) = (CleanText::of(before), CleanText::of(after));
        let learned = track_blocks(&was, &is, history);
        let first = history.hashes.is_empty().then(|| was.hash());
        let hashes = first.into_iter().chain([is.hash()]).collect();
        let (old, new) = (was.without(&learned.old), is.without(&learned.new));
        Self {
            hashes,
            has_words: was.has_words(),
            tracked: learned,
            difference: (old != new)
                .then(|| (difference(&old, &new), old))
                .filter(|(found, _)| found.similarity < 1.0),
        }
    }

    /// The change of the main text, of magnitude 1 − Jaccard; `text_diff` has its values.
    fn change(&self) -> Option<FieldChange> {
        let (difference, _) = self.difference.as_ref()?;
        let magnitude = 1.0 - difference.similarity;
        (magnitude > 0.0).then(|| fields::change(ChangedField::MainText, magnitude, None, None))
    }

    fn write_to(&self, record: &mut ChangeRecord) {
        record.volatile_blocks = u32::try_from(self.tracked.new.len()).unwrap_or(u32::MAX);
        let number = |it: usize| u64::try_from(it).ok();
        match &self.difference {
            None => {
                record.similarity = Some(1.0);
                record.containment_old = self.has_words.then_some(1.0);
                (record.added_words, record.removed_words) = (Some(0), Some(0));
            }
            Some((found, old)) => {
                let report = found.report(old);
                record.similarity = Some(found.similarity);
                record.containment_old = found.containment_of_old;
                record.added_words = number(found.added_words);
                record.removed_words = number(found.removed_words);
                record.text_diff = report.operations;
                record.text_diff_left_out = number(report.left_out).unwrap_or(u64::MAX);
            }
        }
    }
}
