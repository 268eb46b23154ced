//! Reads a body with one layer of encoding, decoded incrementally under limits.

use super::error::FetchError;
use crate::limits::FetchLimits;
use analysis::observation::web_site::{FetchFailure, Truncation};
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use reqwest::{Response, header};
use std::io::{self, Write};
use tokio::time::{Instant, timeout};

#[derive(Debug, Default)]
pub struct Body {
    pub bytes: Vec<u8>,
    pub truncation: Truncation,
    /// Bytes on the wire.
    pub received: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct BodyLimit {
    pub encoded: usize,
    pub decoded: usize,
}

pub async fn read_body(
    mut response: Response,
    limit: BodyLimit,
    limits: &FetchLimits,
) -> Result<Body, FetchError> {
    let encoding = encoding_of(&response)?;
    let mut decoder = Decoder::new(encoding, limit.decoded, limits);
    let begun = Instant::now();
    let mut received = 0;
    loop {
        let Some(chunk) = next_chunk(&mut response, begun, received, limits).await? else {
            return decoder.finish();
        };
        let chunk = chunk.as_ref();
        received += chunk.len();
        metrics::counter!("crawler_bytes_total").increment(chunk.len() as u64);
        if decoder.push(chunk, received)? || received >= limit.encoded {
            return Ok(decoder.finish_truncated());
        }
    }
}

async fn next_chunk(
    response: &mut Response,
    begun: Instant,
    received: usize,
    limits: &FetchLimits,
) -> Result<Option<impl AsRef<[u8]> + use<>>, FetchError> {
    loop {
        let spent = begun.elapsed();
        let too_slow = spent > limits.rate_grace
            && (received as u128) * 1_000 < u128::from(limits.min_rate) * spent.as_millis();
        if too_slow || spent >= limits.total {
            return Err(FetchError::new(FetchFailure::Timeout, "bodyTooSlow"));
        }
        let chunk_timeout = limits.total.saturating_sub(spent).min(limits.rate_grace);
        if let Ok(chunk) = timeout(chunk_timeout, response.chunk()).await {
            return match chunk {
                Ok(chunk) => Ok(chunk),
                Err(_) => Err(FetchError::new(FetchFailure::Incomplete, "bodyIncomplete")),
            };
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Identity,
    Gzip,
    Deflate,
}

/// The body's only encoding; several layers, or an unrequested encoding, are refused.
fn encoding_of(response: &Response) -> Result<Encoding, FetchError> {
    let mut names = response
        .headers()
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .flat_map(|it| it.to_str().unwrap_or("?").split(','))
        .map(|it| it.trim().to_ascii_lowercase())
        .filter(|it| !it.is_empty() && it != "identity");
    match (names.next().as_deref(), names.next()) {
        (None, _) => Ok(Encoding::Identity),
        (Some("gzip" | "x-gzip"), None) => Ok(Encoding::Gzip),
        (Some("deflate"), None) => Ok(Encoding::Deflate),
        _ => Err(FetchError::new(FetchFailure::Unread, "contentEncoding")),
    }
}

struct BoundedBuffer {
    bytes: Vec<u8>,
    limit: usize,
    ratio: usize,
    ratio_from: usize,
    encoded: usize,
    stop: Option<Stop>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Full,
    Bomb,
}

impl Write for BoundedBuffer {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let space_left = self.limit - self.bytes.len();
        self.bytes
            .extend_from_slice(&part[..part.len().min(space_left)]);
        let decoded = self.bytes.len();
        if decoded > self.ratio_from && decoded / self.ratio > self.encoded {
            self.stop = Some(Stop::Bomb);
        } else if part.len() > space_left {
            self.stop = Some(Stop::Full);
        }
        match self.stop {
            Some(_) => Err(io::Error::other("a limit is reached")),
            None => Ok(part.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Decoder {
    Plain(BoundedBuffer),
    Gzip(MultiGzDecoder<BoundedBuffer>),
    /// Zlib or raw deflate, decided by the first byte.
    Undecided(BoundedBuffer),
    Zlib(ZlibDecoder<BoundedBuffer>),
    Bare(DeflateDecoder<BoundedBuffer>),
}

impl Decoder {
    fn new(encoding: Encoding, max_bytes: usize, limits: &FetchLimits) -> Self {
        let bounded = BoundedBuffer {
            bytes: Vec::new(),
            limit: max_bytes,
            ratio: limits.ratio.max(1),
            ratio_from: limits.ratio_from,
            encoded: 0,
            stop: None,
        };
        match encoding {
            Encoding::Identity => Self::Plain(bounded),
            Encoding::Gzip => Self::Gzip(MultiGzDecoder::new(bounded)),
            Encoding::Deflate => Self::Undecided(bounded),
        }
    }

    /// Decodes a chunk; true when the limit is reached.
    fn push(&mut self, part: &[u8], received: usize) -> Result<bool, FetchError> {
        self.detect_format(part);
        self.bounded().encoded = received;
        let written = match self {
            Self::Plain(it) | Self::Undecided(it) => it.write_all(part),
            Self::Gzip(it) => it.write_all(part),
            Self::Zlib(it) => it.write_all(part),
            Self::Bare(it) => it.write_all(part),
        };
        match (self.bounded().stop, written) {
            (Some(Stop::Full), _) => Ok(true),
            (Some(Stop::Bomb), _) => {
                Err(FetchError::new(FetchFailure::Unread, "decompressionBomb"))
            }
            (None, Err(_)) => Err(undecodable()),
            (None, Ok(())) => Ok(false),
        }
    }

    fn detect_format(&mut self, part: &[u8]) {
        if let (Self::Undecided(bounded), Some(first)) = (&mut *self, part.first()) {
            let empty = BoundedBuffer {
                bytes: Vec::new(),
                ..*bounded
            };
            *self = if first & 0x0f == 8 {
                Self::Zlib(ZlibDecoder::new(empty))
            } else {
                Self::Bare(DeflateDecoder::new(empty))
            };
        }
    }

    fn bounded(&mut self) -> &mut BoundedBuffer {
        match self {
            Self::Plain(it) | Self::Undecided(it) => it,
            Self::Gzip(it) => it.get_mut(),
            Self::Zlib(it) => it.get_mut(),
            Self::Bare(it) => it.get_mut(),
        }
    }

    /// The response has ended, so the encoding must have ended too.
    fn finish(mut self) -> Result<Body, FetchError> {
        let ended = match &mut self {
            Self::Plain(_) | Self::Undecided(_) => Ok(()),
            Self::Gzip(it) => it.try_finish(),
            Self::Zlib(it) => it.try_finish(),
            Self::Bare(it) => it.try_finish(),
        };
        match (self.bounded().stop, ended) {
            (Some(Stop::Full), _) => Ok(self.finish_truncated()),
            (Some(Stop::Bomb), _) => {
                Err(FetchError::new(FetchFailure::Unread, "decompressionBomb"))
            }
            (None, Err(_)) => Err(undecodable()),
            (None, Ok(())) => Ok(Body {
                bytes: std::mem::take(&mut self.bounded().bytes),
                truncation: Truncation::None,
                received: self.bounded().encoded,
            }),
        }
    }

    fn finish_truncated(mut self) -> Body {
        Body {
            bytes: std::mem::take(&mut self.bounded().bytes),
            truncation: Truncation::AtLimit,
            received: self.bounded().encoded,
        }
    }
}

fn undecodable() -> FetchError {
    FetchError::new(FetchFailure::Undecodable, "undecodableBody")
}
