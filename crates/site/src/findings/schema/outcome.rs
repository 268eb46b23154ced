use super::feature::Feature;
use super::graph::Graph;
use super::paths::{VisitedNode, reachable, without_indices};
use super::record::{Eligibility, Issue, IssueCode, Level};
use crate::findings::broken_links::Severity;
use std::{cell::Cell, collections::BTreeSet};

/// The outcome of one rule for an entity.
pub struct Outcome {
    pub feature: Feature,
    pub missing_required: Vec<String>,
    pub missing_recommended: Vec<String>,
    pub recommended: usize,
    /// Missing properties and other issues.
    pub issues: Vec<Issue>,
    /// Whether it is a main rule: for the entity's type, not for a property.
    pub is_main: bool,
    /// Whether Google's policy withholds the feature.
    pub is_withheld: bool,
}

pub struct EvaluationContext<'a> {
    pub graph: &'a Graph<'a>,
    pub entities: &'a BTreeSet<u32>,
    pub url: &'a str,
    /// How many more nested nodes may be visited.
    pub visits: Cell<usize>,
}

impl EvaluationContext<'_> {
    pub fn reachable(&self, node: u32, follow: impl Fn(u32) -> bool) -> Vec<VisitedNode> {
        let remaining = self.visits.get();
        let visits = reachable(self.graph, node, self.entities, remaining, follow);
        self.visits.set(remaining.saturating_sub(visits.len()));
        visits
    }
}

impl Outcome {
    pub fn of(feature: Feature, is_main: bool) -> Self {
        Self {
            feature,
            missing_required: Vec::new(),
            missing_recommended: Vec::new(),
            recommended: 0,
            issues: Vec::new(),
            is_main,
            is_withheld: false,
        }
    }

    pub fn eligibility(&self) -> Eligibility {
        if self.feature.retired().is_some() {
            Eligibility::Retired
        } else if !self.missing_required.is_empty() || self.has_errors() {
            Eligibility::Ineligible
        } else if self.missing_recommended.is_empty() && self.issues.is_empty() {
            Eligibility::Eligible
        } else {
            Eligibility::EligibleWithWarnings
        }
    }

    fn has_errors(&self) -> bool {
        self.issues.iter().any(|it| it.severity == Severity::Error)
    }

    /// Adds a missing required property.
    pub fn add_missing_required(&mut self, path: &str) {
        self.add_missing(&[path.to_owned()], true);
    }

    /// Adds a missing recommended property.
    pub fn add_missing_recommended(&mut self, path: &str) {
        self.add_missing(&[path.to_owned()], false);
    }

    pub fn add_missing(&mut self, paths: &[String], required: bool) {
        let all = paths.join(" or ");
        let general = without_indices(&all);
        let (list, code, severity, verb) = if required {
            let list = &mut self.missing_required;
            (list, IssueCode::RequiredMissing, Severity::Error, "needs")
        } else {
            let list = &mut self.missing_recommended;
            (
                list,
                IssueCode::RecommendedMissing,
                Severity::Notice,
                "is better with",
            )
        };
        if !list.contains(&general) {
            list.push(general);
        }
        let message = format!("{} {verb} {all}", self.label());
        let path = paths.first().cloned().unwrap_or_default();
        self.add(code, path, message, severity);
    }

    pub fn add(&mut self, code: IssueCode, path: String, message: String, severity: Severity) {
        self.issues.push(Issue {
            level: Level::Google,
            code,
            path,
            message,
            severity,
        });
    }

    fn label(&self) -> String {
        let name = serde_json::to_string(&self.feature).unwrap_or_default();
        name.trim_matches('"').to_owned()
    }
}
