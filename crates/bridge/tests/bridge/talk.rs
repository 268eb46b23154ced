//! The client's side: what it says to the bridge and what it hears.

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

/// Longer than anything takes that is meant to happen.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn settings(url: &str) -> Settings {
    Settings {
        address: Address::parse(url).expect("an address"),
        token: Token::new(TOKEN).expect("a token"),
        trust: Trust::default(),
        limits: Limits::default(),
    }
}

/// A client and its bridge.
pub struct Talk {
    pub to: DuplexStream,
    pub from: Lines<BufReader<DuplexStream>>,
    pub stop: CancellationToken,
    pub bridge: JoinHandle<Ending>,
}

impl Talk {
    pub fn with(url: &str) -> Self {
        Self::begin(settings(url))
    }

    pub fn begin(settings: Settings) -> Self {
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

    pub async fn say(&mut self, line: &str) {
        self.to
            .write_all(line.as_bytes())
            .await
            .expect("an open input");
        self.to.write_all(b"\n").await.expect("an open input");
    }

    /// The next line, as it came.
    pub async fn hear_text(&mut self) -> String {
        let line = timeout(PATIENCE, self.from.next_line()).await;
        line.expect("a line in time")
            .expect("an output")
            .expect("a line")
    }

    pub async fn hear(&mut self) -> Value {
        let line = self.hear_text().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Ends the input; everything that is still said, and how the bridge ended.
    pub async fn end(mut self) -> (Vec<String>, Ending) {
        drop(self.to);
        let mut lines = Vec::new();
        while let Some(line) = timeout(PATIENCE, self.from.next_line())
            .await
            .expect("an end in time")
            .expect("an output")
        {
            lines.push(line);
        }
        let ending = timeout(PATIENCE, self.bridge)
            .await
            .expect("an end in time");
        (lines, ending.expect("no panic"))
    }
}
