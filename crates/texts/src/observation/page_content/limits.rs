//! What is unknown about a truncated page.

use super::PageContent;
use crate::observation::fetched::Truncation;

/// More than any legitimate page has.
pub const MOST_LINKS: usize = 20_000;
pub const MOST_HEADINGS: usize = 5_000;
pub const MOST_IMAGES: usize = 5_000;

impl PageContent {
    /// The end was not read, or read without structure: counts are lower bounds, and absence is no evidence.
    pub fn is_cut(&self) -> bool {
        self.end_is_unread() || self.document.parser_limit
    }

    fn end_is_unread(&self) -> bool {
        self.fetched.truncation == Truncation::AtLimit
    }

    /// Links are also read where the parser kept no structure, up to a limit.
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
