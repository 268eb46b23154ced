use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchLimits {
    pub dns: Duration,
    /// Includes TLS.
    pub connect: Duration,
    /// From the request to the first byte of the response.
    pub first_byte: Duration,
    /// From the request to the last byte of the response.
    pub total: Duration,
    /// All requests for one URL together: redirects, attempts and pauses, without politeness delays.
    pub url_timeout: Duration,
    /// The same for the robots.txt of other origins in a crawl.
    pub robots_timeout: Duration,
    /// Time before the minimum rate applies.
    pub rate_grace: Duration,
    /// Bytes per second.
    pub min_rate: u64,
    /// Bytes of all headers.
    pub header_bytes: usize,
    pub headers: usize,
    pub encoded_bytes: usize,
    pub decoded_bytes: usize,
    /// Maximum decompression ratio of bodies larger than `ratio_from`.
    pub ratio: usize,
    pub ratio_from: usize,
    pub redirects: usize,
    pub retries: u32,
    /// Wait before the second attempt; it doubles.
    pub retry_wait: Duration,
    /// Longest `Retry-After` that is honored.
    pub retry_after: Duration,
}

const MIB: usize = 1024 * 1024;

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            dns: Duration::from_secs(3),
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(10),
            total: Duration::from_secs(20),
            url_timeout: Duration::from_secs(20),
            robots_timeout: Duration::from_secs(8),
            rate_grace: Duration::from_secs(5),
            min_rate: 1024,
            header_bytes: 64 * 1024,
            headers: 100,
            encoded_bytes: 5 * MIB,
            decoded_bytes: 10 * MIB,
            ratio: 100,
            ratio_from: MIB,
            redirects: 10,
            retries: 3,
            retry_wait: Duration::from_secs(1),
            retry_after: Duration::from_mins(1),
        }
    }
}
