//! Judging a page.

use super::{
    METHOD, duplicates,
    entities::{connected, entities},
    google::{self, Outcome, Page},
    graph::Graph,
    paths::{owned, reachable},
    record::{Eligibility, Entity, FormatCounts, Issue, IssueCode, Level, SchemaRecord},
    score::{Terms, score},
    template::PageTemplate,
    terms,
    visible::{self, PageText},
};
use crate::{
    findings::{broken_links::Severity, envelope::Envelope},
    observation::structured_data::{
        Format, PageStructuredData, SCHEMA_ORG, SyntaxNote, SyntaxNoteKind,
    },
    provenance::{Provenance, RecordStatus},
    result_type::ResultType,
    text::words::shortened,
};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Entities that a record lists at the most; all are counted.
const MOST_ENTITIES: usize = 300;
/// Issues that an entity lists at the most; all are counted.
const MOST_ISSUES: usize = 100;

/// What the records have to say beside the observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingContext {
    /// The project.
    pub project_id: i64,
    /// When the page was read.
    pub measured_at: DateTime<Utc>,
}

/// A page.
#[derive(Debug, Clone, Copy)]
pub struct PageInput<'a> {
    /// Its address.
    pub url: &'a str,
    /// What it holds.
    pub data: &'a PageStructuredData,
    /// The text that its readers see; `None` if that is not known, and then nothing is compared.
    pub visible_text: Option<&'a str>,
    /// What it is made for, if that is known.
    pub template: Option<PageTemplate>,
    /// Whether it has structured data only after its scripts have run.
    pub rendered_only: bool,
}

/// Judges the structured data of a page.
#[must_use]
pub fn judge_page(page: &PageInput<'_>, context: &FindingContext) -> SchemaRecord {
    let graph = Graph::of(page.data);
    let (kept, copies) = duplicates::without_copies(&graph, &entities(&graph));
    let all: BTreeSet<u32> = kept
        .iter()
        .chain(copies.values().flatten())
        .copied()
        .collect();
    let text = page.visible_text.map(PageText::of);
    let judge = Judge {
        page: Page {
            graph: &graph,
            entities: &all,
            url: page.url,
        },
        data: page.data,
        text: text.as_ref(),
    };
    let mut judged: Vec<Judged> = Vec::new();
    for node in &kept {
        let copies = copies.get(node).map(Vec::as_slice).unwrap_or_default();
        judged.push(judge.entity(*node, copies));
    }
    judge.add_loose_notes(&mut judged);
    let mut record = SchemaRecord {
        envelope: envelope(page, context, &judged),
        formats: formats(&graph),
        entities: Vec::new(),
        parse_errors: page.data.parse_errors.clone(),
        graph_connected: connected(&graph, &kept, &copies),
        features: features(&judged),
        errors: count(&judged, Severity::Error) + small(page.data.parse_errors.len()),
        warning_count: count(&judged, Severity::Warning),
        schema_score: score(score_terms(page, &graph, &kept, &judged)),
    };
    for mut it in judged.into_iter().take(MOST_ENTITIES) {
        it.entity.issues.truncate(MOST_ISSUES);
        record.entities.push(it.entity);
    }
    record
}

/// An entity with what is counted of it.
struct Judged {
    entity: Entity,
    features: Vec<super::Feature>,
    completeness: Option<f64>,
}

struct Judge<'a> {
    page: Page<'a>,
    data: &'a PageStructuredData,
    text: Option<&'a PageText>,
}

