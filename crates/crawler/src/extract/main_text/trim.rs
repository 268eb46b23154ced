//! Leaves out of the article what only leads elsewhere.

use super::{BlockKind, blocks::Draft, sight::{Sight, share}};
use crate::extract::dom::NodeId;

/// The numbers of the blocks that are kept.
pub fn trim(sight: &Sight, drafts: &[Draft], chosen: &Option<NodeId>) -> Vec<usize> {
    let inside = |draft: &Draft| match chosen {
        None => true,
        Some(top) => draft.node == *top || sight.dom.ancestors(draft.node).any(|it| it == *top),
    };
    let mut kept: Vec<usize> = (0..drafts.len()).filter(|it| inside(&drafts[*it])).collect();
    kept.retain(|it| {
        let draft = &drafts[*it];
        matches!(draft.kind, BlockKind::Heading(_)) || share(draft.linked, draft.characters) < 0.6
    });
    kept
}
