//! What is wrong with pages ([`page_issues`]) and sites ([`site_issues`], from the site's graph): a catalogue of codes.
//! Every fault has one code: what a more precise code tells, a general one does not (a chain of redirects is no single
//! redirect).

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