impl Judge<'_> {
    fn entity(&self, node: u32, copies: &[u32]) -> Judged {
        let graph = self.page.graph;
        let first = graph.first(node);
        let outcomes = google::judge(&self.page, node);
        let shown = chosen(&outcomes);
        let feature = shown.map(|it| it.feature);
        let mut issues = self.syntax_issues(node);
        for visit in owned(graph, node, self.page.entities) {
            terms::check(
                graph.first(visit.number),
                &self.data.items,
                &visit,
                &mut issues,
            );
        }
        self.add_google_issues(node, &outcomes, shown, &mut issues);
        duplicates::check_itself(graph, node, &mut issues);
        for copy in copies {
            duplicates::check_copy(graph, node, *copy, &mut issues);
        }
        if let (Some(text), true) = (self.text, feature.is_some_and(super::Feature::is_content)) {
            let visits = reachable(graph, node, self.page.entities, |_| false);
            visible::check(graph, &visits, text, &mut issues);
        }
        issues.sort_by(Issue::order);
        issues.dedup();
        let is_old = graph
            .types(node)
            .any(|it| it.contains("data-vocabulary.org/"));
        let entity = Entity {
            id: first.id.clone().filter(|it| !it.starts_with("_:")),
            types: graph
                .types(node)
                .map(|it| it.strip_prefix(SCHEMA_ORG).unwrap_or(it).to_owned())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            format: first.format,
            location: first.location,
            name: graph.name(node),
            properties: small(graph.properties(node).count()),
            eligibility: match shown {
                _ if is_old => Eligibility::Retired,
                Some(it) => it.eligibility(),
                None => Eligibility::NotSupported,
            },
            feature,
            missing_required: shown
                .map(|it| it.missing_required.clone())
                .unwrap_or_default(),
            missing_recommended: shown
                .map(|it| it.missing_recommended.clone())
                .unwrap_or_default(),
            issues,
        };
        let works = |it: &&Outcome| {
            let eligibility = it.eligibility();
            !it.is_withheld
                && matches!(
                    eligibility,
                    Eligibility::Eligible | Eligibility::EligibleWithWarnings
                )
        };
        Judged {
            features: outcomes.iter().filter(works).map(|it| it.feature).collect(),
            completeness: shown.and_then(completeness),
            entity,
        }
    }

    /// What the features say: the entity's own in full; of others, the errors of what it has, and
    /// what keeps it from being more.
    fn add_google_issues(
        &self,
        node: u32,
        outcomes: &[Outcome],
        shown: Option<&Outcome>,
        issues: &mut Vec<Issue>,
    ) {
        let is_shown = |it: &&Outcome| shown.is_some_and(|shown| std::ptr::eq(shown, *it));
        let others = outcomes.iter().filter(|it| !is_shown(it));
        for outcome in shown.into_iter().chain(others) {
            if let Some(ended) = outcome.feature.retired() {
                issues.push(retired(format!("Google ended this feature in {ended}")));
            }
            for issue in &outcome.issues {
                let mut issue = issue.clone();
                if !is_shown(&outcome) && outcome.is_main {
                    if issue.severity == Severity::Notice {
                        continue;
                    }
                    issue.severity = Severity::Notice;
                }
                let is_known = |it: &Issue| it.code == issue.code && it.path == issue.path;
                if !issues.iter().any(is_known) {
                    issues.push(issue);
                }
            }
        }
        if self
            .page
            .graph
            .types(node)
            .any(|it| it.contains("data-vocabulary.org/"))
        {
            issues.push(retired(
                "Google reads data-vocabulary.org no more".to_owned(),
            ));
        }
    }

    fn syntax_issues(&self, node: u32) -> Vec<Issue> {
        let graph = self.page.graph;
        let about = |it: &&SyntaxNote| it.item.is_some_and(|it| graph.node_of(it) == node);
        let notes = self.data.notes.iter().filter(about);
        notes.filter_map(|it| syntax_issue(it.kind)).collect()
    }

    /// What is wrong with a block is told with the first entity that stands after it.
    fn add_loose_notes(&self, judged: &mut [Judged]) {
        for note in self.data.notes.iter().filter(|it| it.item.is_none()) {
            let after = |it: &&mut Judged| {
                it.entity.format == Format::JsonLd && it.entity.location >= note.location
            };
            if let Some(it) = judged.iter_mut().find(after)
                && let Some(issue) = syntax_issue(note.kind)
            {
                it.entity.issues.push(issue);
                it.entity.issues.sort_by(Issue::order);
            }
        }
    }
}

/// The feature that an entity is told of: the first that it is eligible for among those for what it
/// is; else the last of those, which asks for least; else what it has.
fn chosen(outcomes: &[Outcome]) -> Option<&Outcome> {
    let mains = || outcomes.iter().filter(|it| it.is_main);
    mains()
        .find(|it| it.eligibility() != Eligibility::Ineligible)
        .or_else(|| mains().next_back())
        .or_else(|| outcomes.iter().find(|it| it.feature.retired().is_none()))
        .or_else(|| outcomes.first())
}

