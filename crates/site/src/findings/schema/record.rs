use super::{expiries::Expiry, feature::Feature};
use crate::ToSchema;
use crate::findings::broken_links::Severity;
use crate::findings::envelope::{Envelope, rounded};
use crate::observation::structured_data::{Format, Location, OutsideItem, ParseError};
use crate::provenance::RecordStatus;
use serde::{Deserialize, Serialize};

/// The evaluated structured data of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemaRecord {
    /// What every record says about itself; `url` is the page.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Items that no other item holds, by syntax.
    pub formats: FormatCounts,
    /// Entities that the page describes; one that it describes in two syntaxes is listed once.
    pub entities: Vec<Entity>,
    /// Blocks that could not be read.
    pub parse_errors: Vec<ParseError>,
    /// Microdata that belongs to no item, which no search engine reads; at the most 200.
    #[serde(default)]
    #[schema(required = true)]
    pub outside_items: Vec<OutsideItem>,
    /// Share of the typed nodes that can be reached from the page's node, or else from the first
    /// entity, over properties in either direction; null without nodes, and where the page was not read
    /// whole.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub graph_connected: Option<f64>,
    /// What the page is eligible for.
    pub features: Vec<Feature>,
    /// Days on which offers and jobs of the page end, soonest first; at the most 100.
    #[serde(default)]
    #[schema(required = true)]
    pub expiries: Vec<Expiry>,
    /// Errors: those of the entities, and blocks that could not be read.
    pub errors: u32,
    /// Warnings: those of the entities, and microdata outside of items. `warnings` are the record's own.
    pub warning_count: u32,
    /// 100·(0.5·(1 − entities with errors/entities) + 0.3·mean recommended completeness + 0.2·1[type
    /// fits the page's template]); terms that are not known are left out and the weights of the
    /// others scaled up to 1. Null without entities, and where the page was not read whole.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub schema_score: Option<f64>,
}

crate::json!(SchemaRecord);

impl SchemaRecord {
    /// For a truncated page: drops what the truncation may have caused, such as parse errors.
    #[must_use]
    pub fn for_truncated_page(mut self, warnings: Vec<String>) -> Self {
        self.envelope.status = RecordStatus::Partial;
        self.envelope.warnings.extend(warnings);
        self.errors = self
            .errors
            .saturating_sub(saturating_u32(self.parse_errors.len()));
        self.parse_errors.clear();
        self.graph_connected = None;
        self.schema_score = None;
        self
    }
}

/// How many items there are in each syntax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataCounts)]
pub struct FormatCounts {
    /// In JSON-LD.
    pub json_ld: u32,
    /// In microdata.
    pub microdata: u32,
    /// In `RDFa`.
    pub rdfa: u32,
}

/// An entity that the page describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataEntity)]
pub struct Entity {
    /// Its id, if it has one that others can refer to.
    pub id: Option<String>,
    /// Its types, at the most 10; those of schema.org without the address.
    pub types: Vec<String>,
    /// The syntax that it is read from.
    pub format: Format,
    /// Where it begins.
    pub location: Location,
    /// Its name, headline or title.
    pub name: Option<String>,
    /// How many values it has.
    pub properties: u32,
    /// What Google would show of it.
    pub eligibility: Eligibility,
    /// The feature that this is about.
    pub feature: Option<Feature>,
    /// What the feature cannot do without, as paths.
    pub missing_required: Vec<String>,
    /// What the feature would be better with, as paths.
    pub missing_recommended: Vec<String>,
    /// What is wrong with it; at the most 100.
    pub issues: Vec<Issue>,
}

/// Whether Google would show a feature.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = RichResultEligibility)]
pub enum Eligibility {
    /// Nothing is missing.
    Eligible,
    /// Nothing that is required is missing.
    EligibleWithWarnings,
    /// Something that is required is missing.
    Ineligible,
    /// Google has no feature for it.
    NotSupported,
    /// Google had a feature for it.
    Retired,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataIssue)]
pub struct Issue {
    /// What it is wrong by.
    pub level: Level,
    /// What it is.
    pub code: IssueCode,
    /// Where in the entity: `offers[1].price`; empty for the entity itself.
    pub path: String,
    /// The same for people.
    pub message: String,
    /// How much it matters.
    pub severity: Severity,
}

/// The yardsticks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataLevel)]
pub enum Level {
    /// JSON-LD, microdata, `RDFa`.
    Syntax,
    /// schema.org.
    Vocabulary,
    /// What Google asks for.
    Google,
    /// What the page shows, and what it says elsewhere.
    Consistency,
}

/// What is wrong.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataIssueCode)]
pub enum IssueCode {
    /// The JSON is inside an HTML comment.
    CommentWrapper,
    /// The JSON is inside a CDATA section.
    CdataWrapper,
    /// An object has a key twice.
    DuplicateKey,
    /// There is no `@context`.
    ContextMissing,
    /// The `@context` is not schema.org's.
    ContextUnknown,
    /// `itemref` runs in a circle.
    ItemrefCycle,
    /// `itemref` leads nowhere.
    ItemrefMissing,
    /// schema.org has no such type.
    UnknownType,
    /// schema.org has no such property.
    UnknownProperty,
    /// The property is not one of the type's.
    PropertyNotInDomain,
    /// The value is not of a type that the property takes.
    ValueTypeMismatch,
    /// A number in a local notation.
    LocaleNumber,
    /// schema.org has a newer word for it.
    SupersededTerm,
    /// Google requires it.
    RequiredMissing,
    /// Google recommends it.
    RecommendedMissing,
    /// Google takes no such value.
    ValueNotAccepted,
    /// Two properties belong together, and one is missing.
    IncompletePair,
    /// Google shows no stars for what a business says of itself.
    SelfServingReview,
    /// The search results have no use for it any more.
    Retired,
    /// The page's text does not have it.
    NotVisible,
    /// The page has the same entity in another syntax.
    DuplicateEntity,
    /// The page has two values for it.
    ConflictingValues,
}

impl Issue {
    /// Errors, then warnings, then notices; shorter paths first.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let depth = |it: &Self| it.path.matches('.').count();
        let key = |it: &Self| (it.severity, depth(it), it.level, it.code);
        key(self)
            .cmp(&key(other))
            .then_with(|| self.path.cmp(&other.path))
    }
}

pub(super) fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
