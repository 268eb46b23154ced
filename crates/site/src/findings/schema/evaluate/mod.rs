mod entity;

use super::entities::{connected, entities};
use super::expiries::expiries;
use super::feature::Feature;
use super::graph::Graph;
use super::outcome::EvaluationContext;
use super::record::{FormatCounts, SchemaRecord, saturating_u32};
use super::score::{ScoreTerms, score};
use super::template::PageTemplate;
use super::visible::PageText;
use super::{FindingContext, METHOD, duplicates};
use crate::findings::broken_links::Severity;
use crate::findings::envelope::Envelope;
use crate::observation::structured_data::{Format, PageStructuredData};
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::text::words::shortened;
use chrono::NaiveDate;
use entity::{EntityEvaluator, EvaluatedEntity};
use std::{cell::Cell, collections::BTreeSet};

/// Entities that a record lists; all are counted.
const MAX_ENTITIES: usize = 300;
/// Issues that an entity lists; all are counted.
const MAX_ISSUES: usize = 100;
/// Nested items that are visited on a page.
const MAX_VISITS: usize = 300_000;
/// Longer texts are not compared, bytes.
const MAX_TEXT_BYTES: usize = 2 << 20;

#[derive(Debug, Clone, Copy)]
pub struct PageInput<'a> {
    pub url: &'a str,
    pub data: &'a PageStructuredData,
    /// The text that readers see; `None` is unknown and not compared.
    pub visible_text: Option<&'a str>,
    /// The days of its `time` elements; their text may be relative or of another calendar.
    pub days: &'a [NaiveDate],
    pub template: Option<PageTemplate>,
    /// Whether it has structured data only when rendered.
    pub rendered_only: bool,
}

pub fn evaluate_page(page: &PageInput<'_>, context: &FindingContext) -> SchemaRecord {
    let graph = Graph::of(page.data);
    let (kept, copies) = duplicates::without_copies(&graph, &entities(&graph));
    let all: BTreeSet<u32> = kept
        .iter()
        .chain(copies.values().flatten())
        .copied()
        .collect();
    let text = visible_text(page).map(|it| PageText::of(it).with_days(page.days));
    let evaluator = EntityEvaluator {
        page: EvaluationContext {
            graph: &graph,
            entities: &all,
            url: page.url,
            visits: Cell::new(MAX_VISITS),
        },
        data: page.data,
        text: text.as_ref(),
    };
    let mut evaluated: Vec<EvaluatedEntity> = Vec::new();
    for node in &kept {
        let copies = copies.get(node).map(Vec::as_slice).unwrap_or_default();
        evaluated.push(evaluator.evaluate(*node, copies));
    }
    let is_cut = evaluator.page.visits.get() == 0;
    evaluator.add_block_notes(&mut evaluated);
    let mut record = SchemaRecord {
        envelope: envelope(page, context, &evaluated, is_cut),
        formats: formats(&graph),
        entities: Vec::new(),
        parse_errors: page.data.parse_errors.clone(),
        outside_items: page.data.outside_items.clone(),
        graph_connected: connected(&graph, &kept, &copies),
        features: features(&evaluated),
        expiries: expiries(page.data),
        errors: count(&evaluated, Severity::Error) + saturating_u32(page.data.parse_errors.len()),
        warning_count: count(&evaluated, Severity::Warning)
            + saturating_u32(page.data.outside_items.len()),
        schema_score: score(score_terms(page, &graph, &kept, &evaluated)),
    };
    for mut it in evaluated.into_iter().take(MAX_ENTITIES) {
        it.entity.issues.truncate(MAX_ISSUES);
        record.entities.push(it.entity);
    }
    record
}

fn formats(graph: &Graph<'_>) -> FormatCounts {
    let mut counts = FormatCounts::default();
    for item in graph
        .data()
        .items
        .iter()
        .filter(|it| it.parent.is_none() && !it.types.is_empty())
    {
        match item.format {
            Format::JsonLd => counts.json_ld += 1,
            Format::Microdata => counts.microdata += 1,
            Format::Rdfa => counts.rdfa += 1,
        }
    }
    counts
}

fn features(evaluated: &[EvaluatedEntity]) -> Vec<Feature> {
    let all: BTreeSet<_> = evaluated
        .iter()
        .flat_map(|it| it.features.iter().copied())
        .collect();
    all.into_iter().collect()
}

fn count(evaluated: &[EvaluatedEntity], severity: Severity) -> u32 {
    let issues = evaluated.iter().flat_map(|it| &it.entity.issues);
    saturating_u32(issues.filter(|it| it.severity == severity).count())
}

fn score_terms(
    page: &PageInput<'_>,
    graph: &Graph<'_>,
    kept: &[u32],
    evaluated: &[EvaluatedEntity],
) -> ScoreTerms {
    let has_errors = |it: &&EvaluatedEntity| {
        it.entity
            .issues
            .iter()
            .any(|it| it.severity == Severity::Error)
    };
    let known: Vec<f64> = evaluated.iter().filter_map(|it| it.completeness).collect();
    #[allow(clippy::cast_precision_loss)]
    let completeness = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    let fits = page.template.map(|it| {
        let expected = it.expected();
        let fits = |node: &u32| expected.iter().any(|it| graph.is_a(*node, it));
        kept.iter().any(fits)
    });
    ScoreTerms {
        entities: evaluated.len(),
        with_errors: evaluated.iter().filter(has_errors).count(),
        completeness,
        fits,
    }
}

fn envelope(
    page: &PageInput<'_>,
    context: &FindingContext,
    evaluated: &[EvaluatedEntity],
    is_cut: bool,
) -> Envelope {
    let mut warnings = Vec::new();
    let limits = page.data.limits.iter();
    warnings.extend(limits.map(|it| format!("limit{it:?}")));
    if evaluated.len() > MAX_ENTITIES
        || evaluated
            .iter()
            .any(|it| it.entity.issues.len() > MAX_ISSUES)
    {
        warnings.push("listCut".to_owned());
    }
    if is_cut {
        warnings.push("limitJudgement".to_owned());
    }
    if visible_text(page).is_none() {
        warnings.push("visibleTextUnknown".to_owned());
    }
    if page.template.is_none() {
        warnings.push("templateUnknown".to_owned());
    }
    if page.rendered_only {
        warnings.push("renderedOnly".to_owned());
    }
    let is_cut = is_cut || !page.data.limits.is_empty();
    let url = shortened(page.url, 4_096);
    Envelope {
        status: if is_cut {
            RecordStatus::Partial
        } else {
            RecordStatus::Ok
        },
        warnings,
        ..Envelope::measured(ResultType::Schema, METHOD, Some(url), context)
    }
}

fn visible_text<'a>(page: &PageInput<'a>) -> Option<&'a str> {
    page.visible_text.filter(|it| it.len() <= MAX_TEXT_BYTES)
}
