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

macro_rules! signals {
    ($(#[doc = $about:literal] $signal:ident: $pillar:ident, $weight:literal, $scope:ident;)+) => {
        /// A piece of evidence that a machine can check.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
        )]
        #[serde(rename_all = "camelCase")]
        pub enum SignalCode {
            $(#[doc = $about] $signal,)+
        }

        impl SignalCode {
            /// In the order of records.
            pub const ALL: [Self; [$($weight),+].len()] = [$(Self::$signal),+];

            pub const fn pillar(self) -> Pillar {
                match self { $(Self::$signal => Pillar::$pillar,)+ }
            }

            /// Of 40 for trust and 20 for each other pillar: our judgment, Google publishes none.
            pub const fn weight(self) -> f64 {
                match self { $(Self::$signal => $weight,)+ }
            }

            pub const fn scope(self) -> SignalScope {
                match self { $(Self::$signal => SignalScope::$scope,)+ }
            }
        }
    };
}

// Pillar, weight, scope.
signals! {
    /// Every page is https, and none loads files by http.
    Https: Trust, 5.0, Site;
    /// A page for contact within two clicks, with e-mail, phone or a form.
    ContactPage: Trust, 6.0, Site;
    /// A postal address, or a company number with a valid check digit.
    AddressOrCompanyId: Trust, 4.0, Site;
    /// A page about those behind the site.
    AboutPage: Trust, 4.0, Site;
    /// A privacy policy.
    PrivacyPolicy: Trust, 4.0, Site;
    /// Terms or an imprint.
    LegalPages: Trust, 3.0, Site;
    /// Shops: returns, shipping and payment are explained.
    ShopInfo: Trust, 4.0, Site;
    /// Visible and machine-readable dates agree.
    DateConsistency: Trust, 3.0, Page;
    /// A policy for corrections or editing.
    EditorialPolicy: Trust, 2.0, Site;
    /// Pages with paid links disclose them.
    Disclosure: Trust, 3.0, Page;
    /// The organisation in structured data is the one that readers see.
    OrganizationConsistent: Trust, 2.0, Site;
    /// Articles name their author.
    Byline: Expertise, 6.0, Page;
    /// The author has a page with fifty words and more.
    AuthorPage: Expertise, 5.0, Page;
    /// The author's title, degree or training is given.
    Credentials: Expertise, 3.0, Page;
    /// Pages on health, money and other YMYL topics were reviewed.
    Reviewer: Expertise, 3.0, Page;
    /// The author is described as a person with url or sameAs.
    AuthorMarkup: Expertise, 3.0, Page;
    /// "We tested", "I used".
    FirstPerson: Experience, 5.0, Page;
    /// Images are the site's own.
    OriginalImages: Experience, 5.0, Page;
    /// How, when, and on how many something was tested.
    TestMethod: Experience, 4.0, Page;
    /// Tables of numbers, data sets, case studies.
    OwnData: Experience, 3.0, Page;
    /// Reviews with author and date.
    DatedReviews: Experience, 3.0, Page;
    /// Links to primary sources.
    PrimarySources: Authoritativeness, 5.0, Page;
    /// `sameAs` leads to two profiles and more.
    SameAsProfiles: Authoritativeness, 4.0, Site;
    /// Five pages of the same topic link here.
    TopicalDepth: Authoritativeness, 4.0, Site;
    /// Others mention or cite the site.
    ThirdPartyMentions: Authoritativeness, 4.0, Site;
    /// The author has written three pages of the same section.
    AuthorTopicPages: Authoritativeness, 3.0, Site;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pillar_weights_are_40_and_20() {
        for pillar in Pillar::ALL {
            let own = SignalCode::ALL.iter().filter(|it| it.pillar() == pillar);
            let sum: f64 = own.map(|it| it.weight()).sum();
            let expected = if pillar == Pillar::Trust { 40.0 } else { 20.0 };
            assert!((sum - expected).abs() < 1e-12, "{pillar:?} {sum}");
        }
    }
}
