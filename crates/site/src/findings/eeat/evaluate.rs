use super::outcome::Outcome;
use super::record::{EeatAuthor, EeatRecord, PageType, PillarScores, Signal, Ymyl};
use super::signal::{Pillar, SignalCode, SignalScope};
use super::ymyl::ymyl;
use super::{
    EeatInput, FindingContext, METHOD, PageAverages, SiteSignals, page_signals, people,
    site_signals,
};
use crate::findings::envelope::Envelope;
use crate::findings::geo_score::WeightsBasis;
use crate::observation::page_content::PageContent;
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;

/// Weight of trust on YMYL pages, instead of 40.
const YMYL_TRUST_WEIGHT: f64 = 50.0;
/// Maximum score of a YMYL page without author or contact.
const YMYL_SCORE_CAP: f64 = 49.0;

pub fn evaluate_page(input: &EeatInput<'_>, context: &FindingContext) -> EeatRecord {
    let page = input.page;
    let ymyl = known_ymyl(page);
    let is_ymyl = ymyl.is_ymyl == Some(true);
    let authors = people::authors(page);
    let is_article = input.page_type == PageType::Article;
    let signals: Vec<Signal> = SignalCode::ALL
        .into_iter()
        .map(|code| {
            let found = match code {
                SignalCode::TopicalDepth if expects_topic_links(input.page_type) => {
                    site_signals::topical_depth(input.site, &page.url)
                }
                SignalCode::AuthorTopicPages if is_article && !authors.is_empty() => {
                    site_signals::author_topic_pages(input.site, &authors, &page.url)
                }
                SignalCode::TopicalDepth | SignalCode::AuthorTopicPages => {
                    Outcome::not_applicable()
                }
                _ => page_signals::outcome(code, input, &authors, is_ymyl)
                    .or_else(|| site_signals::outcome(code, input.site, input.third_party_mentions))
                    .unwrap_or_default(),
            };
            // On a truncated page, absence is not evidence: leave the signal open.
            let is_open = page.is_truncated() && code.scope() == SignalScope::Page;
            let is_sure = found.value.is_some_and(|it| it >= 1.0);
            signal(
                code,
                if is_open && !is_sure {
                    Outcome::default()
                } else {
                    found
                },
            )
        })
        .collect();
    let mut envelope = envelope(context, Some(&page.url), &ymyl, 1);
    if page.is_truncated() {
        envelope.status = RecordStatus::Partial;
        envelope.warnings.extend(page.truncation_warnings());
    }
    let mut record = scored(envelope, SignalScope::Page, signals, ymyl);
    if page.is_truncated() {
        record.eeat_score = None;
        record.capped = false;
        record.pillars = PillarScores::default();
    }
    record.page_type = Some(input.page_type);
    record.authors = authors;
    record.organization = people::organization(page).or_else(|| input.site.organization.clone());
    record
}

pub fn evaluate_site(
    site: &SiteSignals,
    pages: &PageAverages,
    third_party_mentions: Option<u32>,
    context: &FindingContext,
) -> EeatRecord {
    let signals: Vec<Signal> = SignalCode::ALL
        .into_iter()
        .map(|code| {
            let found = site_signals::outcome(code, site, third_party_mentions);
            signal(code, found.unwrap_or_else(|| pages.outcome(code)))
        })
        .collect();
    let ymyl = pages.ymyl();
    let envelope = envelope(context, site.start.as_deref(), &ymyl, site.pages());
    let mut record = scored(envelope, SignalScope::Site, signals, ymyl);
    record.organization.clone_from(&site.organization);
    record
}

/// A truncated page is not known to be not YMYL.
fn known_ymyl(page: &PageContent) -> Ymyl {
    let found = ymyl(page);
    if page.is_truncated() && found.is_ymyl == Some(false) {
        return Ymyl {
            is_ymyl: None,
            ..found
        };
    }
    found
}

/// Whether other pages are expected to link to it.
const fn expects_topic_links(page_type: PageType) -> bool {
    matches!(
        page_type,
        PageType::Article | PageType::Product | PageType::Category
    )
}

fn signal(code: SignalCode, found: Outcome) -> Signal {
    Signal {
        code,
        pillar: code.pillar(),
        scope: code.scope(),
        weight: code.weight(),
        applicable: found.value.is_some(),
        value: found.value,
        evidence: found.evidence,
        confidence: found.confidence,
    }
}

