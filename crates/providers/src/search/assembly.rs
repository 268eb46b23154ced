use super::result_page::{Overview, PlacedBlock, ResultPage};
use analysis::observation::search_page::{
    AiOverview, Block, BlockContent, Feature, FeatureBlock, SearchPage,
};
use analysis::url_rules::page_key;
use std::collections::HashSet;

/// Warning code: an AI Overview was present and could not be read.
const OVERVIEW_UNREAD: &str = "aiOverviewUnread";

/// Joins result pages and numbers organic positions across them.
pub(super) struct Assembly {
    pub page: SearchPage,
    depth: u32,
    seen: HashSet<String>,
    position: u32,
}

impl Assembly {
    pub(super) fn new(page: SearchPage, depth: u32) -> Self {
        Self {
            page,
            depth: depth.max(1),
            seen: HashSet::new(),
            position: 0,
        }
    }

    /// Returns whether another page is wanted and can be expected.
    pub(super) fn add_page(&mut self, results: ResultPage, number: u32) -> bool {
        let before = self.position;
        if number == 1 {
            self.page.total_results_estimate = results.total;
            self.add_overview(results.overview);
        }
        for placed in results.blocks {
            self.add(placed, number);
        }
        for related in results.related {
            if !self.page.related.contains(&related) {
                self.page.related.push(related);
            }
        }
        before < self.position && self.position < self.depth
    }

    pub(super) fn warn(&mut self, code: &str) {
        self.page.warnings.push(code.to_owned());
    }

    /// An unreadable overview is recorded as present; whether it cites the own site is unknown.
    fn add_overview(&mut self, overview: Overview) {
        self.page.ai_overview = match overview {
            Overview::Unknown => None,
            Overview::Absent => Some(AiOverview::absent()),
            Overview::Read(overview) => Some(overview),
            Overview::Unread(absolute) => return self.note_unread(absolute),
            Overview::Announced(_) => return self.note_unread(None),
        }
    }

    fn note_unread(&mut self, absolute: Option<u32>) {
        self.warn(OVERVIEW_UNREAD);
        let seen = FeatureBlock {
            feature: Feature::AiOverview,
            title: None,
            text: None,
            links: Vec::new(),
        };
        let placed = PlacedBlock {
            absolute,
            ..PlacedBlock::feature(seen)
        };
        self.add(placed, 1);
    }

    /// Engines repeat results across pages; a repetition has no position.
    fn add(&mut self, placed: PlacedBlock, number: u32) {
        let PlacedBlock {
            absolute,
            page,
            mut content,
        } = placed;
        if let BlockContent::Organic(result) = &mut content {
            if self.position >= self.depth || !self.seen.insert(page_key(&result.url)) {
                return;
            }
            self.position += 1;
            result.position = self.position;
        }
        self.page.blocks.push(Block {
            absolute_position: absolute,
            page: page.unwrap_or(number),
            content,
        });
    }
}
