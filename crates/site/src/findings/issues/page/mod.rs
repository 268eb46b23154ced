mod address;
mod content;
mod document;
pub mod genericness;
mod head;
mod headings;
mod images;
mod indexing;
mod international;
mod links;
mod performance;
mod placeholder;
mod structured;

pub use content::{THIN, stuffed_phrases};

use super::code::IssueCode;
use super::issue::{Found, Issue};
use crate::{
    findings::{schema::SchemaRecord, vitals::VitalsRecord},
    observation::{page_content::PageContent, page_url::is_loopback, web_site::SiteScope},
    page_kind::PageKind,
};
use url::Url;

#[derive(Debug, Clone, Copy)]
pub struct PageContext<'a> {
    pub kind: PageKind,
    pub scope: &'a SiteScope,
    /// The judgement of its structured data; `None` finds no issue of that group.
    pub schema: Option<&'a SchemaRecord>,
    /// What is known of its speed; without any, no such issue is found.
    pub vitals: &'a [VitalsRecord],
    /// What people are to find it with; a phrase of the title stands in for none.
    pub keywords: &'a [String],
    /// Whether people come to it from search engines; `None` is unknown.
    pub has_traffic: Option<bool>,
}

struct Subject<'a> {
    page: &'a PageContent,
    context: &'a PageContext<'a>,
    url: Option<Url>,
    /// Browsers trust what comes from the own machine (W3C Secure Contexts): it needs no encryption.
    is_loopback: bool,
}

impl Subject<'_> {
    /// Whether it could be read by others on the way.
    fn is_open(&self) -> bool {
        !self.page.is_https() && !self.is_loopback
    }

    fn is_internal(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|it| self.context.scope.contains(&it))
    }
}

/// What is not known of a page that was not read whole: that something is not in it, how much of it is
/// something else, and what stands inside of elements whose structure is lost.
const OF_WHOLE_PAGES: [IssueCode; 24] = [
    IssueCode::SoftNotFound,
    IssueCode::CanonicalMissing,
    IssueCode::TitleMissing,
    IssueCode::DescMissing,
    IssueCode::H1Missing,
    IssueCode::HeadingEmpty,
    IssueCode::ReadabilityVeryDifficult,
    IssueCode::KeywordStuffing,
    IssueCode::EmptyAnchor,
    IssueCode::PictureWithoutImg,
    IssueCode::HreflangNoSelf,
    IssueCode::HreflangNoXDefault,
    IssueCode::ViewportMissing,
    IssueCode::CspMissing,
    IssueCode::ReferrerPolicyMissing,
    IssueCode::NoAuthor,
    IssueCode::NoDate,
    IssueCode::SdParseError,
    IssueCode::SdRequiredMissing,
    IssueCode::SdRecommendedMissing,
    IssueCode::SdUnknownTerm,
    IssueCode::SdNotVisible,
    IssueCode::SdOutsideItem,
    IssueCode::SdRetired,
];

pub fn page_issues(page: &PageContent, context: &PageContext<'_>) -> Vec<Issue> {
    let url = Url::parse(&page.url).ok();
    let subject = Subject {
        page,
        context,
        is_loopback: url.as_ref().is_some_and(is_loopback),
        url,
    };
    let mut found = Found::default();
    address::find(&subject, &mut found);
    indexing::find(&subject, &mut found);
    head::find(page, &mut found);
    headings::find(page, &mut found);
    content::find(&subject, &mut found);
    links::find(&subject, &mut found);
    images::find(page, &mut found);
    international::find(page, &mut found);
    document::find(&subject, &mut found);
    structured::find(&subject, &mut found);
    performance::find(&subject, &mut found);
    let mut found = found.finished();
    found.retain(|it| !page.is_cut() || !OF_WHOLE_PAGES.contains(&it.code));
    found
}
