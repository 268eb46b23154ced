use super::METHOD;
use super::keyword::{KeywordFacts, keyword_facts, probable_keyword};
use super::parts::{
    CharsetFacts, Freshness, HeadingFact, ImageCounts, LanguageFacts, LinkCounts, MAX_HEADINGS,
    ReadabilityFacts, SnippetText, Uniqueness, headings, saturating_u32,
};
use super::rendered::RenderedFacts;
use super::score::{Parts, content_score};
use super::site_facts::SiteFacts;
use crate::ToSchema;
use crate::findings::envelope::{Envelope, FindingContext, rounded};
use crate::findings::issues::{Issue, IssueCode, THIN_WORDS};
use crate::observation::page_content::{MAX_IMAGES, PageContent};
use crate::observation::web_site::{CrawlScope, LinkTarget};
use crate::page_kind::PageKind;
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::text::phrases::question_share;
use crate::text::pixel_width::{DESCRIPTION, TITLE};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;

#[derive(Debug, Clone, Copy)]
pub struct ContentContext<'a> {
    pub finding: FindingContext,
    pub kind: PageKind,
    pub scope: &'a CrawlScope,
    /// Target keywords of the page, the most important first.
    pub keywords: &'a [String],
}

/// The content of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentRecord {
    /// What every record says about itself; `url` is the page.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// What the page is for, as its markup and address say.
    pub page_type: PageKind,
    /// Whether search engines may list it: 200, HTML, not `noindex`, canonical; with its scripts too,
    /// where a browser showed it.
    pub indexable: bool,
    /// Whether the document, its headers or, where a browser rendered it, its scripts prohibit indexing.
    pub noindex: bool,
    /// Its language.
    pub language: LanguageFacts,
    /// Its encoding.
    pub charset: CharsetFacts,
    /// Its title.
    pub title: SnippetText,
    /// Its description.
    pub meta_description: SnippetText,
    /// Its headings; at the most 200.
    pub headings: Vec<HeadingFact>,
    /// Share of the headings that are questions; null without headings, and where some were not read.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub question_headings: Option<f64>,
    /// Words of all text in sight; null, as all that is counted in the text, where the page was not read
    /// whole.
    pub word_count: Option<u32>,
    /// Words of the main text.
    pub main_word_count: Option<u32>,
    /// Characters of all text in sight per byte of the document; null for an empty one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub text_html_ratio: Option<f64>,
    /// Sentences of the main text.
    pub sentences: Option<u32>,
    /// Words per sentence; null without sentences.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_sentence_length: Option<f64>,
    /// How the main text reads.
    pub readability: ReadabilityFacts,
    /// Where the page says its keyword; null without one, and where the page was not read whole.
    pub keyword: Option<KeywordFacts>,
    /// How alike other pages are.
    pub uniqueness: Uniqueness,
    /// Its images.
    pub images: ImageCounts,
    /// Its links.
    pub links: LinkCounts,
    /// When it was written.
    pub freshness: Freshness,
    /// The page as a browser renders it, beside the document as it was sent; null where no rendering was
    /// requested.
    pub rendered: Option<RenderedFacts>,
    /// It has little own text; null where a page with little text was not read whole.
    pub thin: Option<bool>,
    /// 0 to 100; null where the page was not read whole, and where it has no main text.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub content_score: Option<f64>,
    /// What is wrong with it, in the order of the catalogue.
    pub issues: Vec<Issue>,
}

crate::json!(ContentRecord);

