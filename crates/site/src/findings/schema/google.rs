use super::{
    feature::Feature,
    graph::Graph,
    paths::{Visit, general, has, joined, reachable},
    record::{Eligibility, Issue, IssueCode, Level},
    rules::{Asked, BESIDE, MAIN, PARTS, Part, Rule, When},
    special,
    values::is_date,
    vocabulary::{is_a, property_named, type_named},
};
use crate::{
    findings::broken_links::Severity, observation::structured_data::Value, text::words::shortened,
};
use std::{cell::Cell, collections::BTreeSet};

/// What one rule says of an entity.
pub struct Outcome {
    pub feature: Feature,
    pub missing_required: Vec<String>,
    pub missing_recommended: Vec<String>,
    /// How many recommendations there are.
    pub recommended: usize,
    /// What is missing, as issues, and what else the rule says.
    pub issues: Vec<Issue>,
    /// Whether it is a rule for what the entity is, not for what it has.
    pub is_main: bool,
    /// Whether Google's policy withholds the feature.
    pub is_withheld: bool,
}

pub struct Page<'a> {
    pub graph: &'a Graph<'a>,
    pub entities: &'a BTreeSet<u32>,
    pub url: &'a str,
    /// How many more nodes inside of entities may be looked at.
    pub visits: Cell<usize>,
}

impl Page<'_> {
    /// The nodes that an entity holds, and those that it refers to if `follow` says so; itself first.
    pub fn reachable(&self, node: u32, follow: impl Fn(u32) -> bool) -> Vec<Visit> {
        let most = self.visits.get();
        let visits = reachable(self.graph, node, self.entities, most, follow);
        self.visits.set(most.saturating_sub(visits.len()));
        visits
    }
}

impl Outcome {
    fn of(feature: Feature, is_main: bool) -> Self {
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

    /// Something that is required is missing.
    pub fn require(&mut self, path: &str) {
        self.miss_one_of(&[path.to_owned()], true);
    }

    /// Something that is recommended is missing.
    pub fn recommend(&mut self, path: &str) {
        self.miss_one_of(&[path.to_owned()], false);
    }

    fn miss_one_of(&mut self, paths: &[String], required: bool) {
        let all = paths.join(" or ");
        let general = general(&all);
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

    /// The feature's name in messages.
    fn label(&self) -> String {
        let name = serde_json::to_string(&self.feature).unwrap_or_default();
        name.trim_matches('"').to_owned()
    }

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

    /// Google reads dates of ISO 8601: a required one that is none is as good as missing.
    fn look_at_dates(&mut self, graph: &Graph<'_>, visit: &Visit, name: &str) {
        let texts = graph.values(visit.number, name).filter_map(Value::text);
        if let Some(text) = { texts }.find(|it| !is_date(it)) {
            let path = joined(&visit.path, name, None);
            let message = format!("“{}” is no date of ISO 8601", shortened(&text, 80));
            self.add(IssueCode::ValueNotAccepted, path, message, Severity::Error);
        }
    }
}

/// Whether values of a property are days or moments and nothing else.
fn takes_dates_only(name: &str) -> bool {
    property_named(name).is_some_and(|it| {
        let mut ranges = it.ranges.iter();
        !it.ranges.is_empty() && ranges.all(|it| matches!(*it, "Date" | "DateTime"))
    })
}

/// What all rules say of an entity, those for what it is first.
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

/// The rules of the nearest type that has rules: the type itself, its supertypes, theirs.
pub fn main_rules(name: &str) -> Vec<&'static Rule> {
    let mut level = vec![name];
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while !level.is_empty() {
        let here = |rule: &&Rule| level.iter().any(|it| rule.types.contains(it));
        let rules: Vec<&Rule> = MAIN.iter().filter(here).collect();
        if !rules.is_empty() {
            return rules;
        }
        let above = level.iter().filter_map(|it| type_named(it));
        let above: Vec<&str> = above.flat_map(|it| it.supertypes.iter().copied()).collect();
        level = above.into_iter().filter(|it| seen.insert(it)).collect();
    }
    Vec::new()
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

/// What is asked of an item inside of one with this feature.
fn part_of(graph: &Graph<'_>, node: u32, feature: Feature) -> Option<&'static Part> {
    PARTS.iter().find(|part| {
        let for_feature = part.features.is_empty() || part.features.contains(&feature);
        let is = |name: &str| part.types.iter().any(|it| is_a(name, it));
        for_feature && graph.schema_types(node).any(is)
    })
}
