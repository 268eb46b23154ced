use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Pages with declining positions or clicks.
pub(super) const CONTENT_DECAY: &str = "contentDecay";
/// Pages with impressions but few clicks.
pub(super) const CTR_GAP: &str = "ctrGap";

/// A rule, or one case of a rule with several.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub id: &'static str,
    /// The case; empty for rules with one.
    pub variant: &'static str,
    pub category: Category,
    pub severity: Severity,
    /// 3 massive, 2 high, 1 medium, 0.5 low, 0.25 minimal.
    pub impact: f64,
    /// 1 a standard or Google's documentation, 0.8 a measured statistic, 0.5 a rule of thumb.
    pub confidence: f64,
    /// For one page: 0.5 a line, 1 a page, 2 a template, 5 rewriting, 8 a project.
    pub effort_one: f64,
    pub effort_many: f64,
    /// Content rules are skipped for pages that are not indexable.
    pub is_content: bool,
    pub effect: EffectMetric,
    /// Source of impact, confidence and effort.
    pub source: &'static str,
    pub title: &'static str,
    pub docs: Vec<&'static str>,
}

/// What a suggestion is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionCategory)]
pub enum Category {
    Technical,
    Content,
    StructuredData,
    Performance,
    Links,
    Keywords,
    Cannibalization,
    Ai,
    Eeat,
    Competition,
}

/// How bad it is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionSeverity)]
pub enum Severity {
    /// Something is broken.
    Error,
    /// Something half works.
    Warning,
    /// Good to know.
    Notice,
    /// Nothing is wrong, and something can be gained.
    Opportunity,
}

/// What shows whether a suggestion helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum EffectMetric {
    /// Positions of its keywords; lower is better.
    Position,
    /// Clicks per impression of its pages in Search Console.
    Ctr,
    /// The 75th percentile of visits, or the value of a browser of ours; lower is better.
    Vitals,
    /// The share of AI answers that name the project.
    MentionRate,
    /// Clicks of its pages, where they are imported.
    Clicks,
    /// Nothing that we measure.
    None,
}

/// Columns: rule, case, category, severity, impact, confidence, effort of one page, of several,
/// whether it is content, what shows its effect, source, title, documentation.
const TABLE: &str = include_str!("rules.tsv");

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| TABLE.lines().filter_map(row).collect());

pub fn rules() -> &'static [Rule] {
    &RULES
}

/// `None` if not in the table.
pub fn rule(id: &str, variant: &str) -> Option<&'static Rule> {
    RULES.iter().find(|it| it.id == id && it.variant == variant)
}

fn row(line: &'static str) -> Option<Rule> {
    let mut cells = line.split('\t');
    Some(Rule {
        id: cells.next()?,
        variant: cells.next()?,
        category: named(cells.next()?)?,
        severity: named(cells.next()?)?,
        impact: cells.next()?.parse().ok()?,
        confidence: cells.next()?.parse().ok()?,
        effort_one: cells.next()?.parse().ok()?,
        effort_many: cells.next()?.parse().ok()?,
        is_content: cells.next()? == "yes",
        effect: named(cells.next()?)?,
        source: cells.next()?,
        title: cells.next()?,
        docs: cells.next()?.split(' ').collect(),
    })
}

fn named<T: serde::de::DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::{IssueCode, info};

    #[test]
    fn every_rule_row_parses_with_defined_weights() {
        assert_eq!(TABLE.lines().count(), rules().len());
        for it in rules() {
            assert!([3.0, 2.0, 1.0, 0.5, 0.25].contains(&it.impact), "{it:?}");
            assert!([1.0, 0.8, 0.5].contains(&it.confidence), "{it:?}");
            for effort in [it.effort_one, it.effort_many] {
                assert!([0.5, 1.0, 2.0, 5.0, 8.0].contains(&effort), "{it:?}");
            }
            assert!(it.effort_many >= it.effort_one, "{it:?}");
            assert!(!it.title.is_empty() && !it.source.is_empty(), "{it:?}");
            assert!(
                it.docs.iter().all(|it| it.starts_with("https://")),
                "{it:?}"
            );
        }
        let mut names: Vec<_> = rules().iter().map(|it| (it.id, it.variant)).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|it| it[0] != it[1]));
    }

    #[test]
    fn rules_weigh_as_the_issue_catalog_defines() {
        let mut compared = 0;
        for it in rules() {
            let Some(code) = IssueCode::named(it.id) else {
                continue;
            };
            let known = info(code);
            assert!((it.impact - known.impact).abs() < 1e-12, "{}", it.id);
            assert_eq!(
                format!("{:?}", it.severity),
                format!("{:?}", known.severity)
            );
            compared += 1;
        }
        assert!(compared > 50, "{compared}");
    }
}
