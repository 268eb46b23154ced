use super::feature::Feature;
use super::graph::Graph;
use super::outcome::{Outcome, Page};
use super::paths::{Visit, has, joined};
use super::record::IssueCode;
use super::rules::{Asked, BESIDE, PARTS, Part, Rule, When, main_rules};
use super::special;
use super::values::is_date;
use super::vocabulary::{is_a, property_named};
use crate::{
    findings::broken_links::Severity, observation::structured_data::Value, text::words::shortened,
};

impl Outcome {
    fn look(&mut self, graph: &Graph<'_>, visit: &Visit, asked: &Asked) {
        let missing = |path: &str| has(graph, visit.number, path) == Some(false);
        let at = |path: &str| joined(&visit.path, path, None);
        for path in &asked.required {
            if missing(path) {
                self.require(&at(path));
            } else if takes_dates_only(path) {
                self.look_at_dates(graph, visit, path);
            }
        }
        for list in &asked.one_of {
            if list
                .iter()
                .all(|it| has(graph, visit.number, it) != Some(true))
            {
                let paths: Vec<String> = list.iter().map(|it| at(it)).collect();
                self.miss_one_of(&paths, true);
            }
        }
        for path in &asked.recommended {
            if let Some(there) = has(graph, visit.number, path) {
                self.recommended += 1;
                if !there {
                    self.recommend(&at(path));
                }
            }
        }
        for list in &asked.recommended_one_of {
            self.recommended += 1;
            if list
                .iter()
                .all(|it| has(graph, visit.number, it) != Some(true))
            {
                let paths: Vec<String> = list.iter().map(|it| at(it)).collect();
                self.miss_one_of(&paths, false);
            }
        }
    }

    /// Google reads ISO 8601 dates: an invalid required one is an error.
    fn look_at_dates(&mut self, graph: &Graph<'_>, visit: &Visit, name: &str) {
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
pub fn judge(page: &Page<'_>, node: u32) -> Vec<Outcome> {
    let graph = page.graph;
    let mut outcomes = Vec::new();
    let is_part = graph.is_held_in(
        node,
        &["review", "reviews", "aggregateRating", "reviewRating"],
    );
    for name in graph.schema_types(node).filter(|_| !is_part) {
        for rule in main_rules(name) {
            let known = outcomes
                .iter()
                .any(|it: &Outcome| it.feature == rule.feature);
            if !known && holds(graph, node, rule) && special::applies(page, node, rule.feature) {
                outcomes.push(outcome(page, node, rule, true));
            }
        }
    }
    for rule in BESIDE.iter() {
        let fits = rule.types.iter().any(|it| graph.is_a(node, it));
        if fits && holds(graph, node, rule) && special::applies(page, node, rule.feature) {
            outcomes.push(outcome(page, node, rule, false));
        }
    }
    outcomes
}

fn holds(graph: &Graph<'_>, node: u32, rule: &Rule) -> bool {
    match &rule.when {
        When::Always => true,
        When::HasAny(names) => names
            .iter()
            .any(|it| graph.values(node, it).next().is_some()),
        When::IsFalse(name) => graph.text(node, name).is_some_and(|it| {
            let said = super::paths::short(it.trim());
            said.eq_ignore_ascii_case("false")
        }),
    }
}

fn outcome(page: &Page<'_>, node: u32, rule: &Rule, is_main: bool) -> Outcome {
    let graph = page.graph;
    let mut outcome = Outcome::of(rule.feature, is_main);
    if rule.feature.retired().is_some() {
        return outcome;
    }
    let visits = page.reachable(node, |it| part_of(graph, it, rule.feature).is_some());
    for visit in &visits {
        let asked = if visit.path.is_empty() {
            Some(&rule.asked)
        } else {
            part_of(graph, visit.number, rule.feature).map(|it| &it.asked)
        };
        if let Some(asked) = asked {
            outcome.look(graph, visit, asked);
        }
        special::look(page, visit, rule.feature, &mut outcome);
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
