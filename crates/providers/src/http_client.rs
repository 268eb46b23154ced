//! The one way to talk HTTP to a supplier: bundled roots, no proxy, no redirects, limits.

use crate::resilience::{CallFailure, Repeat};
use domain::ports::search_results::ProviderError;
use reqwest::{Client, RequestBuilder, Response, StatusCode, header::RETRY_AFTER, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use serde::de::DeserializeOwned;
use std::{sync::Arc, time::Duration};

/// No answer of a supplier is longer than this, decoded.
const LONGEST_BODY: usize = 20 * 1024 * 1024;

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: StatusCode,
    /// The header's text, as it came.
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl Answer {
    /// An answer that came before and was kept.
    pub(crate) fn kept(body: Vec<u8>) -> Self {
        Self {
            status: StatusCode::OK,
            retry_after: None,
            body,
        }
    }
}

/// Reads JSON of the documented shape.
pub(crate) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, CallFailure> {
    serde_json::from_slice(body).map_err(|error| {
        CallFailure::malformed(if error.is_data() {
            "its fields are not as documented"
        } else {
            "it is not whole JSON"
        })
    })
}

/// Builds a client.
///
/// # Panics
/// Never: everything that could fail is fixed here.
pub(crate) fn client(connect_timeout: Duration) -> Client {
    Client::builder()
        .tls_backend_preconfigured(tls())
        .connect_timeout(connect_timeout)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("sightline/", env!("CARGO_PKG_VERSION")))
        .build()
        .expect("the fixed settings make a client")
}

fn tls() -> ClientConfig {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows the default protocol versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

/// Sends a request and reads the answer, whatever its status.
pub(crate) async fn ask(request: RequestBuilder) -> Result<Answer, CallFailure> {
    let response = request.send().await.map_err(|error| unanswered(&error))?;
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let body = read(response).await?;
    Ok(Answer {
        status,
        retry_after,
        body,
    })
}

async fn read(mut response: Response) -> Result<Vec<u8>, CallFailure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unread(&error))? {
        if body.len() + chunk.len() > LONGEST_BODY {
            return Err(CallFailure::malformed("it is longer than 20 MiB"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn unanswered(error: &reqwest::Error) -> CallFailure {
    // The error's own text holds the URL, and a URL may hold a key.
    if error.is_connect() {
        CallFailure {
            error: ProviderError::Unavailable,
            repeat: Repeat::Safe,
        }
    } else if error.is_timeout() {
        CallFailure {
            error: ProviderError::TimedOut,
            repeat: Repeat::Uncertain,
        }
    } else {
        CallFailure {
            error: ProviderError::Unavailable,
            repeat: Repeat::Uncertain,
        }
    }
}

fn unread(error: &reqwest::Error) -> CallFailure {
    if error.is_timeout() {
        CallFailure {
            error: ProviderError::TimedOut,
            repeat: Repeat::Uncertain,
        }
    } else {
        CallFailure::malformed("it ended before its end")
    }
}
