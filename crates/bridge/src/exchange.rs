use crate::{
    Address, Limits, Settings, Token, envelope::Id, event_stream::EventStream, failure::Failure,
    headers, http_client, message::Message, refusal, reply::Reply,
};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Client, Response};
use std::{error::Error, ops::Deref, time::Duration};
use tokio::{sync::mpsc::Sender, time::timeout};

/// How long to read the rest of a stream after its response.
const REST_OF_STREAM: Duration = Duration::from_secs(1);
/// Characters of a redirect's target that are reported.
const MOST_LOCATION: usize = 200;

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
    pub(crate) async fn ask(
        &self,
        message: &Message,
        id: &Id,
        version: Option<&str>,
        out: &Sender<String>,
    ) -> String {
        match self.asked(message, id, version, out).await {
            Ok(answer) => answer,
            Err(failure) => failure.answer(Some(id)),
        }
    }

    /// Sends a message that has no response. The error text does not contain the token.
    pub(crate) async fn tell(
        &self,
        message: &Message,
        version: Option<&str>,
    ) -> Result<(), String> {
        let told = async {
            let response = self.post(message, version).await?;
            if response.status().is_success() {
                read_on(response);
                return Ok(());
            }
            self.refusal(response, None).await.map(drop)
        };
        let told: Result<(), Failure> = told.await;
        told.map_err(|failure| self.token.taken_out_of(failure.message))
    }

    async fn asked(
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
        if kind(&response) == "text/event-stream" {
            return self.follow(response, id, out).await;
        }
        let body = self.body(response).await?;
        match Reply::read(&body, id) {
            Some(Reply::Answer(answer)) => Ok(answer),
            _ => Err(self.unreadable()),
        }
    }

    async fn post(&self, message: &Message, version: Option<&str>) -> Result<Response, Failure> {
        let request = self
            .client
            .post(self.address.endpoint().clone())
            .headers(headers::of(message, version))
            .header(AUTHORIZATION, self.bearer.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.text.clone());
        let sent = timeout(self.limits.silence, request.send()).await;
        sent.map_err(|_| self.silent())?
            .map_err(|error| self.unanswered(&error))
    }

    async fn refusal(&self, response: Response, id: Option<&Id>) -> Result<String, Failure> {
        let status = response.status();
        if status.is_redirection() {
            return Err(self.redirected(&response));
        }
        let kind = kind(&response);
        let body = self.body(response).await?;
        refusal::read(status, &kind, &body, id)
    }

    async fn follow(
        &self,
        mut response: Response,
        id: &Id,
        out: &Sender<String>,
    ) -> Result<String, Failure> {
        let mut events = EventStream::new(self.limits.longest_answer);
        while let Some(bytes) = self.chunk(&mut response).await? {
            for event in events.take(&bytes).map_err(|_| self.too_long())? {
                match Reply::read(&event, id) {
                    Some(Reply::Answer(answer)) => {
                        read_on(response);
                        return Ok(answer);
                    }
                    // If nobody reads any more, the bridge is about to end.
                    Some(Reply::Aside(line)) => drop(out.send(line).await),
                    Some(Reply::Stray) => tracing::debug!("An answer to no question is left out."),
                    None => return Err(self.unreadable()),
                }
            }
        }
        Err(self.cut_off("it ended before the answer"))
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        while let Some(bytes) = self.chunk(&mut response).await? {
            if body.len() + bytes.len() > self.limits.longest_answer {
                return Err(self.too_long());
            }
            body.extend_from_slice(&bytes);
        }
        Ok(body)
    }

    async fn chunk(
        &self,
        response: &mut Response,
    ) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Failure> {
        let read = timeout(self.limits.silence, response.chunk()).await;
        read.map_err(|_| self.silent())?
            .map_err(|error| self.cut_off(&reason(&error)))
    }

    fn unanswered(&self, error: &reqwest::Error) -> Failure {
        if !error.is_connect() {
            return self.cut_off(&reason(error));
        }
        let address = &self.address;
        let why = if error.is_timeout() {
            format!("no connection within {}", seconds(self.limits.connect))
        } else {
            reason(error)
        };
        let (why, more) = if why.contains("CaUsedAsEndEntity") {
            let why = "the certificate that the server shows is marked as an authority's (CA:TRUE), which no server's may be";
            (
                why.to_owned(),
                " Sign one for the server with it, or make it anew with `openssl req -x509 … -addext basicConstraints=critical,CA:FALSE`; then name it with --trust or SIGHTLINE_TRUST.",
            )
        } else if why.contains("certificate") {
            (
                why,
                " For a certificate authority of your own, name its PEM file with --trust or SIGHTLINE_TRUST.",
            )
        } else {
            (why, "")
        };
        Failure::no_answer(format!(
            "cannot reach {address}: {why}. Is `sightline serve` running there? Set SIGHTLINE_URL to the address of the server.{more}"
        ))
    }

    pub(crate) fn not_initialized(&self) -> Failure {
        Failure::no_answer(format!(
            "{} did not answer `initialize` within {}. Look whether the server is well, then connect again.",
            self.address,
            seconds(self.limits.initialize)
        ))
    }

    fn silent(&self) -> Failure {
        Failure::no_answer(format!(
            "{} has said nothing for {}, and is not waited for any longer. It may have done what was asked: look before you ask again.",
            self.address,
            seconds(self.limits.silence)
        ))
    }

    fn cut_off(&self, why: &str) -> Failure {
        Failure::no_answer(format!(
            "the answer of {} did not come whole: {why}. The server may have done what was asked: look before you ask again.",
            self.address
        ))
    }

    fn too_long(&self) -> Failure {
        Failure::no_answer(format!(
            "the answer of {} is longer than {} bytes. Ask for less at once.",
            self.address, self.limits.longest_answer
        ))
    }

    fn unreadable(&self) -> Failure {
        Failure::no_answer(format!(
            "{} answered something that is no answer of an MCP server. Is SIGHTLINE_URL the address of a Sightline server?",
            self.address
        ))
    }

    fn redirected(&self, response: &Response) -> Failure {
        let location = response.headers().get(LOCATION);
        let location = location.and_then(|it| it.to_str().ok());
        let whither: String = location
            .unwrap_or("somewhere")
            .chars()
            .take(MOST_LOCATION)
            .collect();
        Failure::no_answer(format!(
            "{} redirects to {whither}, which is not followed: the token goes nowhere else by itself. Set SIGHTLINE_URL to where the server is.",
            self.address
        ))
    }
}

/// Reads the rest of a response in the background, so that its connection can be reused.
fn read_on(mut response: Response) {
    tokio::spawn(async move {
        let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
        let _ = timeout(REST_OF_STREAM, rest).await;
    });
}

/// The media type without its parameters.
fn kind(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE);
    let value = value.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// The innermost cause: the outer ones repeat what the caller knows.
fn reason(error: &reqwest::Error) -> String {
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
