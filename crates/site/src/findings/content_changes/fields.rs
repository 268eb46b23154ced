use super::facts::Members;
use super::record::{FieldChange, FieldValue};
use super::significance::ChangedField;
use super::{PageState, facts};
use crate::observation::page_content::PageContent;
use crate::observation::web_site::CrawlScope;
use crate::text::words::shortened;

const MAX_CHARACTERS: usize = 500;
const MAX_MEMBERS: usize = 50;
const MEMBER_CHARACTERS: usize = 200;

/// Smaller differences of the time to first byte are noise, ms.
const MIN_TTFB_CHANGE_MS: u64 = 200;
/// Relative change of size that is reported.
const MIN_SIZE_CHANGE: f64 = 0.1;
/// Relative change of the time to first byte that is reported.
const MIN_TTFB_CHANGE: f64 = 0.5;

/// Every field that differs, except the main text.
pub fn changed_fields(
    before: &PageState<'_>,
    after: &PageState<'_>,
    scope: &CrawlScope,
) -> Vec<FieldChange> {
    let mut found = Changes(Vec::new());
    let (was, is) = (before.page, after.page);
    found.number(
        ChangedField::StatusCode,
        was.fetched.status,
        is.fetched.status,
    );
    found.addresses(was, is);
    let (listed, is_listed) = facts::indexable(was, is);
    found.flag(ChangedField::Indexable, listed, is_listed);
    found.category(
        ChangedField::Robots,
        &facts::robots(was),
        &facts::robots(is),
    );
    found.category(
        ChangedField::Canonical,
        &facts::canonical(was),
        &facts::canonical(is),
    );
    found.set(
        ChangedField::Hreflang,
        &facts::hreflangs(was),
        &facts::hreflangs(is),
    );
    found.text(ChangedField::Title, was.title(), is.title());
    found.text(
        ChangedField::MetaDescription,
        was.description(),
        is.description(),
    );
    found.text(
        ChangedField::H1,
        facts::first_headings(was).as_deref(),
        facts::first_headings(is).as_deref(),
    );
    found.set(
        ChangedField::Headings,
        &facts::outline(was),
        &facts::outline(is),
    );
    found.set(
        ChangedField::StructuredData,
        &facts::structured_data(was),
        &facts::structured_data(is),
    );
    let ((own, other), (own_now, other_now)) = (facts::links(was, scope), facts::links(is, scope));
    found.set(ChangedField::InternalLinks, &own, &own_now);
    found.set(ChangedField::ExternalLinks, &other, &other_now);
    found.set(
        ChangedField::Images,
        &facts::images(was),
        &facts::images(is),
    );
    found.set(
        ChangedField::SocialCards,
        &facts::social_cards(was),
        &facts::social_cards(is),
    );
    found.set(
        ChangedField::Headers,
        &facts::headers(was),
        &facts::headers(is),
    );
    found.lang(was, is);
    found.figures(before, after);
    found.0
}

struct Changes(Vec<FieldChange>);

impl Changes {
    fn add(
        &mut self,
        name: ChangedField,
        magnitude: f64,
        before: Option<FieldValue>,
        after: Option<FieldValue>,
    ) {
        if magnitude > 0.0 {
            self.0.push(change(name, magnitude, before, after));
        }
    }

    fn flag(&mut self, name: ChangedField, before: bool, after: bool) {
        let value = |it: bool| Some(FieldValue::Flag(it));
        self.add(name, unequal(&before, &after), value(before), value(after));
    }

    /// A number compared for equality: magnitude 0 or 1.
    fn number(&mut self, name: ChangedField, before: Option<u16>, after: Option<u16>) {
        let value = |it: Option<u16>| it.map(|it| FieldValue::Number(it.into()));
        self.add(name, unequal(&before, &after), value(before), value(after));
    }

    /// Relative difference |a − b|/max(a, b), reported from `threshold`.
    fn amount(
        &mut self,
        name: ChangedField,
        before: Option<u64>,
        after: Option<u64>,
        threshold: f64,
    ) {
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        let magnitude = relative_difference(before, after);
        if magnitude >= threshold {
            let value = |it| Some(FieldValue::Number(it));
            self.add(name, magnitude, value(before), value(after));
        }
    }

    /// A list compared as a whole: magnitude 0 or 1.
    fn category(&mut self, name: ChangedField, before: &[String], after: &[String]) {
        self.add(name, unequal(before, after), shown(before), shown(after));
    }

