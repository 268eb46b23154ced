//! `POST {base}/webmasters/v3/sites/{property}/searchAnalytics/query`: final data of web searches.

use super::service_account::{Access, ServiceAccount};
use super::wire;
use super::wire::{dimensions, is_too_much, said};
use crate::http_client::ask;
use crate::resilience::{Billing, CallFailure, Guard, Repeat};
use crate::search::wire_errors::by_status;
use async_trait::async_trait;
use chrono::NaiveDate;
use domain::ports::clock::Clock;
use domain::ports::page_speed::NotConfigured;
use domain::ports::search_console::{SearchConsole, SearchConsoleError};
use domain::ports::search_results::ProviderError;
use domain::search_console::{Cut, Property, SearchRow, Span};
use reqwest::Client;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::sync::Arc;
use url::Url;

/// Below the API's limit, so that rows with long URLs fit into a response.
const PAGE: u32 = 10_000;

pub(super) struct Api {
    base_url: Url,
    account: ServiceAccount,
    http: Client,
    guard: Guard,
    clock: Arc<dyn Clock>,
}

enum Told {
    Rows(Vec<wire::Row>),
    Expired,
    /// The account may not read the property, or it does not exist.
    NoAccess,
}

#[derive(Clone, Copy)]
struct Part {
    start: u32,
    limit: u32,
}

impl Api {
    pub fn new(
        base_url: Url,
        account: ServiceAccount,
        http: Client,
        guard: Guard,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            base_url,
            account,
            http,
            guard,
            clock,
        }
    }

    async fn query(
        &self,
        property: &Property,
        span: Span,
        dimensions: &[&str],
        part: Part,
    ) -> Result<Vec<wire::Row>, SearchConsoleError> {
        let body = json!({
            "startDate": span.first,
            "endDate": span.last,
            "dimensions": dimensions,
            "type": "web",
            "dataState": "final",
            "rowLimit": part.limit,
            "startRow": part.start,
        });
        // Retries once with a new token if it was revoked early.
        for _ in 0..2 {
            let access = self.account.access().await?;
            let question = || self.ask(property, &access, &body, part.limit);
            let called = self.guard.call(Billing::Free, question).await;
            match called.map_err(|it| it.error)?.value {
                Told::Rows(rows) => return Ok(rows),
                Told::Expired => self.account.forget(&access).await,
                Told::NoAccess => {
                    return Err(SearchConsoleError::NoAccess {
                        who: access.who,
                        property: property.to_string(),
                    });
                }
            }
        }
        Err(ProviderError::Unauthorised.into())
    }

    async fn ask(
        &self,
        property: &Property,
        access: &Access,
        body: &Value,
        limit: u32,
    ) -> Result<Told, CallFailure> {
        let request = self.http.post(self.address(property));
        let request = request.bearer_auth(access.token.expose_secret()).json(body);
        let answer = ask(request).await?;
        match answer.status.as_u16() {
            200 => wire::rows(&answer.body, limit)
                .map(Told::Rows)
                .map_err(CallFailure::malformed),
            401 => Ok(Told::Expired),
            403 if is_too_much(&answer) => Err(CallFailure {
                error: ProviderError::RateLimited { retry_after: None },
                repeat: Repeat::Safe,
            }),
            403 | 404 => Ok(Told::NoAccess),
            _ => Err(by_status(&answer, &said(&answer), self.clock.now())),
        }
    }

    fn address(&self, property: &Property) -> Url {
        let mut address = self.base_url.clone();
        if let Ok(mut path) = address.path_segments_mut() {
            let parts = ["webmasters", "v3", "sites", property.as_str()];
            path.pop_if_empty().extend(parts);
            path.extend(["searchAnalytics", "query"]);
        }
        address
    }
}

fn malformed(what: &str) -> SearchConsoleError {
    let what = what.to_owned();
    ProviderError::Malformed { what }.into()
}

#[async_trait]
impl SearchConsole for Api {
    fn missing(&self) -> Option<NotConfigured> {
        self.account.missing()
    }

    async fn last_final_day(
        &self,
        property: &Property,
        among: Span,
    ) -> Result<Option<NaiveDate>, SearchConsoleError> {
        let part = Part {
            start: 0,
            limit: 1_000,
        };
        let rows = self.query(property, among, &["date"], part).await?;
        let days = rows.iter().map(wire::Row::day);
        let days = days.collect::<Result<Vec<_>, _>>().map_err(malformed)?;
        if days
            .iter()
            .any(|day| *day < among.first || *day > among.last)
        {
            return Err(malformed("a row is about a day that was not asked for"));
        }
        Ok(days.into_iter().max())
    }

    async fn rows(
        &self,
        property: &Property,
        day: NaiveDate,
        cut: Cut,
        most: u32,
    ) -> Result<Vec<SearchRow>, SearchConsoleError> {
        let dimensions = dimensions(cut);
        let mut rows = Vec::new();
        let mut start = 0;
        while start < most {
            let limit = PAGE.min(most - start);
            let part = Part { start, limit };
            let some = self
                .query(property, Span::day(day), &dimensions, part)
                .await?;
            let is_short = some.len() < limit as usize;
            for row in some {
                rows.push(row.of(cut).map_err(malformed)?);
            }
            start += limit;
            if is_short {
                break;
            }
        }
        Ok(rows)
    }
}
