//! The context of a page request: member, URL and services.

use super::NoPage;
use crate::contract::parameters::Query;
use crate::paging::{Limits, Paging, bound_part};
use crate::services::Services;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ProjectId};
use domain::page::{Direction, Page, PageRequest};
use domain::project::Project;
use domain::use_cases::sessions::Member;
use std::fmt::Write as _;

pub struct Visit<'a> {
    pub services: &'a Services,
    pub who: &'a Member,
    pub path: &'a str,
    pub query_text: &'a str,
    pub now: DateTime<Utc>,
}

pub struct Wanted<S> {
    pub page: PageRequest<S>,
    bound_to: String,
    is_first: bool,
}

impl Visit<'_> {
    pub fn account(&self) -> AccountId {
        self.who.account.id
    }

    /// Unknown parameters are ignored.
    pub fn query(&self, known: &[&str]) -> Query {
        Query::parse(self.query_text, known)
    }

    pub async fn project(&self, id: ProjectId) -> Result<Project, NoPage> {
        let found = self.services.core.project(self.account(), id).await?;
        found.ok_or(NoPage::NotFound)
    }

    /// The list's beginning if the cursor is missing or invalid.
    pub fn wanted<S: Copy>(
        &self,
        query: &Query,
        rows: u32,
        sorts: &[(&'static str, S)],
        direction: Direction,
    ) -> Wanted<S> {
        let bound_to = bound_part(self.path, self.query_text);
        let page = self
            .paging(query, &bound_to, rows, sorts, direction)
            .request(&self.services.config.cursor_key, self.now);
        let is_first = page.as_ref().is_none_or(|it| it.after.is_none());
        let page = page.unwrap_or(PageRequest {
            sort: sorts[0].1,
            direction,
            after: None,
            limit: rows,
            counted: false,
            bytes: None,
        });
        Wanted {
            page,
            bound_to,
            is_first,
        }
    }

    fn paging<'q, S: Copy>(
        &self,
        query: &'q Query,
        bound_to: &'q str,
        rows: u32,
        sorts: &'q [(&'static str, S)],
        direction: Direction,
    ) -> Paging<'q, S> {
        Paging {
            query,
            account: self.account(),
            bound_to,
            limits: Limits {
                default: rows,
                most: rows,
            },
            sorts,
            default_direction: direction,
        }
    }

    /// URLs of the first and the next page, if any.
    pub fn around<S: Copy, T>(
        &self,
        wanted: &Wanted<S>,
        page: &Page<T>,
    ) -> (Option<String>, Option<String>) {
        let query = self.query(&[]);
        let sorts: [(&'static str, S); 1] = [("", wanted.page.sort)];
        let paging = self.paging(
            &query,
            &wanted.bound_to,
            wanted.page.limit,
            &sorts,
            wanted.page.direction,
        );
        let next = paging.next_cursor(page, &self.services.config.cursor_key, self.now);
        let next = next.map(|cursor| self.with(&[("cursor", Some(&cursor))]));
        let first = (!wanted.is_first).then(|| self.with(&[("cursor", None)]));
        (first, next)
    }

    /// This page's URL with changed parameters.
    pub fn with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let is_kept = |part: &&str| {
            let name = part.split('=').next().unwrap_or_default();
            !part.is_empty() && changes.iter().all(|(changed, _)| *changed != name)
        };
        let mut parts: Vec<String> = self
            .query_text
            .split('&')
            .filter(is_kept)
            .map(str::to_owned)
            .collect();
        for (name, value) in changes {
            if let Some(value) = value {
                parts.push(format!("{name}={}", encoded(value)));
            }
        }
        if parts.is_empty() {
            self.path.to_owned()
        } else {
            format!("{}?{}", self.path, parts.join("&"))
        }
    }

    /// URL of this list in another order, from its beginning; and the current order of the column.
    pub fn sorted(
        &self,
        query: &Query,
        name: &str,
        default: &str,
    ) -> (String, Option<&'static str>) {
        let now = query.text("sort").unwrap_or(default);
        let down = format!("-{name}");
        let (next, order) = match now {
            _ if now == name => (down.as_str(), Some("ascending")),
            _ if now == down => (name, Some("descending")),
            _ => (name, None),
        };
        (self.with(&[("sort", Some(next)), ("cursor", None)]), order)
    }
}

/// Percent-encoding (RFC 3986, 2.1).
pub fn encoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a `String` never fails.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn values_are_encoded() {
        assert_eq!(
            encoded("https://a.example/?b=ž&c"),
            "https%3A%2F%2Fa.example%2F%3Fb%3D%C5%BE%26c"
        );
    }
}
