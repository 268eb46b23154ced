use crate::envelope::Id;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::lines::{Line, Lines};
use crate::message::{Kind, Message};
use crate::{Limits, Settings, Token};
use serde::Deserialize;
use std::{collections::HashMap, sync::Arc};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, Id as TaskId, JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Lines that may wait for a slow reader. Each may be as long as a response.
const OUTPUT_QUEUE_LINES: usize = 8;
const READ_AT_ONCE: usize = 64 * 1024;

#[derive(Debug)]
pub struct Bridge {
    settings: Settings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Input {
        /// Requests without a response when the timeout ended.
        given_up: usize,
    },
    Stopped,
    OutputClosed,
}

impl Bridge {
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Relays until the input ends, the output is closed, or `stop` is canceled.
    pub async fn run<R, W>(self, input: R, output: W, stop: CancellationToken) -> Ending
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.log_target();
        let limits = self.settings.limits;
        let (out, queue) = mpsc::channel(OUTPUT_QUEUE_LINES);
        let closed = out.clone();
        let writing = tokio::spawn(write(output, queue, self.settings.token.clone()));
        let relay = Relay::new(&self.settings, out);
        let input = BufReader::with_capacity(READ_AT_ONCE, input);
        let given_up = tokio::select! {
            biased;
            () = stop.cancelled() => {
                writing.abort();
                return Ending::Stopped;
            }
            () = closed.closed() => return Ending::OutputClosed,
            given_up = relay.run(Lines::new(input, limits.max_line_bytes)) => given_up,
        };
        drop(closed);
        // The writer ends after the last line; it does not wait for a reader that does not read.
        let _ = timeout(limits.shutdown_timeout, writing).await;
        Ending::Input { given_up }
    }

    fn log_target(&self) {
        let address = &self.settings.address;
        tracing::info!("Messages go to {address}.");
        if address.is_unencrypted() {
            tracing::warn!(
                "{address} is not encrypted: everybody on the way can read the token. Use https."
            );
        }
        if address.names_the_endpoint_twice() {
            tracing::warn!("SIGHTLINE_URL is the address of the server, without /mcp at its end.");
        }
    }
}

/// Writes whole lines until the queue ends or the output is closed. A token that a server repeats is redacted.
async fn write<W: AsyncWrite + Unpin>(mut output: W, mut queue: Receiver<String>, token: Token) {
    while let Some(line) = queue.recv().await {
        let mut line = token.redact(line);
        line.push('\n');
        let written = async {
            output.write_all(line.as_bytes()).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!("The output is closed: {error}.");
            return;
        }
    }
}

struct Relay {
    exchange: Arc<Exchange>,
    limits: Limits,
    out: Sender<String>,
    permits: Arc<Semaphore>,
    tasks: JoinSet<()>,
    in_flight: HashMap<String, InFlight>,
    /// The protocol version negotiated by `initialize`.
    negotiated: Option<Arc<str>>,
    /// The protocol version of the last request that named one.
    last_version: Option<Arc<str>>,
}

struct InFlight {
    id: Id,
    task: AbortHandle,
}

impl Relay {
    fn new(settings: &Settings, out: Sender<String>) -> Self {
        Self {
            exchange: Arc::new(Exchange::new(settings)),
            limits: settings.limits,
            out,
            permits: Arc::new(Semaphore::new(settings.limits.max_in_flight)),
            tasks: JoinSet::new(),
            in_flight: HashMap::new(),
            negotiated: None,
            last_version: None,
        }
    }

    /// Relays until the input ends; returns how many requests were given up.
    async fn run<R: AsyncBufRead + Unpin>(mut self, mut lines: Lines<R>) -> usize {
        loop {
            tokio::select! {
                Some(ended) = self.tasks.join_next_with_id() => self.handle_task_end(ended).await,
                line = lines.next() => match line {
                    Ok(Some(line)) => self.handle_line(line).await,
                    Ok(None) => break,
                    Err(error) => {
                        tracing::warn!("The input cannot be read: {error}.");
                        break;
                    }
                },
            }
        }
        let limit = self.limits.shutdown_timeout;
        let finished = async {
            while let Some(ended) = self.tasks.join_next_with_id().await {
                self.handle_task_end(ended).await;
            }
        };
        let _ = timeout(limit, finished).await;
        let given_up = self.in_flight.len();
        if given_up > 0 {
            tracing::warn!(
                "The input has ended, and {given_up} of the requests had no answer in time: they were given up."
            );
        }
        given_up
    }

    async fn handle_line(&mut self, line: Line) {
        match line {
            Line::TooLong(id) => {
                let reason = format!("it is longer than {} bytes", self.limits.max_line_bytes);
                self.write_line(Failure::invalid_request(&reason).to_response(id.as_ref()))
                    .await;
            }
            Line::Whole(bytes) => match Message::read(&bytes) {
                None => {}
                Some(Ok(message)) => self.forward(message).await,
                Some(Err((failure, id))) => self.write_line(failure.to_response(id.as_ref())).await,
            },
        }
    }

