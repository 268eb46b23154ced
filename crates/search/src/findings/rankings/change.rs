use super::{ChangeKind, EnteredFrom, RankPoint, RankState};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub places: Option<i64>,
    pub kind: ChangeKind,
    pub entered_from: Option<EnteredFrom>,
}

impl Change {
    const fn without_places(kind: ChangeKind) -> Self {
        Self {
            places: None,
            kind,
            entered_from: None,
        }
    }
}

/// `before` is the last successful one. A snapshot too shallow for the other's position proves neither loss nor entry.
pub(super) fn between(before: Option<&RankPoint>, now: &RankPoint) -> Change {
    if now.state == RankState::Error {
        return Change::without_places(ChangeKind::Unknown);
    }
    let Some(before) = before else {
        return Change::without_places(ChangeKind::FirstSeen);
    };
    match (before.position, now.position) {
        (Some(was), Some(is)) => moved(was, is),
        (Some(was), None) if was <= now.depth_checked => Change::without_places(ChangeKind::Lost),
        (None, Some(is)) if is <= before.depth_checked => Change {
            entered_from: Some(EnteredFrom::NotRanked),
            ..Change::without_places(ChangeKind::New)
        },
        (None, None) => Change::without_places(ChangeKind::Same),
        (Some(_), None) | (None, Some(_)) => Change::without_places(ChangeKind::Unknown),
    }
}

fn moved(was: u32, is: u32) -> Change {
    let places = i64::from(was) - i64::from(is);
    let kind = match places {
        1.. => ChangeKind::Up,
        0 => ChangeKind::Same,
        _ => ChangeKind::Down,
    };
    Change {
        places: Some(places),
        kind,
        entered_from: None,
    }
}
