//! What is unknown of a page that was not read to its end.

use super::PageContent;
use crate::observation::fetched::Truncation;

/// No honest page has more.
pub const MOST_LINKS: usize = 20_000;
pub const MOST_HEADINGS: usize = 5_000;
pub const MOST_IMAGES: usize = 5_000;

impl PageContent {
    /// The end was not read, or without structure: counts are lower bounds, and what was not found may exist.
    pub fn is_cut(&self) -> bool {
        self.end_is_unread() || self.document.parser_limit
    }

    fn end_is_unread(&self) -> bool {
        self.fetched.truncation == Truncation::AtLimit
    }

    /// Links behind the end of the structure were read, unless there are too many.
    pub fn links_are_cut(&self) -> bool {
        self.end_is_unread() || self.has_too_many_links()
    }

    pub fn has_too_many_links(&self) -> bool {
        self.links.len() >= MOST_LINKS || self.document.links_left_out
    }

    pub fn headings_are_cut(&self) -> bool {
        self.end_is_unread() || self.headings.len() >= MOST_HEADINGS
    }

    pub fn images_are_cut(&self) -> bool {
        self.end_is_unread() || self.images.len() >= MOST_IMAGES
    }

    pub fn cut_warnings(&self) -> Vec<String> {
        let all = [
            (self.end_is_unread(), "bodyCut"),
            (self.document.parser_limit, "parserLimit"),
        ];
        let told = all.iter().filter(|it| it.0);
        told.map(|it| it.1.to_owned()).collect()
    }
}
