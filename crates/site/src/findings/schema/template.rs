use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// What a page is made for, as far as the caller knows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum PageTemplate {
    Home,
    Article,
    Product,
    Category,
    Recipe,
    Event,
    Job,
    Video,
    Location,
    Profile,
    Forum,
    QuestionAndAnswer,
    Course,
    Software,
    About,
}

impl PageTemplate {
    /// schema.org types; one is expected.
    pub const fn expected(self) -> &'static [&'static str] {
        match self {
            Self::Home => &["WebSite", "Organization"],
            Self::Article => &["Article"],
            Self::Product => &["Product"],
            Self::Category => &["ItemList", "CollectionPage", "ProductGroup", "OfferCatalog"],
            Self::Recipe => &["Recipe"],
            Self::Event => &["Event"],
            Self::Job => &["JobPosting"],
            Self::Video => &["VideoObject"],
            Self::Location => &["LocalBusiness", "Place"],
            Self::Profile => &["ProfilePage", "Person"],
            Self::Forum => &["DiscussionForumPosting"],
            Self::QuestionAndAnswer => &["QAPage"],
            Self::Course => &["Course"],
            Self::Software => &["SoftwareApplication"],
            Self::About => &["AboutPage", "ContactPage", "Organization"],
        }
    }
}
