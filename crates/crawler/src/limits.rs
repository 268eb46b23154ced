use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchLimits {
    pub dns: Duration,
    /// Connecting, encryption included.
    pub connect: Duration,
    /// From the request to the first byte of the answer.
    pub first_byte: Duration,
    /// The whole answer, from the request to the last byte.
    pub total: Duration,
    /// All requests for one address together: redirects, attempts and pauses; waiting out of politeness is not counted.
    pub patience: Duration,
    /// The same for the robots.txt of an origin that a crawl meets on its way.
    pub robots_patience: Duration,
    /// When the least rate begins to count.
    pub rate_grace: Duration,
    /// Bytes a second at the least.
    pub least_rate: u64,
    /// Bytes of all headers.
    pub header_bytes: usize,
    pub headers: usize,
    pub encoded_bytes: usize,
    pub decoded_bytes: usize,
    /// How many times larger decoding may make a body, once it exceeds `ratio_from`.
    pub ratio: usize,
    pub ratio_from: usize,
    pub redirects: usize,
    pub retries: u32,
    /// Wait before the second attempt; it doubles.
    pub retry_wait: Duration,
    /// The longest wait a server can ask for.
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
            patience: Duration::from_secs(20),
            robots_patience: Duration::from_secs(8),
            rate_grace: Duration::from_secs(5),
            least_rate: 1024,
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
