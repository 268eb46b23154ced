use super::agents::agent_access;
use super::factors::{Measured, weighted_mean};
use super::gates::{gates, multiplier};
use super::record::{Action, Factor, FactorCode, GateCode, GeoRecord, Grade, WeightsBasis};
use super::stuffing::stuffing;
use super::{FindingContext, GeoInput, METHOD, page_factors, text_factors};
use crate::{findings::envelope::Envelope, provenance::RecordStatus, result_type::ResultType};

/// Points deducted for a stuffed phrase.
const STUFFING_PENALTY: f64 = 8.0;
/// Minimum value of a factor in `pillar_hits`.
const MIN_PILLAR_VALUE: f64 = 0.7;
const MAX_ACTIONS: usize = 5;

pub fn evaluate(input: &GeoInput<'_>, context: &FindingContext) -> GeoRecord {
    let page = input.page;
    let agents = agent_access(input.agents);
    let gates = gates(page, &agents, input.rendered_words);
    let factors: Vec<Factor> = FactorCode::ALL
        .into_iter()
        .map(|code| {
            factor(
                code,
                match code {
                    // All others need the whole page.
                    _ if page.is_truncated() && code != FactorCode::Access => Measured::default(),
                    FactorCode::Access => page_factors::access(&agents),
                    FactorCode::Statistics => text_factors::statistics(page),
                    FactorCode::Citations => text_factors::citations(page),
                    FactorCode::Quotations => text_factors::quoted(page),
                    FactorCode::Extractable => text_factors::extractable(page),
                    FactorCode::Structure => text_factors::structure(page),
                    FactorCode::Freshness => {
                        page_factors::freshness(page, context.measured_at.date_naive())
                    }
                    FactorCode::StructuredData => page_factors::structured_data(input.schema),
                    FactorCode::Provenance => page_factors::provenance(page, input.site),
                    FactorCode::Fluency => text_factors::fluency(page),
                    FactorCode::Substance => text_factors::substance(page),
                },
            )
        })
        .collect();
    let stuffing = stuffing(page, input.keywords).filter(|_| !page.is_truncated());
    let penalty = if stuffing.is_some() {
        STUFFING_PENALTY
    } else {
        0.0
    };
    let score = score(&factors, multiplier(&gates), penalty).filter(|_| !page.is_truncated());
    let holds = factors
        .iter()
        .filter(|it| it.value.is_some_and(|it| it >= MIN_PILLAR_VALUE));
    let pillar_hits = u32::try_from(holds.count()).unwrap_or(u32::MAX);
    let top_actions = actions(&factors, &gates, score);
    GeoRecord {
        envelope: envelope(input, context, &factors),
        geo_score: score,
        weights_basis: WeightsBasis::Judgement,
        grade: score.map(Grade::of),
        gates,
        factors,
        agents,
        llms_txt: input.llms_txt.cloned(),
        stuffing,
        pillar_hits,
        top_actions,
    }
}

fn factor(code: FactorCode, found: Measured) -> Factor {
    Factor {
        code,
        weight: code.weight(),
        value: found.value,
        measured: found.figure,
        target: found.target,
        evidence: found.evidence,
    }
}

/// gates · Σ w·f over known factors (weights sum to 100), less the penalty, at least 0 (docs/measurement/geo-score.md).
pub(super) fn score(factors: &[Factor], gates: f64, penalty: f64) -> Option<f64> {
    let mean = weighted_mean(factors.iter().map(|it| (it.weight, it.value)))?;
    Some((gates * 100.0 * mean - penalty).clamp(0.0, 100.0))
}

/// By possible gain: gates by their cost, then factors by what they lack.
fn actions(factors: &[Factor], gates: &[super::record::Gate], score: Option<f64>) -> Vec<Action> {
    let open = multiplier(gates);
    let known: f64 = factors
        .iter()
        .filter(|it| it.value.is_some())
        .map(|it| it.weight)
        .sum();
    let full = weighted_mean(factors.iter().map(|it| (it.weight, it.value))).unwrap_or_default();
    let mut all: Vec<Action> = Vec::new();
    for gate in gates {
        let others: f64 = gates
            .iter()
            .filter(|it| it.code != gate.code)
            .map(|it| it.multiplier)
            .product();
        all.push(Action {
            factor: None,
            gate: Some(gate.code),
            gain: (others * 100.0 * full - score.unwrap_or_default()).max(0.0),
            text: gate_advice(gate.code).to_owned(),
        });
    }
    for factor in factors {
        let Some(value) = factor.value.filter(|it| *it < 1.0) else {
            continue;
        };
        all.push(Action {
            factor: Some(factor.code),
            gate: None,
            gain: open * 100.0 * factor.weight * (1.0 - value) / known,
            text: factor.code.advice().to_owned(),
        });
    }
    // With a gate of 0, factors gain nothing.
    all.retain(|it| it.gain > 0.0 || it.gate.is_some());
    all.sort_by(|one, other| {
        let by_gate = other.gate.is_some().cmp(&one.gate.is_some());
        by_gate
            .then(other.gain.total_cmp(&one.gain))
            .then(one.factor.cmp(&other.factor))
    });
    all.truncate(MAX_ACTIONS);
    all
}

const fn gate_advice(gate: GateCode) -> &'static str {
    match gate {
        GateCode::NotIndexable => {
            "Let search engines list the page: 200, HTML, no noindex, its own canonical."
        }
        GateCode::SearchEnginesBlocked => "Let Googlebot or Bingbot read the page in robots.txt.",
        GateCode::NoSnippet => "Allow snippets: engines may not quote the page.",
        GateCode::TextNeedsScripts => {
            "Deliver the main text in the HTML: most AI crawlers run no scripts."
        }
        GateCode::AiSearchBlocked => {
            "Let at least one search or fetch agent of AI engines read the page."
        }
    }
}

fn envelope(input: &GeoInput<'_>, context: &FindingContext, factors: &[Factor]) -> Envelope {
    let unknown = factors.iter().filter(|it| it.value.is_none());
    let unknown = unknown.map(|it| format!("unknown{:?}", it.code));
    let warnings: Vec<String> = { input.page.truncation_warnings().into_iter() }
        .chain(unknown)
        .collect();
    Envelope {
        status: if warnings.is_empty() {
            RecordStatus::Ok
        } else {
            RecordStatus::Partial
        },
        warnings,
        ..Envelope::measured(ResultType::GeoScore, METHOD, Some(&input.page.url), context)
    }
}