fn completeness(outcome: &Outcome) -> Option<f64> {
    let missing = outcome.issues.iter();
    let missing = missing
        .filter(|it| it.code == IssueCode::RecommendedMissing)
        .count();
    #[allow(clippy::cast_precision_loss)]
    (outcome.recommended > 0)
        .then(|| 1.0 - missing.min(outcome.recommended) as f64 / outcome.recommended as f64)
}

fn retired(message: String) -> Issue {
    Issue {
        level: Level::Google,
        code: IssueCode::Retired,
        path: String::new(),
        message,
        severity: Severity::Notice,
    }
}

fn syntax_issue(kind: SyntaxNoteKind) -> Option<Issue> {
    use SyntaxNoteKind as K;
    let (code, message, severity) = match kind {
        K::CommentWrapper => (
            IssueCode::CommentWrapper,
            "JSON in an HTML comment",
            Severity::Warning,
        ),
        K::CdataWrapper => (
            IssueCode::CdataWrapper,
            "JSON in a CDATA section",
            Severity::Warning,
        ),
        K::DuplicateKey => (
            IssueCode::DuplicateKey,
            "a key twice in one object",
            Severity::Warning,
        ),
        K::ContextMissing => (
            IssueCode::ContextMissing,
            "no @context: nobody knows whose words these are",
            Severity::Error,
        ),
        K::ContextUnknown => (
            IssueCode::ContextUnknown,
            "the @context is not schema.org's",
            Severity::Warning,
        ),
        K::ItemrefCycle => (
            IssueCode::ItemrefCycle,
            "itemref leads back to its item",
            Severity::Warning,
        ),
        K::ItemrefMissing => (
            IssueCode::ItemrefMissing,
            "itemref names no id of the page",
            Severity::Warning,
        ),
        K::BlockTooLarge | K::BlockTooDeep => return None,
    };
    Some(Issue {
        level: Level::Syntax,
        code,
        path: String::new(),
        message: message.to_owned(),
        severity,
    })
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

fn features(judged: &[Judged]) -> Vec<super::Feature> {
    let all: BTreeSet<_> = judged
        .iter()
        .flat_map(|it| it.features.iter().copied())
        .collect();
    all.into_iter().collect()
}

fn count(judged: &[Judged], severity: Severity) -> u32 {
    let issues = judged.iter().flat_map(|it| &it.entity.issues);
    small(issues.filter(|it| it.severity == severity).count())
}

fn score_terms(page: &PageInput<'_>, graph: &Graph<'_>, kept: &[u32], judged: &[Judged]) -> Terms {
    let has_errors = |it: &&Judged| {
        it.entity
            .issues
            .iter()
            .any(|it| it.severity == Severity::Error)
    };
    let known: Vec<f64> = judged.iter().filter_map(|it| it.completeness).collect();
    #[allow(clippy::cast_precision_loss)]
    let completeness = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    let fits = page.template.map(|it| {
        let expected = it.expected();
        let fits = |node: &u32| expected.iter().any(|it| graph.is_a(*node, it));
        kept.iter().any(fits)
    });
    Terms {
        entities: judged.len(),
        with_errors: judged.iter().filter(has_errors).count(),
        completeness,
        fits,
    }
}

fn envelope(page: &PageInput<'_>, context: &FindingContext, judged: &[Judged]) -> Envelope {
    let mut warnings = Vec::new();
    let limits = page.data.limits.iter();
    warnings.extend(limits.map(|it| format!("limit{it:?}")));
    if judged.len() > MOST_ENTITIES || judged.iter().any(|it| it.entity.issues.len() > MOST_ISSUES)
    {
        warnings.push("listCut".to_owned());
    }
    if page.visible_text.is_none() {
        warnings.push("visibleTextUnknown".to_owned());
    }
    if page.template.is_none() {
        warnings.push("templateUnknown".to_owned());
    }
    if page.rendered_only {
        warnings.push("renderedOnly".to_owned());
    }
    let is_cut = !page.data.limits.is_empty();
    Envelope {
        result_type: ResultType::Schema,
        project_id: context.project_id,
        keyword_id: None,
        url: Some(shortened(page.url, 4_096).to_owned()),
        measured_at: context.measured_at,
        status: if is_cut {
            RecordStatus::Partial
        } else {
            RecordStatus::Ok
        },
        error: None,
        provenance: Provenance::Measured,
        provider: None,
        method_version: METHOD.to_owned(),
        sample_size: 1,
        warnings,
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
