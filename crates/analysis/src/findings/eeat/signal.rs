use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// A part of E-E-A-T.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Pillar {
    /// First-hand experience.
    Experience,
    /// Knowledge of those who write.
    Expertise,
    /// What others say, and depth.
    Authoritativeness,
    /// Who is responsible, and how they can be reached.
    Trust,
}

impl Pillar {
    pub const ALL: [Self; 4] = [
        Self::Experience,
        Self::Expertise,
        Self::Authoritativeness,
        Self::Trust,
    ];
}

/// What a signal is a fact of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SignalScope {
    /// One page.
    Page,
    /// The whole site.
    Site,
}

/// A piece of evidence that a machine can check.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum SignalCode {
    /// Every page is https, and none loads files by http.
    Https,
    /// A page for contact within two clicks, with e-mail, phone or a form.
    ContactPage,
    /// A postal address, or a company number whose check digit is right.
    AddressOrCompanyId,
    /// A page about those behind the site.
    AboutPage,
    /// A privacy policy.
    PrivacyPolicy,
    /// Terms or an imprint.
    LegalPages,
    /// Shops: returns, shipping and payment are explained.
    ShopInfo,
    /// Visible and machine-readable dates agree.
    DateConsistency,
    /// A policy for corrections or editing.
    EditorialPolicy,
    /// Pages with paid links say so.
    Disclosure,
    /// The organisation in structured data is the one that readers see.
    OrganizationConsistent,
    /// Articles name their author.
    Byline,
    /// The author has a page with fifty words and more.
    AuthorPage,
    /// The author's title, degree or training is told.
    Credentials,
    /// Pages on health, money and the like were reviewed.
    Reviewer,
    /// The author is described as a person with url or sameAs.
    AuthorMarkup,
    /// "We tested", "I used".
    FirstPerson,
    /// Images are the site's own.
    OriginalImages,
    /// How, when, and on how many something was tested.
    TestMethod,
    /// Tables of numbers, data sets, case studies.
    OwnData,
    /// Reviews with author and date.
    DatedReviews,
    /// Links to primary sources.
    PrimarySources,
    /// `sameAs` leads to two profiles and more.
    SameAsProfiles,
    /// Five pages of the same topic link here.
    TopicalDepth,
    /// Others mention or cite the site.
    ThirdPartyMentions,
    /// The author has written three pages of the same section.
    AuthorTopicPages,
}

impl SignalCode {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 26] = [
        Self::Https,
        Self::ContactPage,
        Self::AddressOrCompanyId,
        Self::AboutPage,
        Self::PrivacyPolicy,
        Self::LegalPages,
        Self::ShopInfo,
        Self::DateConsistency,
        Self::EditorialPolicy,
        Self::Disclosure,
        Self::OrganizationConsistent,
        Self::Byline,
        Self::AuthorPage,
        Self::Credentials,
        Self::Reviewer,
        Self::AuthorMarkup,
        Self::FirstPerson,
        Self::OriginalImages,
        Self::TestMethod,
        Self::OwnData,
        Self::DatedReviews,
        Self::PrimarySources,
        Self::SameAsProfiles,
        Self::TopicalDepth,
        Self::ThirdPartyMentions,
        Self::AuthorTopicPages,
    ];

    pub const fn pillar(self) -> Pillar {
        match self {
            Self::Https
            | Self::ContactPage
            | Self::AddressOrCompanyId
            | Self::AboutPage
            | Self::PrivacyPolicy
            | Self::LegalPages
            | Self::ShopInfo
            | Self::DateConsistency
            | Self::EditorialPolicy
            | Self::Disclosure
            | Self::OrganizationConsistent => Pillar::Trust,
            Self::Byline
            | Self::AuthorPage
            | Self::Credentials
            | Self::Reviewer
            | Self::AuthorMarkup => Pillar::Expertise,
            Self::FirstPerson
            | Self::OriginalImages
            | Self::TestMethod
            | Self::OwnData
            | Self::DatedReviews => Pillar::Experience,
            Self::PrimarySources
            | Self::SameAsProfiles
            | Self::TopicalDepth
            | Self::ThirdPartyMentions
            | Self::AuthorTopicPages => Pillar::Authoritativeness,
        }
    }

    /// The weight, of 40 for trust and 20 for each other pillar (analysis.md 2.15). Our judgement:
    /// Google publishes what raters look for and no weights.
    pub const fn weight(self) -> f64 {
        match self {
            Self::ContactPage | Self::Byline => 6.0,
            Self::Https
            | Self::AuthorPage
            | Self::FirstPerson
            | Self::OriginalImages
            | Self::PrimarySources => 5.0,
            Self::AddressOrCompanyId
            | Self::AboutPage
            | Self::PrivacyPolicy
            | Self::ShopInfo
            | Self::TestMethod
            | Self::SameAsProfiles
            | Self::TopicalDepth
            | Self::ThirdPartyMentions => 4.0,
            Self::LegalPages
            | Self::DateConsistency
            | Self::Disclosure
            | Self::Credentials
            | Self::Reviewer
            | Self::AuthorMarkup
            | Self::OwnData
            | Self::DatedReviews
            | Self::AuthorTopicPages => 3.0,
            Self::EditorialPolicy | Self::OrganizationConsistent => 2.0,
        }
    }

    pub const fn scope(self) -> SignalScope {
        match self {
            Self::Https
            | Self::ContactPage
            | Self::AddressOrCompanyId
            | Self::AboutPage
            | Self::PrivacyPolicy
            | Self::LegalPages
            | Self::ShopInfo
            | Self::EditorialPolicy
            | Self::OrganizationConsistent
            | Self::SameAsProfiles
            | Self::TopicalDepth
            | Self::ThirdPartyMentions
            | Self::AuthorTopicPages => SignalScope::Site,
            _ => SignalScope::Page,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_the_pillars_are_forty_and_three_times_twenty() {
        for pillar in Pillar::ALL {
            let own = SignalCode::ALL.iter().filter(|it| it.pillar() == pillar);
            let sum: f64 = own.map(|it| it.weight()).sum();
            let expected = if pillar == Pillar::Trust { 40.0 } else { 20.0 };
            assert!((sum - expected).abs() < 1e-12, "{pillar:?} {sum}");
        }
    }
}