fn scored(envelope: Envelope, scope: SignalScope, signals: Vec<Signal>, ymyl: Ymyl) -> EeatRecord {
    let is_ymyl = ymyl.is_ymyl == Some(true);
    let by_pillar = |pillar| {
        let of_pillar = signals.iter().filter(move |it| it.pillar == pillar);
        mean(of_pillar.clone(), is_ymyl).filter(|_| has_enough_signals(of_pillar))
    };
    let pillars = PillarScores {
        experience: by_pillar(Pillar::Experience),
        expertise: by_pillar(Pillar::Expertise),
        authoritativeness: by_pillar(Pillar::Authoritativeness),
        trust: by_pillar(Pillar::Trust),
    };
    let mean = mean(signals.iter(), is_ymyl);
    let is_missing = |code| {
        let mut all = signals.iter();
        all.any(|it| it.code == code && it.value == Some(0.0))
    };
    let lacks = is_ymyl && (is_missing(SignalCode::Byline) || is_missing(SignalCode::ContactPage));
    let capped = mean.map(|it| if lacks { it.min(YMYL_SCORE_CAP) } else { it });
    let mut missing: Vec<&Signal> = signals.iter().filter(|it| it.value == Some(0.0)).collect();
    missing.sort_by(|one, other| {
        other
            .weight
            .total_cmp(&one.weight)
            .then(one.code.cmp(&other.code))
    });
    EeatRecord {
        envelope,
        scope,
        page_type: None,
        ymyl,
        eeat_score: capped,
        weights_basis: WeightsBasis::Judgement,
        capped: mean != capped,
        pillars,
        missing: missing.iter().map(|it| it.code).collect(),
        signals,
        authors: Vec::<EeatAuthor>::new(),
        organization: None,
    }
}

/// Whether a pillar gets a score: two signals apply, or the only one has evidence.
fn has_enough_signals<'a>(signals: impl Iterator<Item = &'a Signal>) -> bool {
    let applicable: Vec<&Signal> = signals.filter(|it| it.value.is_some()).collect();
    match applicable.as_slice() {
        [only] => !only.evidence.is_empty(),
        all => !all.is_empty(),
    }
}

/// 100 · Σ w·v / Σ w over the applicable signals (docs/measurement; the weights are our judgment).
/// On YMYL pages trust is scaled from 40 to 50. `None` if no signal applies.
fn mean<'a>(signals: impl Iterator<Item = &'a Signal>, is_ymyl: bool) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for it in signals {
        let scaled = is_ymyl && it.pillar == Pillar::Trust;
        let weight = it.weight
            * if scaled {
                YMYL_TRUST_WEIGHT / 40.0
            } else {
                1.0
            };
        if let Some(value) = it.value {
            sum += weight * value;
            weights += weight;
        }
    }
    (weights > 0.0).then(|| 100.0 * sum / weights)
}

fn envelope(context: &FindingContext, url: Option<&str>, ymyl: &Ymyl, pages: u32) -> Envelope {
    let mut warnings = Vec::new();
    if ymyl.is_ymyl.is_none() {
        warnings.push("ymylUnknown".to_owned());
    }
    Envelope {
        status: if pages == 0 {
            RecordStatus::InsufficientData
        } else {
            RecordStatus::Ok
        },
        sample_size: pages,
        warnings,
        ..Envelope::measured(ResultType::Eeat, METHOD, url, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::eeat::outcome::{FACT_CONFIDENCE, evidence_at};
    use chrono::DateTime;

    fn experience(outcomes: &[(SignalCode, Outcome)]) -> Option<f64> {
        let context = FindingContext {
            project_id: 7,
            measured_at: DateTime::UNIX_EPOCH,
        };
        let ymyl = Ymyl::default();
        let signals = { outcomes.iter().cloned() }
            .map(|(code, outcome)| signal(code, outcome))
            .collect();
        let envelope = envelope(&context, None, &ymyl, 1);
        scored(envelope, SignalScope::Page, signals, ymyl)
            .pillars
            .experience
    }

    #[test]
    fn one_signal_without_evidence_gives_no_pillar_score() {
        let images = |outcome| (SignalCode::OriginalImages, outcome);
        let bare = || Outcome::new(1.0, FACT_CONFIDENCE);
        assert_eq!(experience(&[]), None);
        assert_eq!(experience(&[images(bare())]), None);
        assert_eq!(
            experience(&[images(Outcome::new(0.0, FACT_CONFIDENCE))]),
            None
        );
        let shown = bare().with_evidence([evidence_at("https://example.com/", "our oven")]);
        assert_eq!(experience(&[images(shown)]), Some(100.0));
        let second = (SignalCode::FirstPerson, Outcome::new(0.0, FACT_CONFIDENCE));
        assert_eq!(experience(&[images(bare()), second]), Some(50.0));
    }
}
