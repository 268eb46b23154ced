//! Paging of lists: limits, sort orders and signed cursors.

use crate::contract::parameters::Query;
use crate::contract::{Parameter, ParameterType, string_enums};
use crate::http::byte_budget::MAX_BYTES;
use crate::problem::{FieldError, Problem};
use crate::selection::Selectable;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::AccountId;
use domain::page::{Direction, Page, PageCursor, PageRequest, SortValue};
use domain::shared_key::SharedKey;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const CURSOR_LIFETIME: TimeDelta = TimeDelta::hours(24);
const TAG_LENGTH: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    pub default: u32,
    /// Larger values become this.
    pub max: u32,
}

/// Paging parameters of a list.
pub fn page_parameters(limits: PageLimits) -> [Parameter; 2] {
    [
        parameter(
            "limit",
            "Rows at the most; more than the maximum is taken as the maximum.",
            json!({ "type": "integer", "minimum": 1, "default": limits.default }),
        ),
        parameter(
            "cursor",
            "Where to go on: nextCursor of the page before, within 24 hours.",
            json!({ "type": "string", "minLength": 1, "maxLength": 2_048, "pattern": "^[A-Za-z0-9_-]+$" }),
        ),
    ]
}

analysis::wire_enum! {
    #[derive(Clone, Copy)]
    enum Included {
        Total = "total",
    }
}
string_enums!(Included);

/// Requests a row count.
pub fn total_parameter() -> [Parameter; 1] {
    [parameter(
        "include",
        "total: also count the rows of all pages, up to 10,000.",
        <Included as ParameterType>::schema(),
    )]
}

/// Selects a sort order.
pub fn sort_parameter<S>(sorts: &[(&'static str, S)], description: &'static str) -> [Parameter; 1] {
    let both: Vec<String> = { sorts.iter() }
        .flat_map(|(name, _)| [(*name).to_owned(), format!("-{name}")])
        .collect();
    let schema = json!({ "type": "string", "enum": both });
    [parameter("sort", description, schema)]
}

/// Selects members.
pub fn fields_parameter(of: &Selectable) -> [Parameter; 1] {
    let name = of.paths.join("|").replace('.', r"\.");
    [parameter(
        "fields",
        "Only these members, separated by commas, nested ones with dots, also inside of lists; the id is always there.",
        json!({ "type": "string", "maxLength": 1_000, "pattern": format!("^ *({name}) *(, *({name}) *)*$") }),
    )]
}

const fn parameter(name: &'static str, description: &'static str, schema: Value) -> Parameter {
    Parameter {
        name,
        description,
        required: false,
        schema,
    }
}

pub struct Paging<'a, S> {
    pub query: &'a Query,
    pub account: AccountId,
    /// Query parameters that a cursor is bound to, as sent.
    pub bound_to: &'a str,
    pub limits: PageLimits,
    /// Sort orders by name; the first is the default.
    pub sorts: &'a [(&'static str, S)],
    /// Of the default order.
    pub default_direction: Direction,
}

