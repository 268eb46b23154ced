//! What is unknown about a truncated page.

use super::PageContent;
use crate::observation::fetched::Truncation;

/// More than any legitimate page has.
pub const MAX_LINKS: usize = 20_000;
pub const MAX_HEADINGS: usize = 5_000;
pub const MAX_IMAGES: usize = 5_000;

impl PageContent {
    /// The end was not read, or read without structure: counts are lower bounds, and absence is not evidence.
    pub fn is_truncated(&self) -> bool {
        self.body_is_truncated() || self.document.parser_limit
    }

    fn body_is_truncated(&self) -> bool {
        self.fetched.truncation == Truncation::AtLimit
    }

    /// Links are also read where the parser kept no structure, up to a limit.
    pub fn links_are_truncated(&self) -> bool {
        self.body_is_truncated() || self.has_too_many_links()
    }

    pub fn has_too_many_links(&self) -> bool {
        self.links.len() >= MAX_LINKS || self.document.links_left_out
    }

    pub fn headings_are_truncated(&self) -> bool {
        self.body_is_truncated() || self.headings.len() >= MAX_HEADINGS
    }

    pub fn images_are_truncated(&self) -> bool {
        self.body_is_truncated() || self.images.len() >= MAX_IMAGES
    }

    pub fn truncation_warnings(&self) -> Vec<String> {
        let all = [
            (self.body_is_truncated(), "bodyCut"),
            (self.document.parser_limit, "parserLimit"),
        ];
        let reached = all.iter().filter(|it| it.0);
        reached.map(|it| it.1.to_owned()).collect()
    }
}
