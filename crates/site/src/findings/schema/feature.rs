use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// A feature of Google's results that structured data can earn, or could once.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = RichResultFeature)]
pub enum Feature {
    Article,
    Breadcrumb,
    Carousel,
    CourseList,
    /// Shown in Dataset Search alone.
    Dataset,
    DiscussionForum,
    EducationQa,
    EmployerRating,
    Event,
    ImageMetadata,
    JobPosting,
    LocalBusiness,
    LoyaltyProgram,
    MathSolver,
    MerchantListing,
    Movie,
    Organization,
    PaywalledContent,
    ProductSnippet,
    ProductVariants,
    ProfilePage,
    QaPage,
    Recipe,
    ReviewSnippet,
    ShippingService,
    SiteName,
    SoftwareApp,
    Speakable,
    VacationRental,
    Video,
    BookActions,
    ClaimReview,
    CourseInfo,
    EstimatedSalary,
    Faq,
    HowTo,
    LearningVideo,
    PracticeProblem,
    SitelinksSearchBox,
    SpecialAnnouncement,
    VehicleListing,
}

impl Feature {
    /// When Google ended it, if it did (FAQ for all sites on 7 May 2026, how-to in
    /// September 2023, the search box in November 2024, most others in June and July 2025).
    pub const fn retired(self) -> Option<&'static str> {
        match self {
            Self::HowTo => Some("2023-09"),
            Self::SitelinksSearchBox => Some("2024-11"),
            Self::BookActions
            | Self::ClaimReview
            | Self::CourseInfo
            | Self::EstimatedSalary
            | Self::LearningVideo
            | Self::SpecialAnnouncement
            | Self::VehicleListing => Some("2025-06"),
            Self::PracticeProblem => Some("2026-01"),
            Self::Faq => Some("2026-05"),
            _ => None,
        }
    }

    /// Whether it describes the page's content, so that readers should see its values.
    pub(super) const fn is_content(self) -> bool {
        matches!(
            self,
            Self::Article
                | Self::CourseList
                | Self::Event
                | Self::JobPosting
                | Self::LocalBusiness
                | Self::MerchantListing
                | Self::Movie
                | Self::ProductSnippet
                | Self::ProductVariants
                | Self::Recipe
                | Self::ReviewSnippet
                | Self::SoftwareApp
                | Self::VacationRental
                | Self::Video
        )
    }
}