impl<S: Copy> Paging<'_, S> {
    pub fn request(&self, key: &SharedKey, now: DateTime<Utc>) -> Option<PageRequest<S>> {
        // All three are read first, so that all errors are reported at once.
        let sort = self.sort();
        let limit = self.limit();
        let after = match self.query.text("cursor") {
            None => Some(None),
            Some(text) => self.position(text, key, now).map(Some),
        };
        let counted = self.wants_total();
        let (sort, direction) = sort?;
        Some(PageRequest {
            sort,
            direction,
            after: after?,
            limit: limit?,
            counted,
            bytes: Some(MAX_BYTES),
        })
    }

    /// Adds an error for an invalid number.
    pub fn limit(&self) -> Option<u32> {
        let Some(text) = self.query.text("limit") else {
            return Some(self.limits.default);
        };
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // An overflow is above the maximum as well.
        let number: u64 = if is_plain {
            text.parse().unwrap_or(u64::MAX)
        } else {
            0
        };
        if number == 0 {
            self.query.note(
                FieldError::in_query("limit", "invalid-value", "must be a positive integer")
                    .with("min", 1),
            );
            return None;
        }
        Some(
            u32::try_from(number)
                .unwrap_or(u32::MAX)
                .min(self.limits.max),
        )
    }

    fn sort(&self) -> Option<(S, Direction)> {
        let Some(text) = self.query.text("sort") else {
            return self
                .sorts
                .first()
                .map(|(_, sort)| (*sort, self.default_direction));
        };
        let (name, direction) = text
            .strip_prefix('-')
            .map_or((text, Direction::Ascending), |name| {
                (name, Direction::Descending)
            });
        let found = self.sorts.iter().find(|(known, _)| *known == name);
        if found.is_none() {
            let names: Vec<&str> = self.sorts.iter().map(|(known, _)| *known).collect();
            let rule = format!("must be one of {}; a leading - reverses", names.join(", "));
            self.query.note(
                FieldError::in_query("sort", "invalid-value", rule).with_allowed(&names, name),
            );
        }
        found.map(|(_, sort)| (*sort, direction))
    }

    fn wants_total(&self) -> bool {
        self.query.word::<Included>("include").is_some()
    }

    fn position(&self, text: &str, key: &SharedKey, now: DateTime<Utc>) -> Option<PageCursor> {
        let found = read_cursor(text, key, self.binding(), now);
        if found.is_none() {
            let rule = "is not a cursor of this list with these parameters, or is older than 24 hours: begin again without it";
            self.query
                .note(FieldError::in_query("cursor", "invalid-cursor", rule));
        }
        found
    }

    /// `None` on the last page.
    pub fn next_cursor<T>(
        &self,
        page: &Page<T>,
        key: &SharedKey,
        now: DateTime<Utc>,
    ) -> Option<String> {
        let position = page.next.as_ref()?;
        Some(write_cursor(position, key, self.binding(), now))
    }

    fn binding(&self) -> [u8; 8] {
        let mut hash = Sha256::new();
        hash.update(self.account.0.to_be_bytes());
        hash.update(self.bound_to.as_bytes());
        let digest = hash.finalize();
        std::array::from_fn(|at| digest[at])
    }
}

/// Query parameters that a cursor is bound to: all but cursor, limit, fields and include.
pub fn bound_query(path: &str, query: &str) -> String {
    let mut parts: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).collect();
    parts.retain(|part| {
        !["cursor=", "limit=", "fields=", "include="]
            .iter()
            .any(|free| part.starts_with(free))
    });
    parts.sort_unstable();
    format!("{path}?{}", parts.join("&"))
}

#[derive(Serialize, Deserialize)]
struct Wire {
    v: WireValue,
    i: i64,
    t: i64,
    b: [u8; 8],
}

#[derive(Serialize, Deserialize)]
enum WireValue {
    N(i64),
    T(String),
    R(f64),
    M,
}

fn write_cursor(
    position: &PageCursor,
    key: &SharedKey,
    binding: [u8; 8],
    now: DateTime<Utc>,
) -> String {
    let value = match &position.value {
        SortValue::Number(number) => WireValue::N(*number),
        SortValue::Text(text) => WireValue::T(text.clone()),
        SortValue::Real(real) => WireValue::R(*real),
        SortValue::Missing => WireValue::M,
    };
    let wire = Wire {
        v: value,
        i: position.id,
        t: now.timestamp(),
        b: binding,
    };
    let mut bytes = serde_json::to_vec(&wire).unwrap_or_default();
    let tag = sign(&key.signing(now), &bytes);
    bytes.extend_from_slice(&tag);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read_cursor(
    text: &str,
    key: &SharedKey,
    binding: [u8; 8],
    now: DateTime<Utc>,
) -> Option<PageCursor> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_LENGTH)?)?;
    if !key.accepts(now, |it| mac(it, body).verify_truncated_left(tag).is_ok()) {
        return None;
    }
    let wire: Wire = serde_json::from_slice(body).ok()?;
    let made_at = DateTime::from_timestamp(wire.t, 0)?;
    if wire.b != binding || made_at + CURSOR_LIFETIME < now {
        return None;
    }
    let value = match wire.v {
        WireValue::N(number) => SortValue::Number(number),
        WireValue::T(text) => SortValue::Text(text),
        WireValue::R(real) => SortValue::Real(real),
        WireValue::M => SortValue::Missing,
    };
    Some(PageCursor { value, id: wire.i })
}

