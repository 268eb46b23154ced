//! HTTP client for suppliers: bundled roots, no proxy, no redirects, limits.

use crate::resilience::{CallFailure, Repeat};
use domain::ports::search_results::ProviderError;
use reqwest::{Client, RequestBuilder, Response, StatusCode, header::RETRY_AFTER, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use serde::de::DeserializeOwned;
use std::{sync::Arc, time::Duration};

/// In bytes, decoded.
const MAX_BODY_LENGTH: usize = 20 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct RawResponse {
    pub status: StatusCode,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl RawResponse {
    pub(crate) fn from_stored(body: Vec<u8>) -> Self {
        Self {
            status: StatusCode::OK,
            retry_after: None,
            body,
        }
    }
}

/// Parses JSON. Some suppliers cut texts inside a surrogate pair: the lone half becomes U+FFFD.
pub(crate) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, CallFailure> {
    let read = serde_json::from_slice(body).or_else(|error| match replace_lone_surrogates(body) {
        Some(mended) if error.is_syntax() => serde_json::from_slice(&mended),
        _ => Err(error),
    });
    read.map_err(|error| {
        CallFailure::malformed(if error.is_data() {
            "its fields are not as documented"
        } else {
            "it is not whole JSON"
        })
    })
}

/// Replaces lone surrogate escapes; `None` if there is none.
fn replace_lone_surrogates(body: &[u8]) -> Option<Vec<u8>> {
    let half = |at: usize| -> Option<u16> {
        let escape = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let code = u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()?;
        (0xD800..=0xDFFF).contains(&code).then_some(code)
    };
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < body.len() {
        let steps = match (body[at], half(at)) {
            (_, Some(first)) => {
                let is_pair = first < 0xDC00 && half(at + 6).is_some_and(|it| it >= 0xDC00);
                if !is_pair {
                    let mended = mended.get_or_insert_with(|| body.to_vec());
                    mended[at..at + 6].copy_from_slice(b"\\ufffd");
                }
                if is_pair { 12 } else { 6 }
            }
            // An escaped backslash does not start an escape.
            (b'\\', None) => 2,
            _ => 1,
        };
        at += steps;
    }
    mended
}

/// # Panics
/// Never: all settings are fixed.
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

pub(crate) async fn send_request(request: RequestBuilder) -> Result<RawResponse, CallFailure> {
    let response = request.send().await.map_err(|error| send_failure(&error))?;
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let body = read(response).await?;
    Ok(RawResponse {
        status,
        retry_after,
        body,
    })
}

async fn read(mut response: Response) -> Result<Vec<u8>, CallFailure> {
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| read_failure(&error))?
    {
        if body.len() + chunk.len() > MAX_BODY_LENGTH {
            return Err(CallFailure::malformed("it is longer than 20 MiB"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn send_failure(error: &reqwest::Error) -> CallFailure {
    // The error's own text holds the URL, which may hold a key.
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

fn read_failure(error: &reqwest::Error) -> CallFailure {
    if error.is_timeout() {
        CallFailure {
            error: ProviderError::TimedOut,
            repeat: Repeat::Uncertain,
        }
    } else {
        CallFailure::malformed("it ended before its end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        let read = |text: &str| parse_json::<String>(format!("\"{text}\"").as_bytes()).ok();
        for (text, meant) in [
            ("a\\ud83d\\ude00b", "a\u{1f600}b"),
            ("a\\ud83d", "a\u{fffd}"),
            ("\\ude00a\\ud83dn", "\u{fffd}a\u{fffd}n"),
            ("\\ud83d\\ud83d\\ude00", "\u{fffd}\u{1f600}"),
            ("\\\\ud83d \\ud83d", "\\ud83d \u{fffd}"),
        ] {
            assert_eq!(read(text).as_deref(), Some(meant), "{text}");
        }
        assert_eq!(read("a\\ud8"), None);
        assert!(parse_json::<String>(b"\"\\ud83d").is_err());
    }
}
