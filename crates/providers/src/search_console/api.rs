//! `POST {base}/webmasters/v3/sites/{property}/searchAnalytics/query`: final data of web searches.

use super::service_account::{AccessToken, ServiceAccount};
use super::wire;
use super::wire::{dimensions, error_message, is_rate_limited};
use crate::http_client::send_request;
use crate::resilience::{Billing, CallFailure, Guard, Repeat};
use crate::search::wire_errors::status_failure;
use async_trait::async_trait;
use chrono::NaiveDate;
use domain::ports::clock::Clock;
use domain::ports::page_speed::NotConfigured;
use domain::ports::search_console::{SearchConsole, SearchConsoleError};
use domain::ports::search_results::ProviderError;
use domain::search_console::{DimensionSet, Property, SearchRow, Span};
use reqwest::Client;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::sync::Arc;
use url::Url;

/// Below the API's limit, so that rows with long URLs fit into a response.
const ROWS_PER_REQUEST: u32 = 10_000;

pub(super) struct Api {
    base_url: Url,
    account: ServiceAccount,
    http: Client,
    guard: Guard,
    clock: Arc<dyn Clock>,
}

enum QueryResponse {
    Rows(Vec<wire::Row>),
    Expired,
    /// The account may not read the property, or it does not exist.
    NoAccess,
}

#[derive(Clone, Copy)]
struct RowRange {
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
        part: RowRange,
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
            let question = || self.query_rows(property, &access, &body, part.limit);
            let called = self.guard.call(Billing::Free, question).await;
            match called.map_err(|it| it.error)?.value {
                QueryResponse::Rows(rows) => return Ok(rows),
                QueryResponse::Expired => self.account.forget(&access).await,
                QueryResponse::NoAccess => {
                    return Err(SearchConsoleError::NoAccess {
                        service_account: access.account,
                        property: property.to_string(),
                    });
                }
            }
        }
        Err(ProviderError::Unauthorized.into())
    }

    async fn query_rows(
        &self,
        property: &Property,
        access: &AccessToken,
        body: &Value,
        limit: u32,
    ) -> Result<QueryResponse, CallFailure> {
        let request = self.http.post(self.address(property));
        let request = request.bearer_auth(access.token.expose_secret()).json(body);
        let answer = send_request(request).await?;
        match answer.status.as_u16() {
            200 => wire::rows(&answer.body, limit)
                .map(QueryResponse::Rows)
                .map_err(CallFailure::malformed),
            401 => Ok(QueryResponse::Expired),
            403 if is_rate_limited(&answer) => Err(CallFailure {
                error: ProviderError::RateLimited { retry_after: None },
                repeat: Repeat::Safe,
            }),
            403 | 404 => Ok(QueryResponse::NoAccess),
            _ => Err(status_failure(
                &answer,
                &error_message(&answer),
                self.clock.now(),
            )),
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

fn malformed(reason: &str) -> SearchConsoleError {
    let reason = reason.to_owned();
    ProviderError::Malformed { problem: reason }.into()
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
        let part = RowRange {
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
            return Err(malformed("a row is about a day that was not requested"));
        }
        Ok(days.into_iter().max())
    }

    async fn rows(
        &self,
        property: &Property,
        day: NaiveDate,
        cut: DimensionSet,
        max_rows: u32,
    ) -> Result<Vec<SearchRow>, SearchConsoleError> {
        let dimensions = dimensions(cut);
        let mut rows = Vec::new();
        let mut start = 0;
        while start < max_rows {
            let limit = ROWS_PER_REQUEST.min(max_rows - start);
            let part = RowRange { start, limit };
            let some = self
                .query(property, Span::day(day), &dimensions, part)
                .await?;
            let is_short = some.len() < limit as usize;
            for row in some {
                rows.push(row.into_search_row(cut).map_err(malformed)?);
            }
            start += limit;
            if is_short {
                break;
            }
        }
        Ok(rows)
    }
}
