//! What is wrong with pages and sites: a catalogue of codes, and functions that find each.
//!
//! Findings about one page are made from its content ([`page_issues`]), findings about several
//! from the graph of the site ([`site_issues`]). Every fault has one code: what is told by a more
//! precise code is not told by a general one as well (the chain of redirects is no single
//! redirect, the page of a series that is `noindex` is not `noindex` in general).

mod catalogue;
mod code;
mod issue;
mod page;
mod site;

pub use catalogue::{CodeInfo, info};
pub use code::{IssueCode, IssueGroup};
pub use issue::{Found, Issue};
pub use page::{PageContext, genericness::is_generic_link_text, page_issues};
pub(crate) use page::{THIN, stuffed_phrases};
pub use site::{
    RobotsTxtFault, RobotsTxtProblem, SiteContext, SiteIssues, robots_txt_problems, site_issues,
};

pub use crate::findings::broken_links::Severity;

pub const METHOD: &str = "content/2";
