//! The context of a page request: member, URL and services.

use super::PageError;
use crate::contract::parameters::Query;
use crate::paging::{PageLimits, Paging, bound_query};
use crate::services::Services;
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, ProjectId};
use domain::page::{Direction, Page, PageRequest};
use domain::project::Project;
use domain::rights::Right;
use domain::use_cases::sessions::Member;
use std::fmt::Write as _;

pub struct PageContext<'a> {
    pub services: &'a Services,
    pub member: &'a Member,
    pub path: &'a str,
    pub query_string: &'a str,
    pub now: DateTime<Utc>,
}

pub struct ListRequest<S> {
    pub page: PageRequest<S>,
    bound_to: String,
    is_first: bool,
}

impl PageContext<'_> {
    pub fn may(&self, right: Right) -> bool {
        self.member.holds(right)
    }

    /// Fails if the member's role does not hold the right.
    pub fn require(&self, right: Right) -> Result<(), PageError> {
        self.may(right)
            .then_some(())
            .ok_or(PageError::RoleInsufficient(right))
    }

    pub fn account(&self) -> AccountId {
        self.member.account.id
    }

    /// Unknown parameters are ignored.
    pub fn query(&self, known: &[&str]) -> Query {
        Query::parse(self.query_string, known)
    }

    pub async fn project(&self, id: ProjectId) -> Result<Project, PageError> {
        let found = self.services.core.project(self.account(), id).await?;
        found.ok_or(PageError::NotFound)
    }

    /// The list's beginning if the cursor is missing or invalid.
    pub fn list_request<S: Copy>(
        &self,
        query: &Query,
        rows: u32,
        sorts: &[(&'static str, S)],
        direction: Direction,
    ) -> ListRequest<S> {
        let bound_to = bound_query(self.path, self.query_string);
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
        ListRequest {
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
            limits: PageLimits {
                default: rows,
                max: rows,
            },
            sorts,
            default_direction: direction,
        }
    }

    /// URLs of the first and the next page, if any.
    pub fn page_links<S: Copy, T>(
        &self,
        list_request: &ListRequest<S>,
        page: &Page<T>,
    ) -> (Option<String>, Option<String>) {
        let query = self.query(&[]);
        let sorts: [(&'static str, S); 1] = [("", list_request.page.sort)];
        let paging = self.paging(
            &query,
            &list_request.bound_to,
            list_request.page.limit,
            &sorts,
            list_request.page.direction,
        );
        let next = paging.next_cursor(page, &self.services.config.cursor_key, self.now);
        let next = next.map(|cursor| self.url_with(&[("cursor", Some(&cursor))]));
        let first = (!list_request.is_first).then(|| self.url_with(&[("cursor", None)]));
        (first, next)
    }

    /// This page's URL with changed parameters.
    pub fn url_with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let is_kept = |part: &&str| {
            let name = part.split('=').next().unwrap_or_default();
            !part.is_empty() && changes.iter().all(|(changed, _)| *changed != name)
        };
        let mut parts: Vec<String> = self
            .query_string
            .split('&')
            .filter(is_kept)
            .map(str::to_owned)
            .collect();
        for (name, value) in changes {
            if let Some(value) = value {
                parts.push(format!("{name}={}", percent_encode(value)));
            }
        }
        if parts.is_empty() {
            self.path.to_owned()
        } else {
            format!("{}?{}", self.path, parts.join("&"))
        }
    }

    /// URL of this list in another order, from its beginning; and the current order of the column.
    pub fn sort_link(
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
        (
            self.url_with(&[("sort", Some(next)), ("cursor", None)]),
            order,
        )
    }
}

/// Percent-encoding (RFC 3986, 2.1).
pub fn percent_encode(value: &str) -> String {
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
    use super::percent_encode;

    #[test]
    fn query_values_are_percent_encoded() {
        assert_eq!(
            percent_encode("https://a.example/?b=ž&c"),
            "https%3A%2F%2Fa.example%2F%3Fb%3D%C5%BE%26c"
        );
    }
}