fn mac(key: &[u8; 32], body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(body);
    mac
}

fn sign(key: &[u8; 32], body: &[u8]) -> [u8; TAG_LENGTH] {
    let tag = mac(key, body).finalize().into_bytes();
    std::array::from_fn(|at| tag[at])
}

/// Fails with the errors of the query.
pub fn finish_query<T>(page: Option<T>, query: &Query) -> Result<T, Problem> {
    query.finish()?;
    page.ok_or_else(|| Problem::invalid(vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SharedKey {
        SharedKey::fixed(domain::shared_key::KeyPurpose::Cursors, [byte; 32])
    }
    const SORTS: [(&str, u8); 2] = [("createdAt", 1), ("name", 2)];

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).unwrap()
    }

    fn paging<'a>(query: &'a Query, account: i64, bound_to: &'a str) -> Paging<'a, u8> {
        Paging {
            query,
            account: AccountId(account),
            bound_to,
            limits: PageLimits {
                default: 50,
                max: 200,
            },
            sorts: &SORTS,
            default_direction: Direction::Ascending,
        }
    }

    fn read(
        text: &str,
        account: i64,
        bound_to: &str,
        now: DateTime<Utc>,
    ) -> Option<PageRequest<u8>> {
        let query = Query::parse(text, &["limit", "cursor", "sort"]);
        paging(&query, account, bound_to).request(&key(7), now)
    }

    fn cursor() -> String {
        let query = Query::parse("", &[]);
        let position = PageCursor {
            value: SortValue::Text("žluť".into()),
            id: 42,
        };
        let page = Page::<()> {
            next: Some(position),
            ..Page::empty()
        };
        let paging = paging(&query, 1, "/p?tag=a");
        paging.next_cursor(&page, &key(7), now()).unwrap()
    }

    #[test]
    fn a_cursor_decodes_to_its_row() {
        let page = read(&format!("cursor={}", cursor()), 1, "/p?tag=a", now()).unwrap();
        assert_eq!(
            page.after.unwrap(),
            PageCursor {
                value: SortValue::Text("žluť".into()),
                id: 42
            }
        );
    }

    #[test]
    fn foreign_expired_and_forged_cursors_are_refused() {
        let text = format!("cursor={}", cursor());
        assert!(read(&text, 2, "/p?tag=a", now()).is_none());
        assert!(read(&text, 1, "/p?tag=b", now()).is_none());
        assert!(read(&text, 1, "/p?tag=a", now() + TimeDelta::hours(25)).is_none());
        for at in 0..cursor().len() {
            let mut bytes = cursor().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let tampered = String::from_utf8(bytes).unwrap();
            if tampered != cursor() {
                assert!(
                    read(&format!("cursor={tampered}"), 1, "/p?tag=a", now()).is_none(),
                    "{tampered}"
                );
            }
        }
    }

    #[test]
    fn limits_are_clamped_above_and_refused_below() {
        let limit = |text: &str| read(text, 1, "", now()).map(|page| page.limit);
        assert_eq!(
            (limit(""), limit("limit=7"), limit("limit=201")),
            (Some(50), Some(7), Some(200))
        );
        assert_eq!(limit("limit=99999999999999999999999"), Some(200));
        for wrong in ["limit=0", "limit=-1", "limit=x", "limit=", "limit=1.5"] {
            assert_eq!(limit(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_leading_minus_reverses() {
        let page = read("sort=-name", 1, "", now()).unwrap();
        assert_eq!((page.sort, page.direction), (2, Direction::Descending));
        assert!(read("sort=size", 1, "", now()).is_none());
    }

    #[test]
    fn a_cursor_is_bound_to_filters_and_not_to_size() {
        assert_eq!(
            bound_query("/p", "limit=5&tag=a&cursor=x&sort=name"),
            "/p?sort=name&tag=a"
        );
    }
}
