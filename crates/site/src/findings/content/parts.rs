use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::observation::page_content::{CharsetSource, FactSource, PageContent};
use crate::text::pixel_width::SnippetElement;
use crate::text::readability::{Band, Formula, Status, readability};
use crate::text::words::shortened;
use serde::{Deserialize, Serialize};

/// Headings that a record lists; all are evaluated.
pub(super) const MAX_HEADINGS: usize = 200;
/// Characters of a listed heading.
const HEADING_CHARACTERS: usize = 200;

/// The language of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LanguageFacts {
    /// `html[lang]`, or else `Content-Language`; null where the page says none.
    pub declared: Option<String>,
    /// Detected from the letters of the main text; null where that is too short.
    pub detected: Option<String>,
    /// How sure that is, 0 to 1.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub confidence: Option<f64>,
}

impl LanguageFacts {
    pub fn of(page: &PageContent) -> Self {
        let detected = page.text.detected.as_ref();
        Self {
            declared: page
                .document
                .lang
                .clone()
                .or_else(|| page.response.headers.content_language.clone()),
            detected: detected.map(|it| it.code.clone()),
            confidence: detected.map(|it| it.confidence),
        }
    }
}

/// The encoding of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharsetFacts {
    /// The encoding that it was read in, by the WHATWG's name.
    pub name: String,
    /// Who said so.
    pub source: CharsetSource,
    /// Places where its bytes are none of that encoding, so that readers see a mark of replacement: it is
    /// in another one than it says.
    pub replaced_sequences: u32,
}

impl CharsetFacts {
    pub fn of(page: &PageContent) -> Self {
        Self {
            name: page.document.charset.clone(),
            source: page.document.charset_source,
            replaced_sequences: page.document.replaced_sequences,
        }
    }
}

/// A title or description, as a results page shows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnippetText {
    /// The text; null where the page has none.
    pub text: Option<String>,
    /// Its characters.
    pub length: u32,
    /// Its width in Arial at the size of a results page on a desktop, in px.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub pixel_width: Option<f64>,
    /// Whether it is likely to be cut off.
    pub truncated: bool,
    /// Other pages with the same one.
    pub duplicate_of: Vec<String>,
}

impl SnippetText {
    pub fn of(text: Option<&str>, place: SnippetElement, duplicate_of: Vec<String>) -> Self {
        let width = text.map(|it| place.width(it));
        Self {
            length: text.map_or(0, |it| saturating_u32(it.chars().count())),
            pixel_width: width,
            truncated: width.is_some_and(|it| it > place.limit),
            text: text.map(str::to_owned),
            duplicate_of,
        }
    }
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadingFact {
    /// 1 to 6.
    pub level: u8,
    /// Its text, at most 200 characters; null where it says nothing.
    pub text: Option<String>,
}

pub fn headings(page: &PageContent) -> Vec<HeadingFact> {
    let first = page.headings.iter().take(MAX_HEADINGS);
    first
        .map(|it| HeadingFact {
            level: it.level,
            text: { it.text.as_deref() }.map(|it| shortened(it, HEADING_CHARACTERS).to_owned()),
        })
        .collect()
}

/// How a text reads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadabilityFacts {
    /// The formula of `score`; null for languages without one.
    pub formula: Option<Formula>,
    /// How well founded that formula is.
    pub status: Option<Status>,
    /// Reading ease by it, about 0 (hard) to 100 (easy); null below 100 words.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub score: Option<f64>,
    /// The same in words, by the formula or else by LIX.
    pub band: Option<Band>,
    /// LIX, comparable over languages: 20 easy, 60 hard.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub lix: Option<f64>,
    /// RIX: long words per sentence.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub rix: Option<f64>,
    /// Years of school, by the language's own formula.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub grade: Option<f64>,
    /// Values of the language's other formulas.
    pub others: Vec<OtherScore>,
}

/// A formula and its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtherScore {
    /// The formula.
    pub formula: Formula,
    /// Its value.
    #[serde(serialize_with = "rounded::fraction")]
    pub value: f64,
}

impl ReadabilityFacts {
    pub fn of(page: &PageContent) -> Self {
        let Some(read) = readability(&page.text.counts, page.text.language) else {
            return Self::default();
        };
        let others = read.others.iter().map(|it| OtherScore {
            formula: it.formula,
            value: it.value,
        });
        Self {
            formula: read.reading_ease.map(|it| it.formula),
            status: read.reading_ease.map(|it| it.status),
            score: read.reading_ease.map(|it| it.value),
            band: Some(read.band),
            lix: Some(read.lix.value),
            rix: Some(read.rix.value),
            grade: read.grade.map(|it| it.value),
            others: others.collect(),
        }
    }
}

/// How alike other pages of the site are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Uniqueness {
    /// Pages with the same main text.
    pub exact_duplicates: Vec<String>,
    /// The page most like it; null where none is alike enough to be compared.
    pub nearest: Option<NearestPage>,
    /// The number of the cluster of near duplicates that it belongs to, from 1.
    pub cluster_id: Option<u32>,
}

/// The page most like another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NearestPage {
    /// Its address.
    pub url: String,
    /// Exact Jaccard similarity of 4-word shingles.
    #[serde(serialize_with = "rounded::fraction")]
    pub similarity: f64,
}

/// Images of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageCounts {
    /// All of them; null, as the next two, where some were not read.
    pub count: Option<u32>,
    /// Without an `alt` attribute where one is needed.
    pub without_alt: Option<u32>,
    /// That do not say how large they are.
    pub without_size: Option<u32>,
    /// Larger than 500 kB, among those of known size.
    pub oversized: u32,
}

/// Links of and to a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkCounts {
    /// Links of `a` and `area` to the site; null, as the next three, where some were not read.
    pub internal: Option<u32>,
    /// To other sites.
    pub external: Option<u32>,
    /// With `nofollow`, `ugc` or `sponsored`.
    pub nofollow: Option<u32>,
    /// Pages of the site that it links to.
    pub unique_internal: Option<u32>,
    /// Links to it from other pages of the site.
    pub inlinks: u32,
    /// Pages of the site that link to it.
    pub unique_inlinks: u32,
    /// Links away from the start.
    pub depth: u32,
    /// No page of the site links to it.
    pub orphan: bool,
    /// The weight that the site's own links give it, as a multiple of an even share.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub internal_score: Option<f64>,
}

/// When a page was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The day of publication; null where the page does not say it.
    pub published: Option<chrono::NaiveDate>,
    /// The day of the last change.
    pub modified: Option<chrono::NaiveDate>,
    /// Where the later of both was read.
    pub source: Option<FactSource>,
}

impl Freshness {
    pub fn of(page: &PageContent) -> Self {
        let (published, modified) = (page.metadata.published(), page.metadata.modified());
        let latest = [modified, published]
            .into_iter()
            .flatten()
            .max_by_key(|it| it.day);
        Self {
            published: published.map(|it| it.day),
            modified: modified.map(|it| it.day),
            source: latest.map(|it| it.source),
        }
    }
}

pub fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