    async fn forward(&mut self, message: Message) {
        let version = self.protocol_version(&message);
        match &message.kind {
            Kind::Request(id) => {
                let id = id.clone();
                if message.is_initialize() {
                    self.initialize(&message, &id, version.as_deref()).await;
                } else if self.is_full() {
                    let busy = format!(
                        "{} messages are under way already. Wait for answers, then ask again.",
                        self.tasks.len()
                    );
                    self.write_line(Failure::no_response(busy).to_response(Some(&id)))
                        .await;
                } else {
                    self.spawn_request(message, id, version);
                }
            }
            Kind::Cancellation(id) => {
                // Aborting closes the connection; a canceled request has no response.
                if let Some(ended) = self.in_flight.remove(id.key()) {
                    ended.task.abort();
                }
                self.spawn_notification(message, version);
            }
            Kind::Notification | Kind::Response => self.spawn_notification(message, version),
        }
    }

    /// The protocol version sent to the server: the message's own, if it names one.
    fn protocol_version(&mut self, message: &Message) -> Option<Arc<str>> {
        if let Some(version) = &message.version {
            let version: Arc<str> = version.as_str().into();
            self.last_version = Some(Arc::clone(&version));
            return Some(version);
        }
        match message.kind {
            Kind::Request(_) if message.is_initialize() => None,
            // A request of a newer version must name it itself; the server reports a missing one.
            Kind::Request(_) => self.negotiated.clone(),
            _ => self
                .negotiated
                .clone()
                .or_else(|| self.last_version.clone()),
        }
    }

    /// Waits for the response: later messages depend on it.
    async fn initialize(&mut self, message: &Message, id: &Id, version: Option<&str>) {
        let response = self.exchange.send_request(message, id, version, &self.out);
        let answer = match timeout(self.limits.initialize_timeout, response).await {
            Ok(answer) => answer,
            Err(_) => self
                .exchange
                .initialize_timeout_failure()
                .to_response(Some(id)),
        };
        self.negotiated = negotiated_version(&answer).map(Into::into);
        self.write_line(answer).await;
    }

    fn spawn_request(&mut self, message: Message, id: Id, version: Option<Arc<str>>) {
        let (exchange, permits) = (Arc::clone(&self.exchange), Arc::clone(&self.permits));
        let (out, request_id) = (self.out.clone(), id.clone());
        let task = self.tasks.spawn(async move {
            let _permit = permits.acquire().await;
            let answer = exchange.send_request(&message, &request_id, version.as_deref(), &out);
            let answer = answer.await;
            let _ = out.send(answer).await;
        });
        self.in_flight
            .insert(id.key().to_owned(), InFlight { id, task });
    }

    fn spawn_notification(&mut self, message: Message, version: Option<Arc<str>>) {
        if self.is_full() {
            tracing::warn!("Too much is under way: one message is left out.");
            return;
        }
        let (exchange, permits) = (Arc::clone(&self.exchange), Arc::clone(&self.permits));
        self.tasks.spawn(async move {
            let _permit = permits.acquire().await;
            if let Err(reason) = exchange
                .send_notification(&message, version.as_deref())
                .await
            {
                tracing::warn!("A message was not taken: {}", strip_control_chars(&reason));
            }
        });
    }

    fn is_full(&self) -> bool {
        self.tasks.len() >= self.limits.max_in_flight + self.limits.max_waiting
    }

    async fn handle_task_end(&mut self, ended: Result<(TaskId, ()), JoinError>) {
        let (task, has_failed) = match &ended {
            Ok((task, ())) => (*task, false),
            Err(error) => (error.id(), error.is_panic()),
        };
        let key = self.in_flight.iter().find(|(_, it)| it.task.id() == task);
        let Some(key) = key.map(|(key, _)| key.clone()) else {
            return;
        };
        let ended = self.in_flight.remove(&key);
        if let Some(ended) = ended.filter(|_| has_failed) {
            self.write_line(Failure::internal().to_response(Some(&ended.id)))
                .await;
        }
    }

    async fn write_line(&self, line: String) {
        // When the reader is gone, the bridge is about to end.
        let _ = self.out.send(line).await;
    }
}

#[derive(Deserialize)]
struct InitializeResponse {
    result: InitializeResult,
}

#[derive(Deserialize)]
struct InitializeResult {
    #[serde(rename = "protocolVersion")]
    version: String,
}

fn negotiated_version(answer: &str) -> Option<String> {
    let answer: InitializeResponse = serde_json::from_str(answer).ok()?;
    Some(answer.result.version)
}

/// For logs: without control characters, which move a terminal's cursor.
fn strip_control_chars(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).collect()
}
