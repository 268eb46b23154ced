//! The client's side of the bridge.

use bridge::{Address, Bridge, Ending, Limits, Settings, Token, Trust};
use serde_json::Value;
use std::time::Duration;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

pub const TOKEN: &str = "sightline_agt_sesame4711";

/// Longer than any expected operation takes.
const TIMEOUT: Duration = Duration::from_secs(20);

pub fn settings(url: &str) -> Settings {
    Settings {
        address: Address::parse(url).expect("an address"),
        token: Token::new(TOKEN).expect("a token"),
        trust: Trust::default(),
        limits: Limits::default(),
    }
}

pub struct Client {
    pub to: DuplexStream,
    pub from: Lines<BufReader<DuplexStream>>,
    pub stop: CancellationToken,
    pub bridge: JoinHandle<Ending>,
}

impl Client {
    pub fn connect(url: &str) -> Self {
        Self::start(settings(url))
    }

    pub fn start(settings: Settings) -> Self {
        let (to, input) = tokio::io::duplex(64 * 1024);
        let (output, from) = tokio::io::duplex(64 * 1024);
        let stop = CancellationToken::new();
        let bridge = Bridge::new(settings).run(input, output, stop.clone());
        Self {
            to,
            from: BufReader::new(from).lines(),
            stop,
            bridge: tokio::spawn(bridge),
        }
    }

    pub async fn send(&mut self, line: &str) {
        self.to
            .write_all(line.as_bytes())
            .await
            .expect("an open input");
        self.to.write_all(b"\n").await.expect("an open input");
    }

    /// The next line as received.
    pub async fn receive_text(&mut self) -> String {
        let line = timeout(TIMEOUT, self.from.next_line()).await;
        line.expect("a line in time")
            .expect("an output")
            .expect("a line")
    }

    pub async fn receive(&mut self) -> Value {
        let line = self.receive_text().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Ends the input; returns the remaining lines, and how the bridge ended.
    pub async fn end(mut self) -> (Vec<String>, Ending) {
        drop(self.to);
        let mut lines = Vec::new();
        while let Some(line) = timeout(TIMEOUT, self.from.next_line())
            .await
            .expect("an end in time")
            .expect("an output")
        {
            lines.push(line);
        }
        let ending = timeout(TIMEOUT, self.bridge).await.expect("an end in time");
        (lines, ending.expect("no panic"))
    }
}
