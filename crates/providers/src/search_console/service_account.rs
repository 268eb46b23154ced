//! Service account: its key signs assertions (RS256) for access tokens. Key and tokens are sent only to Google.

use super::wire::error_message;
use crate::http_client::send_request;
use crate::resilience::{Billing, CallFailure, Guard};
use crate::search::wire_errors::{redact, status_failure};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ports::{
    clock::Clock, page_speed::NotConfigured, search_console::SearchConsoleError,
    search_results::ProviderError,
};
use reqwest::Client;
use rustls::SignatureScheme;
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Mutex;
use url::Url;

const SCOPE: &str = "https://www.googleapis.com/auth/webmasters.readonly";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// The maximum that Google accepts.
const ASSERTION_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// A token that expires sooner is not used.
const EXPIRY_MARGIN: TimeDelta = TimeDelta::minutes(1);
const MAX_KEY_LENGTH: u64 = 64 * 1024;

pub(super) struct ServiceAccount {
    key_file: Option<PathBuf>,
    token_url: Url,
    http: Client,
    guard: Guard,
    clock: Arc<dyn Clock>,
    token: Mutex<Option<AccessToken>>,
}

#[derive(Clone)]
pub(super) struct AccessToken {
    pub token: SecretString,
    pub account: String,
    expires_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct KeyFile {
    #[serde(rename = "type")]
    kind: String,
    client_email: String,
    #[serde(deserialize_with = "secret")]
    private_key: SecretString,
    private_key_id: Option<String>,
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    typ: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'a str>,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    scope: &'a str,
    aud: &'a str,
    iat: i64,
    exp: i64,
}

#[derive(Deserialize)]
struct TokenResponse {
    #[serde(deserialize_with = "secret")]
    access_token: SecretString,
    expires_in: i64,
}

impl KeyFile {
    async fn read(path: &Path) -> Result<Self, NotConfigured> {
        let unusable = |reason: &str| {
            NotConfigured {
            missing: format!("the key file {} {reason}", path.display()),
            remedy: "download the key of the service account again, as JSON, and set search_console.key_file to its path".to_owned(),
        }
        };
        let size = tokio::fs::metadata(path).await;
        let size = size.map_err(|error| unusable(&format!("cannot be read ({})", error.kind())))?;
        if !size.is_file() || size.len() > MAX_KEY_LENGTH {
            return Err(unusable("is no key of a service account"));
        }
        let text = tokio::fs::read(path).await;
        let text = text.map_err(|error| unusable(&format!("cannot be read ({})", error.kind())))?;
        // The parser's message may quote the file.
        let key: Self = serde_json::from_slice(&text)
            .map_err(|_| unusable("is no key of a service account"))?;
        if key.kind != "service_account" {
            return Err(unusable(
                "is the key of something else than a service account",
            ));
        }
        Ok(key)
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, NotConfigured> {
        sign(&self.private_key, message).ok_or_else(|| NotConfigured {
            missing: "the private key in the key file is not an RSA key".to_owned(),
            remedy: "download the key of the service account again, as JSON".to_owned(),
        })
    }
}

/// E-mail address that property owners must authorize; an error if the key cannot sign.
pub async fn account_email(key_file: &Path) -> Result<String, NotConfigured> {
    let key = KeyFile::read(key_file).await?;
    key.sign(b"")?;
    Ok(key.client_email)
}

fn secret<'de, D: Deserializer<'de>>(from: D) -> Result<SecretString, D::Error> {
    String::deserialize(from).map(Into::into)
}

impl ServiceAccount {
    pub fn new(
        key_file: Option<PathBuf>,
        token_url: Url,
        http: Client,
        guard: Guard,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            key_file,
            token_url,
            http,
            guard,
            clock,
            token: Mutex::new(None),
        }
    }

