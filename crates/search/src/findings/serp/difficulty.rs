use crate::ctr::SerpLayout;
use crate::findings::envelope::rounded;
use crate::observation::search_page::{Feature, OrganicResult, SearchPage};
use crate::provenance::Provenance;
use crate::search_panel::DomainProminence;
use crate::url_rules::is_home_page;
use crate::{ToSchema, keyword_metrics, keyword_text};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// Warning of a record without a difficulty score.
const INCOMPLETE: &str = "difficultyIncomplete";

/// How hard it is to rank. Without a link index it is a proxy that needs every component: how
/// prominent the domains are is known once the project's other pages are, stability after a month.
/// Tools' difficulties agree little with outcomes, so the components are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difficulty {
    /// 0 (easy) to 100; null while a component is unknown.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub score: Option<f64>,
    /// What the score rests on.
    #[serde(default)]
    #[schema(required = true)]
    pub basis: DifficultyBasis,
    /// Always `estimated`.
    pub provenance: Provenance,
    /// What the proxy is made of, each 0 to 1.
    pub components: DifficultyComponents,
}

/// What a difficulty rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum DifficultyBasis {
    /// Results pages.
    #[default]
    Proxy,
    /// Domains that link to the first ten, by a link index.
    Links,
}

impl Difficulty {
    /// Bases the score on links to the first ten results; the proxy's components are kept.
    pub fn set_from_links(&mut self, referring_domains: &[u64]) {
        if let Some(score) = keyword_metrics::difficulty_from_links(referring_domains) {
            self.score = Some(score);
            self.basis = DifficultyBasis::Links;
        }
    }

    /// Recomputes the proxy from its components, unless the score is based on links.
    pub(super) fn recompute_proxy(&mut self) {
        if self.basis == DifficultyBasis::Proxy {
            self.score = self.components.score();
        }
    }
}

pub(super) fn warn(score: Option<f64>, warnings: &mut Vec<String>) {
    warnings.retain(|it| it != INCOMPLETE);
    if score.is_none() {
        warnings.push(INCOMPLETE.to_owned());
    }
}

/// The components, each 0 to 1; null when one page does not show it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DifficultyComponents {
    /// How often the domains of the first 10 appear for other keywords.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub domain_prominence: Option<f64>,
    /// Home pages among the first 10.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub home_pages: Option<f64>,
    /// Titles among the first 10 that hold the keyword.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub title_matches: Option<f64>,
    /// Features that compete with organic results, four or more being 1.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub feature_pressure: Option<f64>,
    /// Rank-biased overlap with the page of a month ago.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub stability: Option<f64>,
}

impl DifficultyComponents {
    /// The weighted sum; `None` if a component is unknown.
    fn score(self) -> Option<f64> {
        let parts = [
            (0.35, self.domain_prominence?),
            (0.20, self.home_pages?),
            (0.20, self.title_matches?),
            (0.15, self.feature_pressure?),
            (0.10, self.stability?),
        ];
        Some(
            100.0
                * parts
                    .iter()
                    .map(|(weight, part)| weight * part)
                    .sum::<f64>(),
        )
    }
}

pub(super) fn estimate(
    keyword: &str,
    page: &SearchPage,
    prominence: Option<&DomainProminence>,
    stability: Option<f64>,
) -> Difficulty {
    let top: Vec<&OrganicResult> = page.organic().map(|(_, result)| result).take(10).collect();
    let wanted = words(keyword);
    let components = DifficultyComponents {
        domain_prominence: prominence
            .and_then(|known| known.of(top.iter().map(|result| result.url.as_str()))),
        home_pages: share(&top, |result| is_home_page(&result.url)),
        title_matches: share(&top, |result| contains(&words(&result.title), &wanted)),
        feature_pressure: feature_pressure(page),
        stability,
    };
    Difficulty {
        score: components.score(),
        basis: DifficultyBasis::Proxy,
        provenance: Provenance::Estimated,
        components,
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most ten")]
fn share(of: &[&OrganicResult], holds: impl Fn(&OrganicResult) -> bool) -> Option<f64> {
    let count = of.iter().filter(|it| holds(it)).count();
    (!of.is_empty()).then(|| count as f64 / of.len() as f64)
}

fn words(text: &str) -> Vec<String> {
    keyword_text::normalized(text)
        .unicode_words()
        .map(str::to_owned)
        .collect()
}

fn contains(text: &[String], wanted: &[String]) -> bool {
    !wanted.is_empty() && text.windows(wanted.len()).any(|window| window == wanted)
}

/// `None` unless the supplier reports every feature.
fn feature_pressure(page: &SearchPage) -> Option<f64> {
    const COMPETING: [Feature; 5] = [
        Feature::PaidTop,
        Feature::PaidBottom,
        Feature::Shopping,
        Feature::AiOverview,
        Feature::LocalPack,
    ];
    let layout = SerpLayout::of(page, None);
    let present = COMPETING
        .into_iter()
        .filter(|it| layout.has_feature(*it))
        .count();
    layout
        .is_complete()
        .then(|| f64::from(u32::try_from(present).unwrap_or(4)).min(4.0) / 4.0)
}
