//! A site in memory, for findings about several pages: some hundred bytes per page, a few per link. Findings about
//! one page use its [`PageContent`](crate::observation::page_content::PageContent).

mod card;
mod graph;
mod links;
mod score;
mod series;
mod target;
mod urls;

pub use card::{CardFragment, CardHreflang, CardLink, PageCard};
pub use graph::{AddedText, Known, ListedPage, SiteGraph, SitemapCard};
pub use links::{Followed, InLinks, LinkFacts};
pub use score::{DAMPING, ROUNDS, internal_scores};
pub use target::{MediaKind, Target, TargetState};
pub use urls::{UrlId, UrlIds};

#[cfg(test)]
mod tests;