    /// `None` if a key is configured.
    pub fn missing(&self) -> Option<NotConfigured> {
        self.key_file.is_none().then(|| NotConfigured {
            missing: "no service account for Search Console is configured".to_owned(),
            remedy: "make a service account in Google Cloud, allow it the Search Console API, and name the file of its key in search_console.key_file".to_owned(),
        })
    }

    /// A valid token, cached if possible.
    pub async fn access(&self) -> Result<AccessToken, SearchConsoleError> {
        let mut cached = self.token.lock().await;
        let now = self.clock.now();
        if let Some(access) = cached
            .as_ref()
            .filter(|it| it.expires_at > now + EXPIRY_MARGIN)
        {
            return Ok(access.clone());
        }
        let key = self.key().await?;
        let assertion = self.assertion(&key, now)?;
        let called = self.guard.call(Billing::Free, || self.exchange(&assertion));
        let granted = called.await.map_err(|it| it.error)?.value;
        let access = AccessToken {
            token: granted.access_token,
            account: key.client_email,
            expires_at: now + TimeDelta::seconds(granted.expires_in.clamp(0, 86_400)),
        };
        *cached = Some(access.clone());
        Ok(access)
    }

    pub async fn forget(&self, refused: &AccessToken) {
        let mut cached = self.token.lock().await;
        let is_same = |it: &AccessToken| it.token.expose_secret() == refused.token.expose_secret();
        if cached.as_ref().is_some_and(is_same) {
            *cached = None;
        }
    }

    async fn key(&self) -> Result<KeyFile, SearchConsoleError> {
        let Some(path) = &self.key_file else {
            let missing = self.missing();
            return Err(missing.map_or(ProviderError::Unauthorized.into(), Into::into));
        };
        Ok(KeyFile::read(path).await?)
    }

    fn assertion(
        &self,
        key: &KeyFile,
        now: DateTime<Utc>,
    ) -> Result<SecretString, SearchConsoleError> {
        let claims = Claims {
            iss: &key.client_email,
            scope: SCOPE,
            aud: self.token_url.as_str(),
            iat: now.timestamp(),
            exp: (now + ASSERTION_LIFETIME).timestamp(),
        };
        let header = Header {
            alg: "RS256",
            typ: "JWT",
            kid: key.private_key_id.as_deref(),
        };
        let signed = format!("{}.{}", encode_part(&header), encode_part(&claims));
        let signature = key.sign(signed.as_bytes())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)).into())
    }

    async fn exchange(&self, assertion: &SecretString) -> Result<TokenResponse, CallFailure> {
        let form = [
            ("grant_type", GRANT),
            ("assertion", assertion.expose_secret()),
        ];
        let answer = send_request(self.http.post(self.token_url.clone()).form(&form)).await?;
        if answer.status.is_success() {
            let granted = serde_json::from_slice(&answer.body);
            return granted.map_err(|_| CallFailure::malformed("it holds no access token"));
        }
        let message = redact(assertion.expose_secret(), &error_message(&answer));
        // A revoked key comes with status 400.
        if message.contains("invalid_grant") || message.contains("invalid_client") {
            return Err(CallFailure::pointless(ProviderError::Unauthorized));
        }
        Err(status_failure(&answer, &message, self.clock.now()))
    }
}

/// A JWT part (RFC 7515): JSON in base64.
fn encode_part(of: &impl Serialize) -> String {
    let json = serde_json::to_vec(of).expect("text and numbers are JSON");
    URL_SAFE_NO_PAD.encode(json)
}

/// RS256 signature; `None` if the PEM holds no RSA key.
fn sign(pem: &SecretString, message: &[u8]) -> Option<Vec<u8>> {
    let key = PrivateKeyDer::from_pem_slice(pem.expose_secret().as_bytes()).ok()?;
    let key = any_supported_type(&key).ok()?;
    let signer = key.choose_scheme(&[SignatureScheme::RSA_PKCS1_SHA256])?;
    signer.sign(message).ok()
}
