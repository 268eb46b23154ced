use crate::{
    Address, Limits, Settings, Token, envelope::Id, event_stream::EventStream, failure::Failure,
    headers, http_client, message::Message, refusal, reply::Reply,
};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Client, Response};
use std::{error::Error, ops::Deref, time::Duration};
use tokio::{sync::mpsc::Sender, time::timeout};

/// How long to read the rest of a stream after its response.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Characters of a redirect's target that are reported.
const MAX_LOCATION_CHARS: usize = 200;

#[derive(Debug)]
pub(crate) struct Exchange {
    client: Client,
    address: Address,
    token: Token,
    bearer: HeaderValue,
    limits: Limits,
}

impl Exchange {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            client: http_client::client(settings),
            address: settings.address.clone(),
            token: settings.token.clone(),
            bearer: settings.token.bearer(),
            limits: settings.limits,
        }
    }

    /// Sends a request and returns its response on one line. Messages before it go to `out` at once.
    pub(crate) async fn send_request(
        &self,
        message: &Message,
        id: &Id,
        version: Option<&str>,
        out: &Sender<String>,
    ) -> String {
        match self.try_request(message, id, version, out).await {
            Ok(answer) => answer,
            Err(failure) => failure.to_response(Some(id)),
        }
    }

    /// Sends a message that has no response. The error text does not contain the token.
    pub(crate) async fn send_notification(
        &self,
        message: &Message,
        version: Option<&str>,
    ) -> Result<(), String> {
        let sent = async {
            let response = self.post(message, version).await?;
            if response.status().is_success() {
                drain(response);
                return Ok(());
            }
            self.refusal(response, None).await.map(drop)
        };
        let result: Result<(), Failure> = sent.await;
        result.map_err(|failure| self.token.redact(failure.message))
    }

    async fn try_request(
        &self,
        message: &Message,
        id: &Id,
        version: Option<&str>,
        out: &Sender<String>,
    ) -> Result<String, Failure> {
        let response = self.post(message, version).await?;
        if !response.status().is_success() {
            return self.refusal(response, Some(id)).await;
        }
        if media_type(&response) == "text/event-stream" {
            return self.read_stream(response, id, out).await;
        }
        let body = self.body(response).await?;
        match Reply::read(&body, id) {
            Some(Reply::Response(answer)) => Ok(answer),
            _ => Err(self.invalid_response()),
        }
    }

    async fn post(&self, message: &Message, version: Option<&str>) -> Result<Response, Failure> {
        let request = self
            .client
            .post(self.address.endpoint().clone())
            .headers(headers::for_message(message, version))
            .header(AUTHORIZATION, self.bearer.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.text.clone());
        let sent = timeout(self.limits.idle_timeout, request.send()).await;
        sent.map_err(|_| self.timeout_failure())?
            .map_err(|error| self.connection_failure(&error))
    }

    async fn refusal(&self, response: Response, id: Option<&Id>) -> Result<String, Failure> {
        let status = response.status();
        if status.is_redirection() {
            return Err(self.redirect_failure(&response));
        }
        let kind = media_type(&response);
        let body = self.body(response).await?;
        refusal::read(status, &kind, &body, id)
    }

    async fn read_stream(
        &self,
        mut response: Response,
        id: &Id,
        out: &Sender<String>,
    ) -> Result<String, Failure> {
        let mut events = EventStream::new(self.limits.max_response_bytes);
        while let Some(bytes) = self.chunk(&mut response).await? {
            for event in events.feed(&bytes).map_err(|_| self.response_too_large())? {
                match Reply::read(&event, id) {
                    Some(Reply::Response(answer)) => {
                        drain(response);
                        return Ok(answer);
                    }
                    // If the reader is gone, the bridge is about to end.
                    Some(Reply::ServerMessage(line)) => drop(out.send(line).await),
                    Some(Reply::Unrelated) => {
                        tracing::debug!("An answer to no question is left out.");
                    }
                    None => return Err(self.invalid_response()),
                }
            }
        }
        Err(self.incomplete_response("it ended before the answer"))
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        while let Some(bytes) = self.chunk(&mut response).await? {
            if body.len() + bytes.len() > self.limits.max_response_bytes {
                return Err(self.response_too_large());
            }
            body.extend_from_slice(&bytes);
        }
        Ok(body)
    }

    async fn chunk(
        &self,
        response: &mut Response,
    ) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Failure> {
        let read = timeout(self.limits.idle_timeout, response.chunk()).await;
        read.map_err(|_| self.timeout_failure())?
            .map_err(|error| self.incomplete_response(&root_cause(&error)))
    }

    fn connection_failure(&self, error: &reqwest::Error) -> Failure {
        if !error.is_connect() {
            return self.incomplete_response(&root_cause(error));
        }
        let address = &self.address;
        let reason = if error.is_timeout() {
            format!(
                "no connection within {}",
                seconds(self.limits.connect_timeout)
            )
        } else {
            root_cause(error)
        };
        let (reason, more) = if reason.contains("CaUsedAsEndEntity") {
            let reason = "the certificate that the server shows is marked as an authority's (CA:TRUE), which no server's may be";
            (
                reason.to_owned(),
                " Sign one for the server with it, or create a new one with `openssl req -x509 … -addext basicConstraints=critical,CA:FALSE`; then name it with --trust or SIGHTLINE_TRUST.",
            )
        } else if reason.contains("certificate") {
            (
                reason,
                " For a certificate authority of your own, name its PEM file with --trust or SIGHTLINE_TRUST.",
            )
        } else {
            (reason, "")
        };
        Failure::no_response(format!(
            "cannot reach {address}: {reason}. Is `sightline serve` running there? Set SIGHTLINE_URL to the address of the server.{more}"
        ))
    }

    pub(crate) fn initialize_timeout_failure(&self) -> Failure {
        Failure::no_response(format!(
            "{} did not answer `initialize` within {}. Look whether the server is well, then connect again.",
            self.address,
            seconds(self.limits.initialize_timeout)
        ))
    }

    fn timeout_failure(&self) -> Failure {
        Failure::no_response(format!(
            "{} has said nothing for {}, and is not waited for any longer. It may have done what was asked: look before you ask again.",
            self.address,
            seconds(self.limits.idle_timeout)
        ))
    }

    fn incomplete_response(&self, reason: &str) -> Failure {
        Failure::no_response(format!(
            "the answer of {} did not come whole: {reason}. The server may have done what was asked: look before you ask again.",
            self.address
        ))
    }

    fn response_too_large(&self) -> Failure {
        Failure::no_response(format!(
            "the answer of {} is longer than {} bytes. Ask for less at once.",
            self.address, self.limits.max_response_bytes
        ))
    }

    fn invalid_response(&self) -> Failure {
        Failure::no_response(format!(
            "{} answered with something that is not an MCP response. Is SIGHTLINE_URL the address of a Sightline server?",
            self.address
        ))
    }

    fn redirect_failure(&self, response: &Response) -> Failure {
        let location = response.headers().get(LOCATION);
        let location = location.and_then(|it| it.to_str().ok());
        let whither: String = location
            .unwrap_or("somewhere")
            .chars()
            .take(MAX_LOCATION_CHARS)
            .collect();
        Failure::no_response(format!(
            "{} redirects to {whither}, which is not followed: the token is sent to no other address. Set SIGHTLINE_URL to the address of the server.",
            self.address
        ))
    }
}

/// Reads the rest of a response in the background, so that its connection can be reused.
fn drain(mut response: Response) {
    tokio::spawn(async move {
        let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
        let _ = timeout(DRAIN_TIMEOUT, rest).await;
    });
}

/// The media type without its parameters.
fn media_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE);
    let value = value.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// The innermost cause: the outer ones repeat what the caller knows.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{seconds} seconds")
}
