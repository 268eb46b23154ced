use super::{
    DomainShare, EarlierPages, METHOD_VERSION, SovContext, SovRecord, SovScope, Universe,
    scopes::{self, Members},
};
use crate::findings::envelope::Envelope;
use crate::findings::rankings::Weighting;
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::search_panel::{DomainId, OWN, Panel, PanelKeyword};
use crate::statistics::concentration::concentration;
use std::collections::BTreeMap;

/// Listed domains, besides the own and the tracked ones.
const MAX_LISTED: usize = 50;
/// Records with a larger share of missing keywords are `partial`.
const TOLERATED_GAP: f64 = 0.1;

/// One record for the project, and one per tag, intent and page group.
pub fn shares(panel: &Panel<'_>, context: &SovContext<'_>) -> Vec<SovRecord> {
    let weighting = if panel.has_volumes() {
        Weighting::Volume
    } else {
        Weighting::Equal
    };
    let mut sums = Sums::of(panel);
    scopes::by_scope(panel)
        .into_iter()
        .map(|(scope, members)| {
            sums.add_up(panel, weighting, &members);
            record(panel, context, weighting, scope, &members, &sums)
        })
        .collect()
}

#[derive(Debug)]
struct Sums {
    domains: Vec<DomainSum>,
    clicks: f64,
    searches: f64,
    depth: Option<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct DomainSum {
    clicks: f64,
    keywords: u32,
    top3: u32,
    top10: u32,
    positions: u64,
}

impl Sums {
    fn of(panel: &Panel<'_>) -> Self {
        Self {
            domains: vec![DomainSum::default(); panel.domain_count()],
            clicks: 0.0,
            searches: 0.0,
            depth: None,
        }
    }

    fn add_up(&mut self, panel: &Panel<'_>, weighting: Weighting, members: &Members) {
        self.domains.fill(DomainSum::default());
        (self.clicks, self.searches, self.depth) = (0.0, 0.0, None);
        for place in &members.present {
            let keyword = &panel.keywords()[*place];
            let weight = weight(keyword, weighting);
            self.searches += weight;
            let seen = keyword.depth_checked;
            self.depth = Some(self.depth.map_or((seen, seen), |(shallowest, deepest)| {
                (shallowest.min(seen), deepest.max(seen))
            }));
            for standing in panel.standings(keyword) {
                let sum = &mut self.domains[standing.domain as usize];
                sum.clicks += weight * standing.share;
                sum.keywords += 1;
                sum.top3 += u32::from(standing.position <= 3);
                sum.top10 += u32::from(standing.position <= 10);
                sum.positions += u64::from(standing.position);
            }
        }
        self.clicks = self.domains.iter().map(|sum| sum.clicks).sum();
    }

    fn own(&self) -> DomainSum {
        self.domains.get(OWN as usize).copied().unwrap_or_default()
    }

    fn share(&self, clicks: f64) -> Option<f64> {
        (self.clicks > 0.0).then(|| clicks / self.clicks)
    }

