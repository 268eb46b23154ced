//! A site in memory, for findings about several pages: some hundred bytes per page, a few per link. Findings about
//! one page use its [`PageContent`](crate::observation::page_content::PageContent).

mod graph;
mod links;
mod node;
mod score;
mod series;
mod target;
mod urls;

pub use graph::{AddedText, ListedPage, Resolved, SiteGraph, Sitemap};
pub use links::{FollowedLinks, InLinks, LinkFacts};
pub use node::{FragmentLink, HreflangLink, PackedLink, PageNode};
pub use score::{DAMPING, ROUNDS, internal_scores};
pub use target::{MediaKind, Target, TargetState};
pub use urls::{UrlId, UrlIds};

#[cfg(test)]
mod tests;
