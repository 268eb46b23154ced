use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::findings::issues::stuffed_phrases;
use crate::observation::page_content::PageContent;
use crate::text::phrases::{IndexedText, without_diacritics};
use crate::text::words::words;
use serde::{Deserialize, Serialize};
use url::Url;

/// Words of the text that count as its beginning.
const FIRST_WORDS: usize = 100;
/// Separators between a title and the name of the site.
const SEPARATORS: [&str; 7] = [" | ", " – ", " — ", " - ", " :: ", " « ", ": "];

/// Where the page has the keyword.
#[expect(clippy::struct_excessive_bools, reason = "each is a place of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeywordCoverage {
    /// In the title (25).
    pub title: bool,
    /// In an `h1` (20).
    pub h1: bool,
    /// In the first hundred words (15).
    pub first_100_words: bool,
    /// In an `h2` (10).
    pub h2: bool,
    /// In the path of the address (10).
    pub url_slug: bool,
    /// In the description (5).
    pub meta_description: bool,
    /// In the alternative text of an image (5).
    pub image_alt: bool,
    /// In the main text (10).
    pub body: bool,
}

impl KeywordCoverage {
    /// 0 to 100, by the weights of docs/measurement/content.md.
    pub fn score(self) -> f64 {
        let weighted = [
            (self.title, 25.0),
            (self.h1, 20.0),
            (self.first_100_words, 15.0),
            (self.h2, 10.0),
            (self.url_slug, 10.0),
            (self.meta_description, 5.0),
            (self.image_alt, 5.0),
            (self.body, 10.0),
        ];
        weighted.into_iter().filter(|it| it.0).map(|it| it.1).sum()
    }
}

/// What a page says of its keyword.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeywordFacts {
    /// The keyword.
    pub target: String,
    /// Whether it was derived from the title alone.
    pub from_title: bool,
    /// Where the page has it.
    pub coverage: KeywordCoverage,
    /// 0 to 100.
    #[serde(serialize_with = "rounded::fraction")]
    pub coverage_score: f64,
    /// Uses in the main text, inflected ones included where the language is known.
    pub uses: u32,
    /// Words of all uses per words of the main text; null without words.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub density: Option<f64>,
    /// It is there too often: the page has the issue `keywordStuffing` for it.
    pub stuffing: bool,
    /// Share of the words that competing pages use; null unless these were read.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub term_coverage: Option<f64>,
}

/// Where a page has `keyword`: one of `given` or, if that is empty, one taken from its title.
pub fn keyword_facts(page: &PageContent, keyword: &str, given: &[String]) -> KeywordFacts {
    let language = page.text.language;
    let contains_keyword = |text: &str| {
        let uses = IndexedText::for_phrases(text, language, &[keyword]).uses(keyword);
        uses.inflected.unwrap_or_default().max(uses.folded) > 0
    };
    let heading = |level: u8| {
        let mut all = page.headings.iter().filter(|it| it.level == level);
        all.any(|it| it.text.as_deref().is_some_and(contains_keyword))
    };
    let body = page.text.main.text();
    let uses = IndexedText::for_phrases(&body, language, &[keyword]).uses(keyword);
    let alternatives: Vec<&str> = page
        .images
        .iter()
        .filter_map(|it| it.alt.as_deref())
        .collect();
    let coverage = KeywordCoverage {
        title: page.title().is_some_and(contains_keyword),
        h1: heading(1),
        first_100_words: contains_keyword(&first_words(&body)),
        h2: heading(2),
        url_slug: contains_keyword(&slug(&page.url))
            || slug_contains_keyword(&slug(&page.url), keyword),
        meta_description: page.description().is_some_and(contains_keyword),
        image_alt: contains_keyword(&alternatives.join("\n")),
        body: uses.inflected.unwrap_or_default().max(uses.folded) > 0,
    };
    let count = uses.inflected.unwrap_or(uses.exact);
    // Lazy: few phrases get far enough to need this check.
    let is_stuffed = || {
        stuffed_phrases(page, &body, given)
            .iter()
            .any(|it| it.matches(keyword))
    };
    KeywordFacts {
        target: keyword.to_owned(),
        from_title: given.is_empty(),
        coverage,
        coverage_score: coverage.score(),
        uses: u32::try_from(count).unwrap_or(u32::MAX),
        density: uses.density,
        stuffing: uses.stuffed && is_stuffed(),
        term_coverage: None,
    }
}

/// URLs are usually written without diacritics.
fn slug_contains_keyword(slug: &str, keyword: &str) -> bool {
    let plain = without_diacritics(&keyword.to_lowercase());
    let padded = format!(" {} ", without_diacritics(slug));
    !plain.is_empty() && padded.contains(&format!(" {plain} "))
}

/// The words of a URL's path.
fn slug(url: &str) -> String {
    let path = Url::parse(url).map_or_else(|_| String::new(), |it| it.path().to_owned());
    let decoded = crate::fragment::percent_decoded(&path).to_lowercase();
    let parts = decoded.split(|it: char| !it.is_alphanumeric());
    parts
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn first_words(text: &str) -> String {
    words(text).take(FIRST_WORDS).collect::<Vec<_>>().join(" ")
}

/// The title phrase of one to three words, without short words at its ends, that text, headings and URL use most,
/// weighted by length. `None` if they use none.
pub fn probable_keyword(page: &PageContent) -> Option<String> {
    const MAX_PHRASE_WORDS: usize = 3;
    const MAX_WORDS: usize = 15;
    let title = page.title()?;
    let main = SEPARATORS
        .iter()
        .filter_map(|it| title.split_once(it))
        .map(|it| it.0)
        .min_by_key(|it| it.len())
        .unwrap_or(title);
    let lower = main.to_lowercase();
    let all: Vec<&str> = words(&lower).take(MAX_WORDS).collect();
    let mut haystack = page.text.main.text().to_lowercase();
    for heading in &page.headings {
        haystack.push('\n');
        haystack.push_str(&heading.text.as_deref().unwrap_or_default().to_lowercase());
    }
    haystack.push('\n');
    haystack.push_str(&slug(&page.url));
    let is_content = |it: &&str| it.chars().count() > 3;
    let phrases = (1..=MAX_PHRASE_WORDS).flat_map(|size| all.windows(size));
    let mut best: Option<(usize, String)> = None;
    for phrase in phrases {
        let ends = [phrase.first(), phrase.last()];
        if !ends.into_iter().flatten().all(is_content) {
            continue;
        }
        let text = phrase.join(" ");
        let uses = count_uses(&haystack, &text);
        let weight = if uses == 0 {
            0
        } else {
            (uses + 1) * phrase.len()
        };
        if weight > best.as_ref().map_or(0, |it| it.0) {
            best = Some((weight, text));
        }
    }
    best.map(|it| it.1)
}

/// Counts a phrase as whole words; both in lower case.
fn count_uses(text: &str, phrase: &str) -> usize {
    let is_edge = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric());
    let found = text.match_indices(phrase).filter(|(at, _)| {
        is_edge(text[..*at].chars().next_back())
            && is_edge(text[at + phrase.len()..].chars().next())
    });
    found.count()
}
