use super::super::feature::Feature;
use super::super::outcome::{EvaluationContext, Outcome};
use super::super::paths::owned;
use super::super::record::{Eligibility, Entity, Issue, IssueCode, Level, saturating_u32};
use super::super::visible::PageText;
use super::super::{duplicates, google, terms, visible};
use crate::findings::broken_links::Severity;
use crate::observation::structured_data::{
    Format, PageStructuredData, SCHEMA_ORG, SyntaxNote, SyntaxNoteKind,
};
use crate::text::words::shortened;
use std::collections::BTreeSet;

/// Listed types of an entity, and characters of one.
const MAX_TYPES: usize = 10;
const TYPE_CHARACTERS: usize = 200;

pub struct EvaluatedEntity {
    pub entity: Entity,
    pub features: Vec<Feature>,
    /// Share of the recommended properties that are present.
    pub completeness: Option<f64>,
}

pub struct EntityEvaluator<'a> {
    pub page: EvaluationContext<'a>,
    pub data: &'a PageStructuredData,
    pub text: Option<&'a PageText>,
}

impl EntityEvaluator<'_> {
    pub fn evaluate(&self, node: u32, copies: &[u32]) -> EvaluatedEntity {
        let graph = self.page.graph;
        let first = graph.first(node);
        let outcomes = google::evaluate(&self.page, node);
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
        duplicates::check_own_values(graph, node, &mut issues);
        for copy in copies {
            duplicates::check_copy(graph, node, *copy, &mut issues);
        }
        if let (Some(text), true) = (self.text, feature.is_some_and(Feature::is_content)) {
            let visits = self.page.reachable(node, |_| false);
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
                .map(|it| it.strip_prefix(SCHEMA_ORG).unwrap_or(it))
                .map(|it| shortened(it, TYPE_CHARACTERS).to_owned())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .take(MAX_TYPES)
                .collect(),
            format: first.format,
            location: first.location,
            name: graph.name(node),
            properties: saturating_u32(graph.properties(node).count()),
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
        EvaluatedEntity {
            features: outcomes.iter().filter(works).map(|it| it.feature).collect(),
            completeness: shown.and_then(completeness),
            entity,
        }
    }

    /// All issues of the shown feature and of rules beside it; of other main features, errors and warnings as notices.
    fn add_google_issues(
        &self,
        node: u32,
        outcomes: &[Outcome],
        shown: Option<&Outcome>,
        issues: &mut Vec<Issue>,
    ) {
        let is_shown = |it: &&Outcome| shown.is_some_and(|shown| std::ptr::eq(shown, *it));
        let others = outcomes.iter().filter(|it| !is_shown(it));
        let mut known = BTreeSet::new();
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
                if known.insert((issue.code, issue.path.clone())) {
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

    /// Adds notes on a JSON-LD block to the first entity at or after its location.
    pub fn add_block_notes(&self, evaluated: &mut [EvaluatedEntity]) {
        for note in self.data.notes.iter().filter(|it| it.item.is_none()) {
            let after = |it: &&mut EvaluatedEntity| {
                it.entity.format == Format::JsonLd && it.entity.location >= note.location
            };
            if let Some(it) = evaluated.iter_mut().find(after)
                && let Some(issue) = syntax_issue(note.kind)
            {
                it.entity.issues.push(issue);
                it.entity.issues.sort_by(Issue::order);
            }
        }
    }
}

/// The first main feature that is not ineligible; else the last main one; else one of the others.
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