/// `issues` are all of the page's, including site-level ones.
pub fn content_record(
    page: &PageContent,
    facts: SiteFacts,
    issues: Vec<Issue>,
    context: &ContentContext<'_>,
) -> ContentRecord {
    let (text, counts) = (&page.text, &page.text.counts);
    let is_whole = !page.is_truncated();
    let counted = |count: u32| is_whole.then_some(count);
    let kind = context.kind;
    let given = context.keywords.first().cloned();
    let keyword = given
        .or_else(|| probable_keyword(page))
        .filter(|_| is_whole)
        .map(|it| keyword_facts(page, &it, context.keywords));
    let readability = if is_whole {
        ReadabilityFacts::of(page)
    } else {
        ReadabilityFacts::default()
    };
    let parts = Parts::of(
        page,
        kind,
        readability.band,
        facts.nearest_indexable,
        keyword.as_ref(),
        &issues,
    );
    let ratio = |part: u32, whole: u64| {
        #[expect(clippy::cast_precision_loss, reason = "no page is 2^52 bytes long")]
        let whole = whole as f64;
        (is_whole && whole > 0.0).then(|| f64::from(part) / whole)
    };
    let named = page.headings.iter().filter_map(|it| it.text.as_deref());
    ContentRecord {
        envelope: envelope(page, context),
        page_type: kind,
        indexable: page.is_indexable(),
        noindex: page.is_noindex(),
        language: LanguageFacts::of(page),
        charset: CharsetFacts::of(page),
        title: SnippetText::of(page.title(), TITLE, facts.title_duplicates.clone()),
        meta_description: SnippetText::of(
            page.description(),
            DESCRIPTION,
            facts.description_duplicates.clone(),
        ),
        headings: headings(page),
        question_headings: question_share(named, text.language)
            .filter(|_| !page.headings_are_truncated()),
        word_count: counted(text.all_words),
        main_word_count: counted(saturating_u32(counts.words)),
        text_html_ratio: ratio(text.all_characters, page.response.body_bytes),
        sentences: counted(saturating_u32(counts.sentences)),
        average_sentence_length: ratio(saturating_u32(counts.words), counts.sentences as u64),
        readability,
        keyword,
        images: images(page, &facts),
        links: links(page, &facts, context.scope),
        uniqueness: facts.uniqueness,
        freshness: Freshness::of(page),
        rendered: RenderedFacts::of(page),
        thin: is_thin(page, &issues),
        content_score: content_score(&parts).filter(|_| is_whole && counts.words > 0),
        issues,
    }
}

fn is_thin(page: &PageContent, issues: &[Issue]) -> Option<bool> {
    let thin = [IssueCode::ThinContent, IssueCode::EmptyMainContent];
    let may_be_longer = page.is_truncated() && page.text.counts.words < THIN_WORDS;
    (!may_be_longer).then(|| issues.iter().any(|it| thin.contains(&it.code)))
}

fn envelope(page: &PageContent, context: &ContentContext<'_>) -> Envelope {
    let mut warnings = page.truncation_warnings();
    let lists = [
        (page.headings.len() > MAX_HEADINGS, "headingsCut"),
        (page.images.len() >= MAX_IMAGES, "imagesCut"),
        (page.has_too_many_links(), "linksCut"),
    ];
    let cut = lists.iter().filter(|it| it.0);
    warnings.extend(cut.map(|it| it.1.to_owned()));
    if page.document.replaced_sequences > 0 {
        warnings.push("charsetMismatch".to_owned());
    }
    Envelope {
        status: if page.is_truncated() {
            RecordStatus::Partial
        } else {
            RecordStatus::Ok
        },
        warnings,
        ..Envelope::measured(
            ResultType::Content,
            METHOD,
            Some(&page.url),
            &context.finding,
        )
    }
}

fn images(page: &PageContent, facts: &SiteFacts) -> ImageCounts {
    let all = || page.images.iter();
    let without_alt = all().filter(|it| it.alt.is_none() && !it.is_named_otherwise);
    let without_size = all().filter(|it| !it.has_size && it.url.is_some());
    let counted = |count: usize| (!page.images_are_truncated()).then(|| saturating_u32(count));
    ImageCounts {
        count: counted(page.images.len()),
        without_alt: counted(without_alt.count()),
        without_size: counted(without_size.count()),
        oversized: facts.oversized_images,
    }
}

fn links(page: &PageContent, facts: &SiteFacts, scope: &CrawlScope) -> LinkCounts {
    let followed = page.links.iter().filter(|it| it.is_navigable());
    let mut counts = LinkCounts {
        inlinks: facts.inlinks.count,
        unique_inlinks: facts.inlinks.pages,
        depth: page.depth,
        orphan: facts.is_orphan,
        internal_score: facts.internal_score,
        ..LinkCounts::default()
    };
    if page.links_are_truncated() {
        return counts;
    }
    let (mut internal, mut external, mut nofollow) = (0, 0, 0);
    let mut unique = BTreeSet::new();
    for link in followed {
        let LinkTarget::Web { url, .. } = &link.target else {
            continue;
        };
        if Url::parse(url).is_ok_and(|it| scope.contains(&it)) {
            internal += 1;
            if *url != page.url {
                unique.insert(url);
            }
        } else {
            external += 1;
        }
        nofollow += u32::from(link.is_nofollow());
    }
    counts.internal = Some(internal);
    counts.external = Some(external);
    counts.nofollow = Some(nofollow);
    counts.unique_internal = Some(saturating_u32(unique.len()));
    counts
}
