//! A site in memory: of every page a card of some hundred bytes, of every link two numbers.
//!
//! Pages are added one by one and let go; what findings about one page need is asked of its
//! [`PageContent`](crate::observation::page_content::PageContent), what findings about several pages
//! need is here.

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
