//! Ordinals of records about AI engines within a result: grouped by keyword, one per engine. They
//! are the same in every run, independent of the server's engines, so that records carried over from
//! an earlier run fit between new ones.

use crate::ids::KeywordId;
use crate::ports::ai_answers::{ENGINES, SIMULATED_ENGINES};

/// Ordinals reserved per keyword.
pub const ORDINALS_PER_KEYWORD: i64 = 64;
/// Offset of records about prompts that name the project.
const BRANDED_OFFSET: i64 = ORDINALS_PER_KEYWORD / 2;

/// The ordinal of a record about an engine and a keyword, or about the project itself (`None`).
pub fn ordinal(keyword: Option<KeywordId>, engine: &str, is_branded: bool) -> i64 {
    let [discovery, branded] = engine_offsets(engine);
    let place = if is_branded { branded } else { discovery };
    keyword.map_or(0, |it| it.0) * ORDINALS_PER_KEYWORD + place
}

pub fn engine_offsets(engine: &str) -> [i64; 2] {
    let names = ENGINES.iter().chain(&SIMULATED_ENGINES).map(|it| it.0);
    let place = (0..BRANDED_OFFSET)
        .zip(names)
        .find(|(_, name)| *name == engine);
    let place = place.map_or(BRANDED_OFFSET - 1, |(place, _)| place);
    [place, BRANDED_OFFSET + place]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_engine_has_its_own_ordinals() {
        let names = { ENGINES.iter().chain(&SIMULATED_ENGINES) }.map(|it| it.0);
        let all: Vec<i64> = names.chain(["another"]).flat_map(engine_offsets).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert!(all.iter().all(|it| (0..ORDINALS_PER_KEYWORD).contains(it)));
        let keyword = Some(KeywordId(3));
        assert_eq!(ordinal(keyword, "chatgpt", false), 3 * ORDINALS_PER_KEYWORD);
        assert_eq!(ordinal(None, "chatgpt", true), ORDINALS_PER_KEYWORD / 2);
    }
}
