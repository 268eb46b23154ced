use super::{ClassSource, CompetitorsContext, MIN_OWN_KEYWORDS, head_to_head::HeadToHeads};
use crate::search_panel::{DomainId, OWN, Panel};
use crate::site_class;
use crate::site_class::SiteClass;

/// Listed competitors, and listed platforms besides.
const MAX_COMPETITORS: usize = 50;
const MAX_PLATFORMS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chosen {
    pub domain: DomainId,
    pub class: SiteClass,
    pub class_source: ClassSource,
    /// `None` if too few own keywords are in the top.
    pub score: Option<f64>,
    pub rank: Option<u32>,
}

/// The strongest competitors, some platforms, and all pinned domains that were seen; strongest first.
pub(super) fn choose(
    panel: &Panel<'_>,
    context: &CompetitorsContext<'_>,
    duels: &HeadToHeads,
) -> Vec<Chosen> {
    let own = duels.own();
    let scores_are_known = own.keywords >= MIN_OWN_KEYWORDS;
    let most_clicks = competing_domains(duels)
        .map(|(_, duel)| duel.clicks)
        .fold(0.0, f64::max);
    let mut all: Vec<(DomainId, f64)> = competing_domains(duels)
        .filter(|(_, duel)| !scores_are_known || duel.common > 0)
        .map(|(domain, _)| (domain, score(duels, domain, most_clicks)))
        .collect();
    // Without enough own keywords, expected clicks decide the order.
    all.sort_by(|(one, one_score), (other, other_score)| {
        let clicks = |domain: &DomainId| duels.by_domain[*domain as usize].clicks;
        let by_score = other_score.total_cmp(one_score);
        let by_score = if scores_are_known {
            by_score
        } else {
            std::cmp::Ordering::Equal
        };
        by_score
            .then(clicks(other).total_cmp(&clicks(one)))
            .then_with(|| panel.name(*one).cmp(panel.name(*other)))
    });
    pick(panel, context, &all, scores_are_known)
}

fn pick(
    panel: &Panel<'_>,
    context: &CompetitorsContext<'_>,
    strongest: &[(DomainId, f64)],
    scores_are_known: bool,
) -> Vec<Chosen> {
    let (mut competitors, mut platforms) = (0_u32, 0);
    let mut chosen = Vec::new();
    for (domain, score) in strongest {
        let name = panel.name(*domain);
        let (class, class_source) = class(name, context);
        let is_platform = class == SiteClass::Platform;
        let rank = if is_platform {
            platforms += 1;
            None
        } else {
            competitors += 1;
            Some(competitors)
        };
        let is_listed = if is_platform {
            platforms <= MAX_PLATFORMS
        } else {
            competitors as usize <= MAX_COMPETITORS
        };
        if is_listed || is_pinned(name, context) {
            chosen.push(Chosen {
                domain: *domain,
                class,
                class_source,
                score: scores_are_known.then_some(*score),
                rank,
            });
        }
    }
    chosen
}

pub(super) fn is_pinned(name: &str, context: &CompetitorsContext<'_>) -> bool {
    context.pinned.get(name).is_some_and(|it| it.is_tracked)
}

/// From the owner, else the list, else the home page.
pub(super) fn class(name: &str, context: &CompetitorsContext<'_>) -> (SiteClass, ClassSource) {
    let pinned_class = context.pinned.get(name).and_then(|it| it.class);
    let shown = || {
        let types = context.home_page_types.get(name)?;
        SiteClass::from_home_page(types)
    };
    pinned_class
        .map(|class| (class, ClassSource::User))
        .or_else(|| site_class::listed_class(name).map(|class| (class, ClassSource::List)))
        .or_else(|| shown().map(|class| (class, ClassSource::HomePage)))
        .unwrap_or((SiteClass::Direct, ClassSource::Assumed))
}

fn competing_domains(
    duels: &HeadToHeads,
) -> impl Iterator<Item = (DomainId, &super::head_to_head::HeadToHead)> {
    (0..)
        .zip(&duels.by_domain)
        .filter(|(domain, duel)| *domain != OWN && duel.clicks > 0.0)
}

/// 100·(0.5·√trafficOverlap + 0.3·keywordOverlap + 0.2·clicks/most clicks of a competitor); our weights.
fn score(duels: &HeadToHeads, domain: DomainId, most_clicks: f64) -> f64 {
    let (duel, own) = (duels.by_domain[domain as usize], duels.own());
    let traffic = duel.traffic_overlap(own.clicks).unwrap_or(0.0);
    let keywords = duel.keyword_overlap(own.keywords).unwrap_or(0.0);
    let size = if most_clicks > 0.0 {
        duel.clicks / most_clicks
    } else {
        0.0
    };
    100.0 * (0.5 * traffic.sqrt() + 0.3 * keywords + 0.2 * size)
}