    /// Seen domains, largest first, ties by name.
    fn ranked(&self, panel: &Panel<'_>) -> Vec<DomainId> {
        let mut seen: Vec<DomainId> = (0..)
            .zip(&self.domains)
            .filter(|(_, sum)| sum.keywords > 0)
            .map(|(domain, _)| domain)
            .collect();
        seen.sort_by(|one, other| {
            let clicks = |domain: &DomainId| self.domains[*domain as usize].clicks;
            let by_clicks = clicks(other).total_cmp(&clicks(one));
            by_clicks.then_with(|| panel.name(*one).cmp(panel.name(*other)))
        });
        seen
    }
}

#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
fn weight(keyword: &PanelKeyword, weighting: Weighting) -> f64 {
    match weighting {
        Weighting::Volume => keyword.topic.search_volume.unwrap_or(0) as f64,
        Weighting::Equal => 1.0,
    }
}

fn record(
    panel: &Panel<'_>,
    context: &SovContext<'_>,
    weighting: Weighting,
    scope: SovScope,
    members: &Members,
    sums: &Sums,
) -> SovRecord {
    let by_volume = weighting == Weighting::Volume;
    let ranked = sums.ranked(panel);
    let own = sums.own();
    let sov = sums.share(own.clicks);
    let spread = concentration(&sums.domains.iter().map(|it| it.clicks).collect::<Vec<_>>());
    let domains = listed(panel, context, by_volume, &ranked, sums);
    let listed_sov: f64 = domains.iter().map(|it| it.sov).sum();
    let compared = |earlier: Option<&EarlierPages>| {
        earlier?.compare(panel, members, |keyword| weight(keyword, weighting))
    };
    let (week, month) = (compared(context.week_ago), compared(context.month_ago));
    let own_rank = ranked.iter().position(|domain| *domain == OWN);
    SovRecord {
        envelope: envelope(panel, context, members, &own),
        universe: universe(by_volume, sums.depth),
        weighting,
        ctr_model: panel.curve().to_owned(),
        sov,
        share_of_search: (sums.searches > 0.0).then(|| own.clicks / sums.searches),
        sov_tracked: tracked_share(panel, context, sums),
        rank: own_rank.and_then(|place| u32::try_from(place + 1).ok()),
        estimated_clicks: by_volume.then_some(own.clicks),
        total_estimated_clicks: by_volume.then_some(sums.clicks),
        keyword_count: members.present.len() as u64,
        missing_keywords: members.missing,
        domains,
        domain_count: ranked.len() as u64,
        others_sov: sums
            .share(sums.clicks)
            .map_or(0.0, |all| (all - listed_sov).max(0.0)),
        concentration_hhi: spread.map(|it| it.hhi),
        effective_competitors: spread.map(|it| it.effective),
        change7: week.map(|it| it.change),
        change7_since: week.map(|it| it.since),
        change7_keywords: week.map(|it| it.keywords),
        change30: month.map(|it| it.change),
        change30_since: month.map(|it| it.since),
        change30_keywords: month.map(|it| it.keywords),
        features: feature_shares(panel, &scope),
        scope,
    }
}

fn listed(
    panel: &Panel<'_>,
    context: &SovContext<'_>,
    by_volume: bool,
    ranked: &[DomainId],
    sums: &Sums,
) -> Vec<DomainShare> {
    let is_tracked = |domain: DomainId| context.tracked.contains(panel.name(domain));
    ranked
        .iter()
        .enumerate()
        .filter(|(place, domain)| *place < MAX_LISTED || **domain == OWN || is_tracked(**domain))
        .map(|(_, domain)| {
            let sum = sums.domains[*domain as usize];
            DomainShare {
                domain: panel.name(*domain).to_owned(),
                sov: sums.share(sum.clicks).unwrap_or(0.0),
                estimated_clicks: by_volume.then_some(sum.clicks),
                keywords_top3: u64::from(sum.top3),
                keywords_top10: u64::from(sum.top10),
                average_position: mean(sum.positions, sum.keywords),
                is_own: *domain == OWN,
                is_tracked: is_tracked(*domain),
            }
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "positions are small")]
fn mean(sum: u64, count: u32) -> Option<f64> {
    (count > 0).then(|| sum as f64 / f64::from(count))
}

/// Among the own and the tracked domains; domains that were not seen have no clicks.
fn tracked_share(panel: &Panel<'_>, context: &SovContext<'_>, sums: &Sums) -> Option<f64> {
    let tracked = context.tracked.iter().filter_map(|name| panel.domain(name));
    let clicks: f64 = tracked
        .filter(|domain| *domain != OWN)
        .map(|domain| sums.domains[domain as usize].clicks)
        .sum();
    let own = sums.own().clicks;
    (!context.tracked.is_empty() && own + clicks > 0.0).then(|| own / (own + clicks))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of pages are far below 2^52"
)]
fn feature_shares(
    panel: &Panel<'_>,
    scope: &SovScope,
) -> BTreeMap<crate::observation::search_page::Feature, f64> {
    if *scope != SovScope::Project {
        return BTreeMap::new();
    }
    let holders = panel.features().iter();
    holders
        .map(|(feature, counts)| (*feature, counts.own as f64 / counts.pages as f64))
        .collect()
}

fn universe(by_volume: bool, depth_checked: Option<(u32, u32)>) -> Universe {
    let searches = if by_volume {
        "searchVolume"
    } else {
        "keywords"
    };
    Universe {
        sov: "allDomainsInTop100".to_owned(),
        share_of_search: searches.to_owned(),
        sov_tracked: "ownAndTrackedDomains".to_owned(),
        depth_checked,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn envelope(
    panel: &Panel<'_>,
    context: &SovContext<'_>,
    members: &Members,
    own: &DomainSum,
) -> Envelope {
    let measured = members.present.len();
    let all = measured as f64 + members.missing as f64;
    let mut warnings = Vec::new();
    let status = if measured == 0 {
        RecordStatus::InsufficientData
    } else if members.missing as f64 > TOLERATED_GAP * all {
        warnings.push("keywordsMissing".to_owned());
        RecordStatus::Partial
    } else {
        RecordStatus::Ok
    };
    if measured > 0 && own.keywords == 0 {
        warnings.push("ownNotSeen".to_owned());
    }
    Envelope {
        result_type: ResultType::Sov,
        project_id: context.project_id,
        keyword_id: None,
        url: None,
        measured_at: panel.measured_at(),
        status,
        error: None,
        provenance: panel.provenance(),
        provider: context.provider.map(str::to_owned),
        method_version: METHOD_VERSION.to_owned(),
        sample_size: u32::try_from(measured).unwrap_or(u32::MAX),
        warnings,
    }
}
