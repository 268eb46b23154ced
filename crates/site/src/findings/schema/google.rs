use super::feature::Feature;
use super::graph::Graph;
use super::outcome::{EvaluationContext, Outcome};
use super::paths::{VisitedNode, has_value_at, joined};
use super::record::IssueCode;
use super::rules::{ADDITIONAL_RULES, PARTS, Part, Requirements, Rule, When, main_rules};
use super::special;
use super::values::is_date;
use super::vocabulary::{is_a, property_named};
use crate::{
    findings::broken_links::Severity, observation::structured_data::Value, text::words::shortened,
};

impl Outcome {
    fn check_requirements(
        &mut self,
        graph: &Graph<'_>,
        visit: &VisitedNode,
        requirements: &Requirements,
    ) {
        let missing = |path: &str| has_value_at(graph, visit.number, path) == Some(false);
        let at = |path: &str| joined(&visit.path, path, None);
        for path in &requirements.required {
            if missing(path) {
                self.add_missing_required(&at(path));
            } else if takes_dates_only(path) {
                self.check_dates(graph, visit, path);
            }
        }
        for list in &requirements.one_of {
            if list
                .iter()
                .all(|it| has_value_at(graph, visit.number, it) != Some(true))
            {
                let paths: Vec<String> = list.iter().map(|it| at(it)).collect();
                self.add_missing(&paths, true);
            }
        }
        for path in &requirements.recommended {
            if let Some(there) = has_value_at(graph, visit.number, path) {
                self.recommended += 1;
                if !there {
                    self.add_missing_recommended(&at(path));
                }
            }
        }
        for list in &requirements.recommended_one_of {
            self.recommended += 1;
            if list
                .iter()
                .all(|it| has_value_at(graph, visit.number, it) != Some(true))
            {
                let paths: Vec<String> = list.iter().map(|it| at(it)).collect();
                self.add_missing(&paths, false);
            }
        }
    }

    /// Google reads ISO 8601 dates: an invalid required one is an error.
    fn check_dates(&mut self, graph: &Graph<'_>, visit: &VisitedNode, name: &str) {
        let texts = graph.values(visit.number, name).filter_map(Value::text);
        if let Some(text) = { texts }.find(|it| !is_date(it)) {
            let path = joined(&visit.path, name, None);
            let message = format!("“{}” is no date of ISO 8601", shortened(&text, 80));
            self.add(IssueCode::ValueNotAccepted, path, message, Severity::Error);
        }
    }
}

fn takes_dates_only(name: &str) -> bool {
    property_named(name).is_some_and(|it| {
        let mut ranges = it.ranges.iter();
        !it.ranges.is_empty() && ranges.all(|it| matches!(*it, "Date" | "DateTime"))
    })
}

/// Outcomes of all rules for an entity, main rules first.
pub fn evaluate(page: &EvaluationContext<'_>, node: u32) -> Vec<Outcome> {
    let graph = page.graph;
    let mut outcomes = Vec::new();
    let is_part = graph.is_value_of(
        node,
        &["review", "reviews", "aggregateRating", "reviewRating"],
    );
    for name in graph.schema_types(node).filter(|_| !is_part) {
        for rule in main_rules(name) {
            let known = outcomes
                .iter()
                .any(|it: &Outcome| it.feature == rule.feature);
            if !known
                && condition_holds(graph, node, rule)
                && special::applies(page, node, rule.feature)
            {
                outcomes.push(rule_outcome(page, node, rule, true));
            }
        }
    }
    for rule in ADDITIONAL_RULES.iter() {
        let fits = rule.types.iter().any(|it| graph.is_a(node, it));
        if fits && condition_holds(graph, node, rule) && special::applies(page, node, rule.feature)
        {
            outcomes.push(rule_outcome(page, node, rule, false));
        }
    }
    outcomes
}

fn condition_holds(graph: &Graph<'_>, node: u32, rule: &Rule) -> bool {
    match &rule.when {
        When::Always => true,
        When::HasAny(names) => names
            .iter()
            .any(|it| graph.values(node, it).next().is_some()),
        When::IsFalse(name) => graph.text(node, name).is_some_and(|it| {
            let term = super::paths::local_name(it.trim());
            term.eq_ignore_ascii_case("false")
        }),
    }
}

fn rule_outcome(page: &EvaluationContext<'_>, node: u32, rule: &Rule, is_main: bool) -> Outcome {
    let graph = page.graph;
    let mut outcome = Outcome::of(rule.feature, is_main);
    if rule.feature.retired().is_some() {
        return outcome;
    }
    let visits = page.reachable(node, |it| part_of(graph, it, rule.feature).is_some());
    for visit in &visits {
        let requirements = if visit.path.is_empty() {
            Some(&rule.requirements)
        } else {
            part_of(graph, visit.number, rule.feature).map(|it| &it.requirements)
        };
        if let Some(requirements) = requirements {
            outcome.check_requirements(graph, visit, requirements);
        }
        special::check(page, visit, rule.feature, &mut outcome);
    }
    outcome
}

fn part_of(graph: &Graph<'_>, node: u32, feature: Feature) -> Option<&'static Part> {
    PARTS.iter().find(|part| {
        let for_feature = part.features.is_empty() || part.features.contains(&feature);
        let is = |name: &str| part.types.iter().any(|it| is_a(name, it));
        for_feature && graph.schema_types(node).any(is)
    })
}
