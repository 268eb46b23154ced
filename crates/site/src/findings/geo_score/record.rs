use super::agents::AgentAccess;
use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::findings::llms_txt::LlmsTxt;
use serde::{Deserialize, Serialize};

/// How retrievable, extractable and citable a page is for generative engines: a rubric, and no
/// prediction of citations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeoRecord {
    /// What every record says about itself; `url` is the page.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// Product of the gates · Σ weight·value over the factors, less 8 points for a stuffed phrase,
    /// 0 to 100. Factors that are not known are left out and the weights of the others scaled up. Null
    /// where the page was not read whole: then only `access` is known.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub geo_score: Option<f64>,
    /// What the weights rest on.
    pub weights_basis: WeightsBasis,
    /// The score as a letter.
    pub grade: Option<Grade>,
    /// What keeps engines from the page; each multiplies the score.
    pub gates: Vec<Gate>,
    /// What the score is made of; all eleven, always in the same order.
    pub factors: Vec<Factor>,
    /// What robots.txt says to each AI crawler.
    pub agents: Vec<AgentAccess>,
    /// The site's llms.txt; it weighs nothing. Null where it was not looked for.
    pub llms_txt: Option<LlmsTxt>,
    /// A phrase that is there too often; costs 8 points.
    pub stuffing: Option<Stuffing>,
    /// Factors of at least 0.7.
    pub pillar_hits: u32,
    /// What would raise the score most; at most 5.
    pub top_actions: Vec<Action>,
}

crate::json!(GeoRecord);

/// What weights rest on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum WeightsBasis {
    /// Our judgment, in the light of published evidence. No measured weights are published.
    #[default]
    Judgement,
}

/// A score as a letter.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
pub enum Grade {
    /// From 85 on.
    A,
    /// From 70 on.
    B,
    /// From 50 on.
    C,
    /// From 30 on.
    D,
    /// Below.
    E,
}

impl Grade {
    pub fn of(score: f64) -> Self {
        match score {
            it if it >= 85.0 => Self::A,
            it if it >= 70.0 => Self::B,
            it if it >= 50.0 => Self::C,
            it if it >= 30.0 => Self::D,
            _ => Self::E,
        }
    }
}

/// Something that keeps engines from the page or its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gate {
    /// What it is.
    pub code: GateCode,
    /// What the score is multiplied by: our judgement.
    #[serde(serialize_with = "rounded::fraction")]
    pub multiplier: f64,
    /// What shows it.
    pub evidence: Vec<String>,
}

/// The gates.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum GateCode {
    /// Not 200, not HTML, noindex, or another page is canonical: ×0.
    NotIndexable,
    /// robots.txt keeps out both Googlebot and Bingbot: ×0.
    SearchEnginesBlocked,
    /// `nosnippet` or `max-snippet:0`: ×0.3.
    NoSnippet,
    /// Without scripts there is no main text, or less than 30 % of it: ×0.5.
    TextNeedsScripts,
    /// robots.txt keeps out every search and fetch agent of AI engines: ×0.5.
    AiSearchBlocked,
}

impl GateCode {
    /// What the score is multiplied by: our judgment (docs/measurement/geo-score.md).
    pub const fn multiplier(self) -> f64 {
        match self {
            Self::NotIndexable | Self::SearchEnginesBlocked => 0.0,
            Self::NoSnippet => 0.3,
            Self::TextNeedsScripts | Self::AiSearchBlocked => 0.5,
        }
    }
}

/// One part of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Factor {
    /// Which.
    pub code: FactorCode,
    /// Its weight; all sum to 100. Our judgement.
    pub weight: f64,
    /// 0 to 1; null where it is unknown.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub value: Option<f64>,
    /// What was counted, in the unit of `target`.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub measured: Option<f64>,
    /// What gives the full value.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub target: Option<f64>,
    /// What shows it: pieces of the page, or what is missing.
    pub evidence: Vec<String>,
}

macro_rules! factors {
    ($(#[doc = $about:literal] $factor:ident: $weight:literal, $advice:literal;)+) => {
        /// The factors, in the order in which they are listed.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
        )]
        #[serde(rename_all = "camelCase")]
        pub enum FactorCode {
            $(#[doc = $about] $factor,)+
        }

        impl FactorCode {
            pub const ALL: [Self; [$($weight),+].len()] = [$(Self::$factor),+];

            /// Our judgment, in the order of the evidence (docs/measurement/geo-score.md).
            pub const fn weight(self) -> f64 {
                match self { $(Self::$factor => $weight,)+ }
            }

            pub const fn advice(self) -> &'static str {
                match self { $(Self::$factor => $advice,)+ }
            }
        }
    };
}

// Weight, advice.
factors! {
    /// Share of the search and fetch agents that may read the page.
    Access: 12.0, "Let the search and fetch agents of AI engines read the page in robots.txt.";
    /// Numeric facts per 1,000 words.
    Statistics: 13.0, "Say it in numbers: shares, prices, amounts with their units.";
    /// Distinct external sources linked in the main text per 1,000 words.
    Citations: 11.0, "Link to the sources of what the text says, of several publishers.";
    /// Attributed quotations per 1,000 words.
    Quotations: 9.0, "Quote people by name, in blockquote elements or quotation marks.";
    /// A definition, a comparison, steps, an answer under its question.
    Extractable: 10.0, "Define the subject in one sentence, compare in a table, list steps, and answer in the first paragraph below a heading.";
    /// Headings, lists, tables, landmarks.
    Structure: 10.0, "One h1, no skipped levels, a heading every 300 words, lists or tables, main and article elements.";
    /// Dates, and how old the page is.
    Freshness: 9.0, "Show the date of the last change, in the text and as dateModified.";
    /// The main entity is valid for its type.
    StructuredData: 7.0, "Describe the main thing of the page in valid structured data.";
    /// The author and the organization behind the page.
    Provenance: 8.0, "Name the author with a page of their own, and the organisation with sameAs; link to about and contact.";
    /// How easily it reads.
    Fluency: 6.0, "Shorten sentences and words.";
    /// How much text there is.
    Substance: 5.0, "Write at least 1,000 words where the subject has so much to it.";
}

/// A phrase that is there too often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stuffing {
    /// The phrase.
    pub phrase: String,
    /// How often it is there.
    pub uses: u32,
    /// Share of the words that belong to it.
    #[serde(serialize_with = "rounded::fraction")]
    pub density: f64,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// The factor that it raises, or none where it opens a gate.
    pub factor: Option<FactorCode>,
    /// The gate that it opens.
    pub gate: Option<GateCode>,
    /// Points that the score could gain at most.
    #[serde(serialize_with = "rounded::fraction")]
    pub gain: f64,
    /// What to do.
    pub text: String,
}
