//! Signed cursors round-trip; unsigned ones are refused.

use crate::SeededRandom;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::AccountId,
    page::{Direction, Page, PageCursor, PageRequest, SortValue},
    shared_key::{KeyPurpose, SharedKey},
};
use web::{
    contract::parameters::Query,
    paging::{PageLimits, Paging},
};

const KNOWN: [&str; 4] = ["limit", "cursor", "sort", "include"];
const LIST: &str = "/projects?tag=a";
const BASE_64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The bytes as a query, and as the position of a valid cursor.
pub(crate) fn check(bytes: &[u8]) {
    let mut chance = SeededRandom::from_bytes(bytes);
    let key = SharedKey::fixed(KeyPurpose::Cursors, [chance.byte(); 32]);
    let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);

    let text = String::from_utf8_lossy(bytes);
    for query in [text.to_string(), format!("cursor={text}")] {
        if let Some(page) = request(&query, 1, LIST, &key, now) {
            assert!(page.after.is_none(), "nobody signed {query:?}");
            assert!((1..=200).contains(&page.limit), "{query:?}");
        }
    }

    let position = position(bytes, &text, &mut chance);
    let ours = cursor(&position, &key, now);
    let read = |cursor: &str, account, list, now| {
        let page = request(&format!("cursor={cursor}"), account, list, &key, now);
        page.and_then(|it| it.after)
    };
    assert_eq!(read(&ours, 1, LIST, now).as_ref(), Some(&position));
    assert_eq!(read(&ours, 2, LIST, now), None, "another account's");
    assert_eq!(read(&ours, 1, "/projects?", now), None, "another list's");
    let later = now + TimeDelta::hours(25);
    assert_eq!(read(&ours, 1, LIST, later), None, "too old");
    let foreign = tamper(&ours, &mut chance);
    if foreign != ours {
        assert_eq!(read(&foreign, 1, LIST, now), None, "{foreign} of {ours}");
    }
}

fn position(bytes: &[u8], text: &str, chance: &mut SeededRandom) -> PageCursor {
    let eight: [u8; 8] = std::array::from_fn(|at| bytes.get(at).copied().unwrap_or_default());
    let real = f64::from_be_bytes(eight);
    let value = match chance.below(4) {
        0 => SortValue::Number(i64::from_be_bytes(eight)),
        1 => SortValue::Text(text.to_owned()),
        2 if real.is_finite() => SortValue::Real(real),
        _ => SortValue::Missing,
    };
    let id = i64::from_be_bytes(chance.next_u64().to_be_bytes());
    PageCursor { value, id }
}

/// With one character changed, removed or added.
fn tamper(ours: &str, chance: &mut SeededRandom) -> String {
    let mut bytes = ours.as_bytes().to_vec();
    let place = chance.below(bytes.len());
    let other = BASE_64[chance.below(BASE_64.len())];
    match chance.below(4) {
        0 => {
            bytes.remove(place);
        }
        1 => bytes.insert(place, other),
        2 => bytes.truncate(place),
        _ => bytes[place] = other,
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn paging<'a>(query: &'a Query, account: i64, list: &'a str) -> Paging<'a, u8> {
    Paging {
        query,
        account: AccountId(account),
        bound_to: list,
        limits: PageLimits {
            default: 50,
            max: 200,
        },
        sorts: &[("createdAt", 1), ("name", 2)],
        default_direction: Direction::Ascending,
    }
}

fn request(
    query: &str,
    account: i64,
    list: &str,
    key: &SharedKey,
    now: DateTime<Utc>,
) -> Option<PageRequest<u8>> {
    let query = Query::parse(query, &KNOWN);
    paging(&query, account, list).request(key, now)
}

fn cursor(position: &PageCursor, key: &SharedKey, now: DateTime<Utc>) -> String {
    let query = Query::parse("", &KNOWN);
    let page = Page::<()> {
        next: Some(position.clone()),
        ..Page::empty()
    };
    let cursor = paging(&query, 1, LIST).next_cursor(&page, key, now);
    cursor.expect("another page follows")
}
