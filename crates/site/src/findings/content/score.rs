use super::keyword::KeywordFacts;
use crate::findings::issues::{Issue, IssueCode};
use crate::observation::page_content::PageContent;
use crate::page_kind::PageKind;
use crate::text::readability::Band;

/// Words for the full value: Google has no preferred count.
const ENOUGH_WORDS: f64 = 300.0;
/// Similarity from which a page has no unique content.
const DUPLICATE_SIMILARITY: f64 = 0.9;
/// Words from which a text needs subheadings.
const LONG_TEXT_WORDS: usize = 300;

/// Weights of substance, uniqueness, readability, snippet, structure and keyword coverage
/// (docs/measurement/content.md); unknown parts are left out of the mean.
pub const WEIGHTS: [f64; 6] = [0.25, 0.20, 0.15, 0.15, 0.10, 0.15];

/// The parts of the score, each 0 to 1; `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// How much text there is, up to 300 words.
    pub substance: Option<f64>,
    /// By similarity to the most similar indexable page.
    pub uniqueness: Option<f64>,
    /// Relative to the kind of page.
    pub readability: Option<f64>,
    /// Title and description.
    pub snippet: Option<f64>,
    /// Headings.
    pub structure: Option<f64>,
    pub keyword: Option<f64>,
}

impl Parts {
    pub fn of(
        page: &PageContent,
        kind: PageKind,
        band: Option<Band>,
        nearest: Option<f64>,
        keyword: Option<&KeywordFacts>,
        issues: &[Issue],
    ) -> Self {
        let words = u32::try_from(page.text.counts.words).unwrap_or(u32::MAX);
        let has = |code| issues.iter().any(|it| it.code == code);
        Self {
            substance: Some((f64::from(words) / ENOUGH_WORDS).min(1.0)),
            uniqueness: Some(uniqueness(nearest)),
            readability: band.map(|it| readability_value(it, kind)),
            snippet: Some(snippet(page, &has)),
            structure: Some(structure(page, &has)),
            keyword: keyword.map(|it| it.coverage_score / 100.0),
        }
    }

    const fn all(&self) -> [Option<f64>; 6] {
        [
            self.substance,
            self.uniqueness,
            self.readability,
            self.snippet,
            self.structure,
            self.keyword,
        ]
    }
}

/// 0 to 100: the weighted mean of the known parts.
pub fn content_score(parts: &Parts) -> Option<f64> {
    let known = parts.all().into_iter().zip(WEIGHTS);
    let known = known.filter_map(|(part, weight)| Some((part?, weight)));
    let (sum, weights) = known.fold((0.0, 0.0), |(sum, weights), (part, weight)| {
        (sum + part * weight, weights + weight)
    });
    (weights > 0.0).then(|| 100.0 * sum / weights)
}

fn uniqueness(nearest: Option<f64>) -> f64 {
    match nearest {
        Some(likeness) if likeness >= DUPLICATE_SIMILARITY => 0.0,
        Some(likeness) => 1.0 - likeness,
        None => 1.0,
    }
}

/// Articles and pages of unknown kind may be harder to read than the others.
fn readability_value(band: Band, kind: PageKind) -> f64 {
    let is_studied = matches!(kind, PageKind::Article | PageKind::Other);
    match band {
        Band::VeryEasy | Band::Easy | Band::FairlyEasy | Band::Standard => 1.0,
        Band::FairlyDifficult => 0.8,
        Band::Difficult if is_studied => 0.6,
        Band::Difficult => 0.4,
        Band::VeryDifficult if is_studied => 0.3,
        Band::VeryDifficult => 0.2,
    }
}

/// Two thirds for the title, one for the description: each half for presence, half for length.
fn snippet(page: &PageContent, has: &impl Fn(IssueCode) -> bool) -> f64 {
    let fits = |short, long| if has(short) || has(long) { 0.5 } else { 1.0 };
    let title = page
        .title()
        .map_or(0.0, |_| fits(IssueCode::TitleShort, IssueCode::TitleLong));
    let description = page
        .description()
        .map_or(0.0, |_| fits(IssueCode::DescShort, IssueCode::DescLong));
    (2.0 * title + description) / 3.0
}

fn structure(page: &PageContent, has: &impl Fn(IssueCode) -> bool) -> f64 {
    let worth = |weight: f64, holds: bool| if holds { weight } else { 0.0 };
    let one_h1 =
        !has(IssueCode::H1Missing) && !has(IssueCode::H1Multiple) && page.heading(1).is_some();
    let parted =
        page.text.counts.words < LONG_TEXT_WORDS || page.headings.iter().any(|it| it.level > 1);
    worth(0.4, one_h1)
        + worth(0.2, !has(IssueCode::HeadingEmpty))
        + worth(0.2, !has(IssueCode::HeadingOrder))
        + worth(0.2, parted)
}
