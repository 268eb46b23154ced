use super::signal::{Pillar, SignalCode, SignalScope};
use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::findings::geo_score::WeightsBasis;
use serde::{Deserialize, Serialize};

/// Evidence of experience, expertise, authoritativeness and trust that a machine can check. Google
/// states that E-E-A-T alone is not a ranking factor and that trust matters most; whether what a
/// page claims is true is never inferred.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EeatRecord {
    /// What every record says about itself; `url` is the page, or the site's start.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// A page or the whole site.
    pub scope: SignalScope,
    /// What the page is for; null for the site.
    pub page_type: Option<PageType>,
    /// Whether it is about your money or your life.
    pub ymyl: Ymyl,
    /// Weighted mean of the applicable signals, 0 to 100. On pages about money or life trust weighs
    /// 50 instead of 40, and without author or contact the score is at most 49.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub eeat_score: Option<f64>,
    /// What the weights rest on: our judgement.
    pub weights_basis: WeightsBasis,
    /// Whether the score is 49 because author or contact are missing.
    pub capped: bool,
    /// The same by pillar.
    pub pillars: PillarScores,
    /// All signals.
    pub signals: Vec<Signal>,
    /// Applicable signals of value 0, the weightiest first.
    pub missing: Vec<SignalCode>,
    /// Who wrote the page; empty for the site.
    pub authors: Vec<EeatAuthor>,
    /// The organization that publishes the site.
    pub organization: Option<Organization>,
}

crate::json!(EeatRecord);

/// What a page is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum PageType {
    /// Something written and published at a time.
    Article,
    /// Something to buy.
    Product,
    /// A list that leads to other pages.
    Category,
    /// The start page.
    Home,
    /// Who is behind the site.
    About,
    /// How to reach them.
    Contact,
    /// Anything else.
    Other,
}

/// Whether a page is about your money or your life: what can harm health, wealth, safety or society.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ymyl {
    /// Null where there is no word list for the language and no type decides.
    pub is_ymyl: Option<bool>,
    /// What it is about.
    pub topics: Vec<YmylTopic>,
    /// Words and types that show it.
    pub evidence: Vec<String>,
}

/// Topics of money and life.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum YmylTopic {
    Health,
    Finance,
    Safety,
    Legal,
    Civic,
}

/// Scores by pillar, 0 to 100; null where no signal applies, or a single one without evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PillarScores {
    /// First-hand experience.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub experience: Option<f64>,
    /// Knowledge of those who write.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub expertise: Option<f64>,
    /// What others say, and depth.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub authoritativeness: Option<f64>,
    /// Who is responsible, and how they can be reached.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub trust: Option<f64>,
}

/// One signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    /// Which.
    pub code: SignalCode,
    /// Its pillar.
    pub pillar: Pillar,
    /// Whether it is a fact of the page or of the site.
    pub scope: SignalScope,
    /// Its weight; our judgement.
    pub weight: f64,
    /// Whether it counts for this page: not where it does not apply, and not where it cannot be
    /// measured, as in languages without phrase lists.
    pub applicable: bool,
    /// 0 to 1; null where it does not count.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub value: Option<f64>,
    /// What shows it; at most 3.
    pub evidence: Vec<SignalEvidence>,
    /// How sure it is, 0 to 1: markup is surer than words.
    #[serde(serialize_with = "rounded::fraction")]
    pub confidence: f64,
}

/// What shows a signal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignalEvidence {
    /// Where it was seen, or where it leads.
    pub url: Option<String>,
    /// What it says.
    pub text: Option<String>,
    /// A CSS selector of the element, where one is known.
    pub selector: Option<String>,
}

/// An author of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EeatAuthor {
    /// The name.
    pub name: String,
    /// Their page.
    pub url: Option<String>,
    /// Titles, degrees, training.
    pub credentials: Vec<String>,
    /// Their profiles elsewhere.
    pub same_as: Vec<String>,
}

/// The organization that publishes a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// The name.
    pub name: Option<String>,
    /// The registered name.
    pub legal_name: Option<String>,
    /// Numbers of registers, with their kind: `czIco:25596641`.
    pub ids: Vec<String>,
    /// The postal address in one line.
    pub address: Option<String>,
    /// E-mail addresses and phone numbers.
    pub contacts: Vec<String>,
    /// Profiles elsewhere.
    pub same_as: Vec<String>,
}
