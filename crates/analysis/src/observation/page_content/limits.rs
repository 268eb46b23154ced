//! What is not known of a page because it was not read to its end.

use super::PageContent;
use crate::observation::web_site::Truncation;

/// Links of a page that are read at the most; no honest page has more.
pub const MOST_LINKS: usize = 20_000;
/// Headings of a page that are read at the most.
pub const MOST_HEADINGS: usize = 5_000;
/// Images of a page that are read at the most.
pub const MOST_IMAGES: usize = 5_000;

impl PageContent {
    /// Whether the end of it was not read, or only without its structure: what was counted is the
    /// least that is there, and what was not found may be there all the same.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.end_is_unread() || self.document.parser_limit
    }

    fn end_is_unread(&self) -> bool {
        self.fetched.truncation == Truncation::AtLimit
    }

    /// Whether it may have links that were not read. Those behind the end of the structure were,
    /// unless there are too many.
    #[must_use]
    pub fn links_are_cut(&self) -> bool {
        self.end_is_unread() || self.has_too_many_links()
    }

    /// Whether links of what was read were left out.
    #[must_use]
    pub fn has_too_many_links(&self) -> bool {
        self.links.len() >= MOST_LINKS || self.document.links_left_out
    }

    /// Whether it may have headings that were not read.
    #[must_use]
    pub fn headings_are_cut(&self) -> bool {
        self.end_is_unread() || self.headings.len() >= MOST_HEADINGS
    }

    /// Whether it may have images that were not read.
    #[must_use]
    pub fn images_are_cut(&self) -> bool {
        self.end_is_unread() || self.images.len() >= MOST_IMAGES
    }

    /// Why it was not read whole, as warnings of its records.
    #[must_use]
    pub fn cut_warnings(&self) -> Vec<String> {
        let all = [
            (self.end_is_unread(), "bodyCut"),
            (self.document.parser_limit, "parserLimit"),
        ];
        let told = all.iter().filter(|it| it.0);
        told.map(|it| it.1.to_owned()).collect()
    }
}