    fn set(&mut self, name: ChangedField, before: &Members, after: &Members) {
        let only = |in_one: &Members, other: &Members| -> Vec<String> {
            let all = in_one.iter().filter(|(it, _)| !other.contains_key(*it));
            all.take(MAX_MEMBERS).map(|it| it.1.clone()).collect()
        };
        let (gone, new) = (only(before, after), only(after, before));
        self.add(
            name,
            jaccard_distance(before, after),
            shown(&gone),
            shown(&new),
        );
    }

    /// Text: 1 − normalized Levenshtein similarity.
    fn text(&mut self, name: ChangedField, before: Option<&str>, after: Option<&str>) {
        let clean = |it: Option<&str>| crate::text::noise::without_noise(it.unwrap_or_default());
        let magnitude = 1.0 - strsim::normalized_levenshtein(&clean(before), &clean(after));
        let value = |it: Option<&str>| it.map(short_text);
        self.add(name, magnitude, value(before), value(after));
    }

    fn addresses(&mut self, before: &PageContent, after: &PageContent) {
        let (was, is) = (&before.url, &after.url);
        self.add(
            ChangedField::FinalUrl,
            unequal(was, is),
            Some(short_text(was)),
            Some(short_text(is)),
        );
        let chain = |it: &PageContent| -> Vec<String> {
            let hops = it.fetched.chain.iter().take(it.fetched.hops());
            hops.map(|it| format!("{} {}", it.status, it.url)).collect()
        };
        self.category(ChangedField::RedirectChain, &chain(before), &chain(after));
    }

    fn lang(&mut self, before: &PageContent, after: &PageContent) {
        let lang = |it: &PageContent| -> Vec<String> {
            let lang = it.document.lang.iter();
            lang.map(|it| it.to_ascii_lowercase()).collect()
        };
        self.category(ChangedField::Lang, &lang(before), &lang(after));
    }

    fn figures(&mut self, before: &PageState<'_>, after: &PageState<'_>) {
        let (was, is) = (before.page, after.page);
        let words = |it: &PageContent| u64::try_from(it.text.counts.words).ok();
        self.amount(ChangedField::WordCount, words(was), words(is), 0.0);
        let inlinks = |it: &PageState<'_>| it.site.inlinks.map(u64::from);
        self.amount(ChangedField::Inlinks, inlinks(before), inlinks(after), 0.0);
        let depth = |it: &PageContent| Some(u64::from(it.depth));
        self.amount(ChangedField::Depth, depth(was), depth(is), 0.0);
        let ttfb = |it: &PageContent| it.response.ttfb_ms.map(u64::from);
        let (early, late) = (ttfb(was), ttfb(is));
        if let (Some(one), Some(other)) = (early, late)
            && one.abs_diff(other) >= MIN_TTFB_CHANGE_MS
        {
            self.amount(ChangedField::Ttfb, early, late, MIN_TTFB_CHANGE);
        }
        let size = |it: &PageContent| Some(it.response.body_bytes);
        self.amount(
            ChangedField::BodyBytes,
            size(was),
            size(is),
            MIN_SIZE_CHANGE,
        );
    }
}

pub fn change(
    name: ChangedField,
    magnitude: f64,
    before: Option<FieldValue>,
    after: Option<FieldValue>,
) -> FieldChange {
    FieldChange {
        name,
        before,
        after,
        magnitude,
        weight: name.weight(),
    }
}

fn unequal<T: PartialEq + ?Sized>(before: &T, after: &T) -> f64 {
    f64::from(u8::from(before != after))
}

/// 1 − |A∩B|/|A∪B|; 0 for two empty sets.
fn jaccard_distance(before: &Members, after: &Members) -> f64 {
    let shared = before.keys().filter(|it| after.contains_key(*it)).count();
    let all = before.len() + after.len() - shared;
    if all == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of one page")]
    let share = shared as f64 / all as f64;
    1.0 - share
}

fn relative_difference(before: u64, after: u64) -> f64 {
    let larger = before.max(after);
    if larger == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "only their ratio counts")]
    let share = before.abs_diff(after) as f64 / larger as f64;
    share
}

fn short_text(text: impl AsRef<str>) -> FieldValue {
    FieldValue::Text(shortened(text.as_ref(), MAX_CHARACTERS).to_owned())
}

fn shown(members: &[String]) -> Option<FieldValue> {
    let shown = members.iter().take(MAX_MEMBERS);
    let shown: Vec<String> = shown
        .map(|it| shortened(it, MEMBER_CHARACTERS).to_owned())
        .collect();
    (!shown.is_empty()).then_some(FieldValue::List(shown))
}
