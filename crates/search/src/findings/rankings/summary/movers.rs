use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::findings::rankings::{ChangeKind, RankingRecord};
use serde::{Deserialize, Serialize};

const MAX_MOVERS: usize = 10;

/// A keyword with a changed rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mover {
    /// The keyword.
    pub keyword_id: Option<i64>,
    /// Its text.
    pub keyword: String,
    /// Its rank; null when it was lost.
    pub position: Option<u32>,
    /// Its previous rank; null when it is new.
    pub previous_position: Option<u32>,
    /// What kind of move it was.
    pub change_kind: ChangeKind,
    /// Clicks per month that the move brought or took.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub clicks_change: Option<f64>,
    /// The same as a share of searches.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub ctr_change: Option<f64>,
    /// By which of the two it is ordered here.
    #[serde(skip)]
    weight: f64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct TopMovers {
    pub winners: Vec<Mover>,
    pub losers: Vec<Mover>,
}

impl TopMovers {
    /// Keeps the record's move if it is among the largest; `None` and 0 are not moves.
    pub(super) fn offer(&mut self, record: &RankingRecord, moved: Option<f64>) {
        let list = match moved {
            Some(moved) if moved > 0.0 => &mut self.winners,
            Some(moved) if moved < 0.0 => &mut self.losers,
            _ => return,
        };
        let weight = moved.map_or(0.0, f64::abs);
        let at =
            list.partition_point(|kept| ranks_before(kept, weight, record.envelope.keyword_id));
        if at < MAX_MOVERS {
            list.insert(at, mover(record, weight));
            list.truncate(MAX_MOVERS);
        }
    }
}

/// Largest first; ties by id, so that the order of records does not matter.
fn ranks_before(kept: &Mover, weight: f64, id: Option<i64>) -> bool {
    kept.weight
        .total_cmp(&weight)
        .reverse()
        .then(kept.keyword_id.cmp(&id))
        .is_lt()
}

fn mover(record: &RankingRecord, weight: f64) -> Mover {
    Mover {
        keyword_id: record.envelope.keyword_id,
        keyword: record.market.keyword.clone(),
        position: record.position,
        previous_position: record.previous_position,
        change_kind: record.change_kind,
        clicks_change: record.clicks_change,
        ctr_change: record.ctr_change,
        weight,
    }
}
