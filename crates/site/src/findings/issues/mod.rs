//! Issues of pages ([`page_issues`]) and sites ([`site_issues`], from the site graph), from a catalog of codes. Every
//! fault is reported once, by its most specific code: a redirect chain is not also a single redirect.

mod catalog;
mod code;
mod issue;
mod page;
mod site;

pub use catalog::{CodeInfo, info};
pub use code::{IssueCode, IssueGroup};
pub use issue::{Issue, IssueCollector};
pub use page::{PageContext, genericness::is_generic_link_text, page_issues};
pub(crate) use page::{THIN_WORDS, stuffed_phrases};
pub use site::{
    RobotsTxtFault, RobotsTxtProblem, SiteContext, SiteIssues, robots_txt_problems, site_issues,
};

pub use crate::findings::broken_links::Severity;

pub const METHOD: &str = "content/2";
