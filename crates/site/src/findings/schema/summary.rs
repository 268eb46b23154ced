use super::feature::Feature;
use super::record::{Eligibility, FormatCounts, IssueCode, SchemaRecord};
use crate::ToSchema;
use crate::findings::broken_links::Severity;
use crate::findings::envelope::rounded;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Types that are counted: schema.org has 937, and pages may invent more.
const MAX_TYPES: usize = 1_000;

/// The structured data of a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemaSummary {
    /// Pages that were evaluated.
    pub pages: u32,
    /// Of these, indexable.
    pub indexable_pages: u32,
    /// Pages with structured data that could be read.
    pub pages_with_data: u32,
    /// Pages with a block that could not be read.
    pub pages_with_parse_errors: u32,
    /// Share of the indexable pages that have an entity without errors; null without indexable pages.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub coverage: Option<f64>,
    /// Items by syntax.
    pub formats: FormatCounts,
    /// Entities.
    pub entities: u32,
    /// Entities by type.
    pub by_type: BTreeMap<String, u32>,
    /// Entities by eligibility.
    pub by_eligibility: BTreeMap<Eligibility, u32>,
    /// Pages by feature that they are eligible for.
    pub by_feature: BTreeMap<Feature, u32>,
    /// Pages by what is wrong on them.
    pub by_issue: BTreeMap<IssueCode, u32>,
    /// Blocks that could not be read.
    pub parse_errors: u32,
    /// Errors.
    pub errors: u32,
    /// Warnings.
    pub warnings: u32,
    /// Mean score of the pages that have one; null without any.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub average_score: Option<f64>,
    /// How many pages that rests on.
    pub scored_pages: u32,
}

crate::json!(SchemaSummary);

#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchemaTally {
    sum: SchemaSummary,
    /// Indexable pages with an entity without errors.
    covered: u32,
    scores: f64,
}

impl SchemaTally {
    /// `indexable`: search engines may index it (200, HTML, not noindex, its own canonical, not blocked).
    pub fn add(&mut self, record: &SchemaRecord, indexable: bool) {
        self.sum.add(record);
        self.sum.indexable_pages += u32::from(indexable);
        self.covered += u32::from(indexable && has_valid_entity(record));
        if let Some(score) = record.schema_score {
            self.scores += score;
            self.sum.scored_pages += 1;
        }
    }

    pub fn summary(self) -> SchemaSummary {
        let share = |part: f64, whole: u32| (whole > 0).then(|| part / f64::from(whole));
        SchemaSummary {
            coverage: share(f64::from(self.covered), self.sum.indexable_pages),
            average_score: share(self.scores, self.sum.scored_pages),
            ..self.sum
        }
    }
}

impl SchemaSummary {
    fn add(&mut self, record: &SchemaRecord) {
        self.pages += 1;
        self.pages_with_data += u32::from(!record.entities.is_empty());
        self.pages_with_parse_errors += u32::from(!record.parse_errors.is_empty());
        self.formats.json_ld += record.formats.json_ld;
        self.formats.microdata += record.formats.microdata;
        self.formats.rdfa += record.formats.rdfa;
        self.errors += record.errors;
        self.warnings += record.warning_count;
        for _ in &record.parse_errors {
            self.parse_errors += 1;
        }
        let mut codes: Vec<IssueCode> = Vec::new();
        for entity in &record.entities {
            self.entities += 1;
            *self.by_eligibility.entry(entity.eligibility).or_default() += 1;
            for name in &entity.types {
                if self.by_type.len() < MAX_TYPES || self.by_type.contains_key(name) {
                    *self.by_type.entry(name.clone()).or_default() += 1;
                }
            }
            codes.extend(entity.issues.iter().map(|it| it.code));
        }
        codes.sort_unstable();
        codes.dedup();
        for code in codes {
            *self.by_issue.entry(code).or_default() += 1;
        }
        for feature in &record.features {
            *self.by_feature.entry(*feature).or_default() += 1;
        }
    }
}

fn has_valid_entity(record: &SchemaRecord) -> bool {
    let has_errors = |it: &super::Entity| it.issues.iter().any(|it| it.severity == Severity::Error);
    record.entities.iter().any(|it| !has_errors(it))
}
