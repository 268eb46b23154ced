use super::{IssueCollector, Subject, placeholder};
use crate::findings::broken_links::Severity;
use crate::findings::issues::code::IssueCode;
use crate::keyword_text::normalized;
use crate::observation::page_content::{DetectedLanguage, PageContent, text_depends_on_scripts};
use crate::page_kind::PageKind;
use crate::text::language::detection::HIGH_CONFIDENCE;
use crate::text::language::tags;
use crate::text::phrases::{IndexedText, STUFFED_USES};
use crate::text::readability::{Band, readability};
use crate::text::words::{shortened, words};

/// Words (`SEOnaut`, Screaming Frog), and below which it is a warning.
pub const THIN_WORDS: usize = 200;
const VERY_THIN_WORDS: usize = 50;
/// Share of the main text in all text below which it is a warning.
const MIN_SHARE: f64 = 0.1;
/// Minimum density of a stuffed phrase from the title, if there are no keywords: a page repeats the
/// name of its subject.
const MIN_TITLE_PHRASE_DENSITY: f64 = 0.06;
/// Words below which a page counts as empty.
const EMPTY_WORDS: usize = 10;

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    let page = subject.page;
    amount(subject, found);
    let text = page.text.main.text();
    placeholder::find(subject, &text, found);
    let read = readability(&page.text.counts, page.text.language);
    if let Some(read) = read.filter(|it| it.band == Band::VeryDifficult) {
        let score = read.reading_ease.unwrap_or(read.lix);
        found.add(
            IssueCode::ReadabilityVeryDifficult,
            format!("{:.1}", score.value),
        );
    }
    language(page, found);
    stuffing(subject, &text, found);
    article_issues(subject, found);
}

fn amount(subject: &Subject<'_>, found: &mut IssueCollector) {
    let text = &subject.page.text;
    let count = text.counts.words;
    if subject.page.is_truncated() {
        // The count of a truncated page is too low.
        return;
    }
    if let Some(evidence) = filled_by_scripts(subject.page) {
        found.add(IssueCode::JsOnlyContent, evidence);
        return;
    }
    // A home page needs no text, but some content.
    if subject.page.has_no_visible_content() {
        found.add(IssueCode::EmptyMainContent, "nothing in sight".to_owned());
        return;
    }
    if matches!(
        subject.context.kind,
        PageKind::Home | PageKind::Contact | PageKind::Login | PageKind::Category
    ) {
        return;
    }
    if count < EMPTY_WORDS {
        found.add(IssueCode::EmptyMainContent, format!("{count} words"));
        return;
    }
    let share = f64::from(text.main_characters) / f64::from(text.all_characters.max(1));
    if count < VERY_THIN_WORDS || (share < MIN_SHARE && count < THIN_WORDS) {
        let detail = format!("{count} words, {:.0} % of the text", share * 100.0);
        found.add_with(IssueCode::ThinContent, Severity::Warning, 1, Some(detail));
    } else if count < THIN_WORDS {
        found.add(IssueCode::ThinContent, format!("{count} words"));
    }
}

fn filled_by_scripts(page: &PageContent) -> Option<String> {
    let (count, rendered) = (page.text.counts.words, page.rendered_words());
    text_depends_on_scripts(page, rendered).then(|| match rendered {
        Some(rendered) => format!("{count} words without scripts, {rendered} with them"),
        None => format!("{count} words"),
    })
}

fn language(page: &PageContent, found: &mut IssueCollector) {
    let Some(declared) = page.document.lang.as_deref() else {
        found.add(IssueCode::LangMissing, None);
        return;
    };
    if !tags::is_language_tag(declared) {
        found.add(IssueCode::LangInvalid, declared.to_owned());
        return;
    }
    if let Some(detected) = &page.text.detected
        && disagrees(detected, declared)
    {
        found.add(
            IssueCode::LangMismatch,
            format!("{declared}, written in {}", detected.code),
        );
    }
}

