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

pub use content::{THIN_WORDS, stuffed_phrases};

use super::code::IssueCode;
use super::issue::{Issue, IssueCollector};
use crate::{
    findings::{schema::SchemaRecord, vitals::VitalsRecord},
    observation::{page_content::PageContent, page_url::is_loopback, web_site::CrawlScope},
    page_kind::PageKind,
};
use url::Url;

#[derive(Debug, Clone, Copy)]
pub struct PageContext<'a> {
    pub kind: PageKind,
    pub scope: &'a CrawlScope,
    /// Structured data record; without it, there are no issues of that group.
    pub schema: Option<&'a SchemaRecord>,
    /// Vitals records; without any, there are no such issues.
    pub vitals: &'a [VitalsRecord],
    /// Target keywords; if empty, phrases of the title are used.
    pub keywords: &'a [String],
    /// Whether it has search traffic; `None` is unknown.
    pub has_traffic: Option<bool>,
}

struct Subject<'a> {
    page: &'a PageContent,
    context: &'a PageContext<'a>,
    url: Option<Url>,
    /// Loopback needs no encryption (W3C Secure Contexts).
    is_loopback: bool,
}

impl Subject<'_> {
    /// Whether it is sent unencrypted over a network.
    fn is_insecure(&self) -> bool {
        !self.page.is_https() && !self.is_loopback
    }

    fn is_internal(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|it| self.context.scope.contains(&it))
    }
}

/// What a truncated page does not prove: absence, shares of the text, and content of elements that lost
/// their structure.
const WHOLE_PAGE_ISSUES: [IssueCode; 24] = [
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
    let mut found = IssueCollector::default();
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
    found.retain(|it| !page.is_truncated() || !WHOLE_PAGE_ISSUES.contains(&it.code));
    found
}
