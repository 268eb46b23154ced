use super::{
    AveragePositions, CompetitorRecord, CompetitorSource, CompetitorsContext, METHOD_VERSION,
    MIN_OWN_KEYWORDS,
    choose::{self, Chosen},
    head_to_head::{HeadToHead, HeadToHeads, ratio},
    keywords::{Differences, differences},
};
use crate::findings::envelope::Envelope;
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::search_panel::{DomainId, Panel};

/// One record per competitor, strongest first; pinned domains that were not seen come last.
pub fn competitors(panel: &Panel<'_>, context: &CompetitorsContext<'_>) -> Vec<CompetitorRecord> {
    let duels = HeadToHeads::new(panel, panel.has_volumes());
    let chosen = choose::choose(panel, context, &duels);
    let ids: Vec<DomainId> = chosen.iter().map(|it| it.domain).collect();
    let mut found = differences(panel, &ids);
    let mut records: Vec<CompetitorRecord> = chosen
        .iter()
        .map(|chosen| {
            let differences = found.remove(&chosen.domain).unwrap_or_default();
            detected_record(panel, context, &duels, chosen, differences)
        })
        .collect();
    let unseen = context
        .pinned
        .iter()
        .filter(|(name, pinned)| {
            pinned.is_tracked && !records.iter().any(|record| record.domain == **name)
        })
        .map(|(name, _)| pinned_record(panel, context, &duels, name))
        .collect::<Vec<_>>();
    records.extend(unseen);
    records
}

fn detected_record(
    panel: &Panel<'_>,
    context: &CompetitorsContext<'_>,
    duels: &HeadToHeads,
    chosen: &Chosen,
    differences: Differences,
) -> CompetitorRecord {
    let duel = duels.by_domain[chosen.domain as usize];
    let cited = panel.overviews().citing.get(&chosen.domain).copied();
    CompetitorRecord {
        class: chosen.class,
        class_source: chosen.class_source,
        rank: chosen.rank,
        competitor_score: chosen.score,
        ai_overview_citation_rate: ratio(cited.unwrap_or(0), panel.overviews().present),
        gap_keywords: differences.gaps,
        gap_keyword_count: differences.gap_count,
        advantage_keywords: differences.advantages,
        advantage_keyword_count: differences.advantage_count,
        ..measured(panel, context, duels, panel.name(chosen.domain), &duel)
    }
}

/// For a pinned domain without common keywords, or not seen at all.
fn pinned_record(
    panel: &Panel<'_>,
    context: &CompetitorsContext<'_>,
    duels: &HeadToHeads,
    name: &str,
) -> CompetitorRecord {
    let domain = panel.domain(name);
    let duel = domain.map_or_else(HeadToHead::default, |domain| {
        duels.by_domain[domain as usize]
    });
    let ids: Vec<DomainId> = domain.into_iter().collect();
    let found = differences(panel, &ids).into_values().next();
    let differences = found.unwrap_or_default();
    let cited = domain.and_then(|domain| panel.overviews().citing.get(&domain).copied());
    CompetitorRecord {
        ai_overview_citation_rate: ratio(cited.unwrap_or(0), panel.overviews().present),
        gap_keywords: differences.gaps,
        gap_keyword_count: differences.gap_count,
        advantage_keywords: differences.advantages,
        advantage_keyword_count: differences.advantage_count,
        ..measured(panel, context, duels, name, &duel)
    }
}

fn measured(
    panel: &Panel<'_>,
    context: &CompetitorsContext<'_>,
    duels: &HeadToHeads,
    name: &str,
    duel: &HeadToHead,
) -> CompetitorRecord {
    let own = duels.own();
    let is_enough = own.keywords >= MIN_OWN_KEYWORDS;
    let sov = (duels.clicks > 0.0).then(|| duel.clicks / duels.clicks);
    let (class, class_source) = choose::class(name, context);
    let earlier = context.earlier.get(name);
    let is_tracked = choose::is_pinned(name, context);
    let ai = context.ai.get(name);
    let unless_few = |value: Option<f64>| value.filter(|_| is_enough);
    CompetitorRecord {
        envelope: envelope(panel, context, is_enough, duel),
        domain: name.to_owned(),
        class,
        class_source,
        rank: None,
        competitor_score: None,
        common_keywords: duel.common,
        competitor_keywords: duel.keywords,
        own_keywords: own.keywords,
        keyword_overlap: unless_few(duel.keyword_overlap(own.keywords)),
        topicality: unless_few(ratio(duel.common, own.keywords)),
        similarity: unless_few(ratio(duel.common, duel.keywords)),
        traffic_overlap: unless_few(duel.traffic_overlap(own.clicks)),
        head_to_head_win_rate: unless_few(duel.win_rate()),
        average_position_common: positions(duel).filter(|_| is_enough),
        sov,
        estimated_clicks: panel.has_volumes().then_some(duel.clicks),
        gap_keywords: Vec::new(),
        gap_keyword_count: 0,
        advantage_keywords: Vec::new(),
        advantage_keyword_count: 0,
        ai_mention_rate: ai.and_then(|it| it.mention_rate),
        ai_citation_rate: ai.and_then(|it| it.citation_rate),
        ai_overview_citation_rate: None,
        first_seen_at: earlier.map_or(panel.measured_at(), |it| it.first_seen_at),
        trend30: earlier
            .and_then(|it| it.sov_30_days_ago)
            .zip(sov)
            .map(|(before, now)| now - before),
        is_tracked,
        source: if is_tracked {
            CompetitorSource::User
        } else {
            CompetitorSource::Detected
        },
    }
}

fn positions(duel: &HeadToHead) -> Option<AveragePositions> {
    Some(AveragePositions {
        own: ratio(duel.own_positions, duel.common)?,
        competitor: ratio(duel.their_positions, duel.common)?,
    })
}

fn envelope(
    panel: &Panel<'_>,
    context: &CompetitorsContext<'_>,
    is_enough: bool,
    duel: &HeadToHead,
) -> Envelope {
    let mut warnings = Vec::new();
    if !is_enough {
        warnings.push("fewOwnKeywords".to_owned());
    }
    if duel.clicks <= 0.0 {
        warnings.push("notSeen".to_owned());
    }
    let shallow = |depth: u32| depth < super::TOP;
    if panel.keywords().iter().any(|it| shallow(it.depth_checked)) {
        warnings.push("shallowPages".to_owned());
    }
    Envelope {
        result_type: ResultType::Competitors,
        project_id: context.project_id,
        keyword_id: None,
        url: None,
        measured_at: panel.measured_at(),
        status: if is_enough {
            RecordStatus::Ok
        } else {
            RecordStatus::InsufficientData
        },
        error: None,
        provenance: panel.provenance(),
        provider: context.provider.map(str::to_owned),
        method_version: METHOD_VERSION.to_owned(),
        sample_size: u32::try_from(panel.keywords().len()).unwrap_or(u32::MAX),
        warnings,
    }
}