fn disagrees(detected: &DetectedLanguage, declared: &str) -> bool {
    detected.confidence >= HIGH_CONFIDENCE
        && tags::language_group(&detected.code) != tags::language_group(declared)
}

fn stuffing(subject: &Subject<'_>, text: &str, found: &mut IssueCollector) {
    let stuffed = stuffed_phrases(subject.page, text, subject.context.keywords);
    let details = stuffed.iter().map(|it| {
        let density = it.density * 100.0;
        format!("{}: {} times, {density:.1} %", it.phrase, it.uses)
    });
    found.add_each(IssueCode::KeywordStuffing, details);
}

pub struct StuffedPhrase {
    phrase: String,
    uses: usize,
    density: f64,
}

impl StuffedPhrase {
    /// Whether it is that phrase, normalized.
    pub fn matches(&self, phrase: &str) -> bool {
        normalized(&self.phrase) == normalized(phrase)
    }
}

/// Phrases used too often in `text`, the page's main text: of `keywords`, or else of its title.
pub fn stuffed_phrases(page: &PageContent, text: &str, keywords: &[String]) -> Vec<StuffedPhrase> {
    if page.text.counts.words < THIN_WORDS {
        return Vec::new();
    }
    let of_title;
    let (phrases, min_density) = if keywords.is_empty() {
        of_title = title_phrases(page.title().unwrap_or_default());
        (of_title.as_slice(), MIN_TITLE_PHRASE_DENSITY)
    } else {
        (keywords, 0.0)
    };
    let lower = text.to_lowercase();
    let phrases: Vec<&String> = phrases
        .iter()
        .filter(|it| may_be_stuffed(it, &lower))
        .collect();
    if phrases.is_empty() {
        return Vec::new();
    }
    let indexed = IndexedText::for_phrases(text, page.text.language, &phrases);
    let stuffed = phrases.into_iter().filter_map(|phrase| {
        let uses = indexed.uses(phrase);
        let density = uses.density.unwrap_or_default();
        (uses.stuffed && density >= min_density).then(|| StuffedPhrase {
            phrase: phrase.clone(),
            uses: uses.inflected.unwrap_or(uses.exact),
            density,
        })
    });
    stuffed.collect()
}

/// Cheap check of word prefixes in a lower-case text, before the expensive exact count.
fn may_be_stuffed(phrase: &str, lower: &str) -> bool {
    const PREFIX_CHARACTERS: usize = 3;
    let lower_phrase = phrase.to_lowercase();
    let mut beginnings = words(&lower_phrase)
        .map(|it| shortened(it, PREFIX_CHARACTERS))
        .peekable();
    beginnings.peek().is_some()
        && beginnings.all(|it| lower.matches(it).take(STUFFED_USES).count() == STUFFED_USES)
}

/// Two and three consecutive words of a title.
fn title_phrases(title: &str) -> Vec<String> {
    const MAX_WORDS: usize = 12;
    let all: Vec<&str> = words(title).take(MAX_WORDS).collect();
    let of = |size: usize| {
        all.windows(size)
            // Excludes function words such as `of the`.
            .filter(|it| it.iter().all(|it| it.chars().count() > 3))
            .map(|it| it.join(" "))
            .collect::<Vec<_>>()
    };
    [of(2), of(3)].concat()
}

