//! What the crawl knows of a URL, found quickly.

use crate::observation::web_site::{
    CheckState, Fetched, SiteObservation, SiteScope, TargetCheck, WebPage,
};
use std::collections::HashMap;

/// Pages and checks by URL.
pub(super) struct SiteIndex<'a> {
    pub(super) scope: &'a SiteScope,
    pub(super) pages: HashMap<&'a str, &'a WebPage>,
    pub(super) in_order: &'a [WebPage],
    checks: HashMap<&'a str, &'a TargetCheck>,
}

/// What is known of a target.
pub(super) enum Known<'a> {
    /// It was asked for.
    Asked {
        fetched: &'a Fetched,
        /// The page whose content it is, when that was read.
        page: Option<&'a WebPage>,
        /// All names of the HTML it is, as far as they are known for certain.
        names: Option<&'a [String]>,
    },
    /// robots.txt forbids asking.
    Blocked,
    /// It was not asked for.
    Nothing,
}

impl<'a> SiteIndex<'a> {
    pub(super) fn of(site: &'a SiteObservation) -> Self {
        Self {
            scope: &site.scope,
            pages: site.pages.iter().map(|it| (it.url.as_str(), it)).collect(),
            in_order: &site.pages,
            checks: site.checks.iter().map(|it| (it.url.as_str(), it)).collect(),
        }
    }

    pub(super) fn know(&self, url: &str) -> Known<'a> {
        if let Some(&page) = self.pages.get(url) {
            return Known::Asked {
                fetched: &page.fetched,
                page: Some(page),
                names: complete_names(page),
            };
        }
        match self.checks.get(url).map(|it| &it.state) {
            None => Known::Nothing,
            Some(CheckState::BlockedByRobots) => Known::Blocked,
            Some(CheckState::Asked { fetched, names }) => {
                let page = self.pages.get(fetched.final_url.as_str()).copied();
                Known::Asked {
                    fetched,
                    page,
                    names: names.as_deref().or_else(|| page.and_then(complete_names)),
                }
            }
        }
    }
}

fn complete_names(page: &WebPage) -> Option<&[String]> {
    page.names_are_complete().then_some(page.names.as_slice())
}