fn article_issues(subject: &Subject<'_>, found: &mut IssueCollector) {
    if subject.context.kind != PageKind::Article {
        return;
    }
    let known = &subject.page.metadata;
    found.add_if(known.authors.is_empty(), IssueCode::NoAuthor);
    let has_date = known.published().or_else(|| known.modified()).is_some();
    found.add_if(!has_date, IssueCode::NoDate);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::sample_pages::paragraphs;
    use crate::observation::page_content::{RenderFailure, Rendered, RenderedPage};

    fn page(words: usize) -> PageContent {
        let mut page = paragraphs(&["clay ".repeat(words).as_str()]);
        page.text.all_words = u32::try_from(words).unwrap();
        page.structure.inline_script_bytes = 9_000;
        page
    }

    fn shell(words: usize) -> PageContent {
        let mut page = page(words);
        page.structure.has_empty_root = true;
        page
    }

    fn shown(words: u32) -> Rendered {
        Rendered::Shown(RenderedPage {
            words,
            ..RenderedPage::default()
        })
    }

    #[test]
    fn rendered_words_override_the_heuristic() {
        let mut page = shell(29);
        assert_eq!(filled_by_scripts(&page).unwrap(), "29 words");
        page.rendered = Some(shown(100));
        let detail = filled_by_scripts(&page).unwrap();
        assert_eq!(detail, "29 words without scripts, 100 with them");
        // 30 % are enough.
        page.rendered = Some(shown(96));
        assert_eq!(filled_by_scripts(&page), None);
        // Less than 50 words is hardly a text.
        page.text.counts.words = 0;
        page.rendered = Some(shown(49));
        assert_eq!(filled_by_scripts(&page), None);
    }

    fn codes(page: &PageContent) -> Vec<IssueCode> {
        codes_of(page, PageKind::Other)
    }

    fn codes_of(page: &PageContent, kind: PageKind) -> Vec<IssueCode> {
        let context = crate::findings::issues::PageContext {
            kind,
            scope: &crate::observation::web_site::CrawlScope::from_host("example.com"),
            schema: None,
            vitals: &[],
            keywords: &[],
            has_traffic: None,
        };
        let subject = Subject {
            page,
            context: &context,
            url: None,
            is_loopback: false,
        };
        let mut found = IssueCollector::default();
        amount(&subject, &mut found);
        found.finished().into_iter().map(|it| it.code).collect()
    }

    #[test]
    fn a_short_page_with_a_script_is_thin() {
        assert_eq!(codes(&page(29)), [IssueCode::ThinContent]);
        let mut with_noscript = page(15);
        with_noscript.structure.requires_scripts = true;
        assert_eq!(codes(&with_noscript), [IssueCode::ThinContent]);
        assert_eq!(codes(&shell(29)), [IssueCode::JsOnlyContent]);
        let mut with_noscript = page(7);
        with_noscript.structure.requires_scripts = true;
        assert_eq!(codes(&with_noscript), [IssueCode::JsOnlyContent]);
    }

    #[test]
    fn a_home_page_without_content_is_empty() {
        let mut page = page(0);
        page.structure.inline_script_bytes = 0;
        let of = |page: &PageContent| codes_of(page, PageKind::Home);
        assert_eq!(of(&page), [IssueCode::EmptyMainContent]);
        page.structure.media = 1;
        assert_eq!(of(&page), []);
        page.structure.media = 0;
        page.text.all_words = 2;
        assert_eq!(of(&page), []);
        // Scripts may add the content.
        page.text.all_words = 0;
        page.structure.inline_script_bytes = 9_000;
        assert_eq!(of(&page), [IssueCode::JsOnlyContent]);
    }

    #[test]
    fn a_truncated_page_is_not_empty() {
        use crate::observation::web_site::Truncation;
        let mut page = page(3);
        page.structure.inline_script_bytes = 0;
        assert_eq!(codes(&page), [IssueCode::EmptyMainContent]);
        page.document.parser_limit = true;
        assert_eq!(codes(&page), []);
        page.document.parser_limit = false;
        page.fetched.truncation = Truncation::AtLimit;
        assert_eq!(codes(&page), []);
    }

    #[test]
    fn a_failed_rendering_falls_back_to_the_heuristic() {
        let mut page = shell(29);
        page.rendered = Some(Rendered::Failed {
            reason: RenderFailure::TimedOut,
            detail: None,
        });
        assert_eq!(filled_by_scripts(&page).unwrap(), "29 words");
        page.structure.inline_script_bytes = 0;
        assert_eq!(filled_by_scripts(&page), None);
    }
}
