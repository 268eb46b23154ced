//! Known URLs, and limits against endless URL spaces.

use analysis::{observation::web_site::LimitHit, text::interner::Interner};
use std::collections::HashMap;
use url::Url;

const MAX_URL: usize = 2_048;
const MAX_REPEATS: usize = 3;
const MAX_QUERIES: u8 = 100;

pub type UrlNumber = u32;

/// Bit set of URL numbers.
#[derive(Default)]
pub struct UrlSet {
    bits: Vec<u64>,
}

impl UrlSet {
    pub fn contains(&self, url: UrlNumber) -> bool {
        let (word, bit) = bit_position(url);
        self.bits.get(word).is_some_and(|it| it & bit != 0)
    }

    /// Returns whether it is new.
    pub fn insert(&mut self, url: UrlNumber) -> bool {
        let (word, bit) = bit_position(url);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }
}

const fn bit_position(url: UrlNumber) -> (usize, u64) {
    (url as usize / 64, 1 << (url % 64))
}

#[derive(Default)]
pub struct Frontier {
    seen: UrlSet,
    /// Query variants, by the number of the URL without its query.
    queries: HashMap<UrlNumber, u8>,
}

impl Frontier {
    pub fn contains(&self, url: UrlNumber) -> bool {
        self.seen.contains(url)
    }

    /// Takes a normalized URL: `Ok(true)` if it is new, `Ok(false)` if it is known, or the limit that excludes it.
    pub fn admit(&mut self, number: UrlNumber, urls: &mut Interner) -> Result<bool, LimitHit> {
        if self.seen.contains(number) {
            return Ok(false);
        }
        let url = urls.text(number);
        if url.len() > MAX_URL {
            return Err(LimitHit::UrlLength);
        }
        let parsed = Url::parse(url).map_err(|_| LimitHit::UrlLength)?;
        if has_repeated_segments(&parsed) {
            return Err(LimitHit::RepeatedSegments);
        }
        if parsed.query().is_some() {
            let path = url.split('?').next().unwrap_or(url).to_owned();
            let count = self.queries.entry(urls.intern(&path)).or_default();
            if *count >= MAX_QUERIES {
                return Err(LimitHit::QueryVariants);
            }
            *count += 1;
        }
        self.seen.insert(number);
        Ok(true)
    }
}

fn has_repeated_segments(url: &Url) -> bool {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let segments = url.path_segments().into_iter().flatten();
    segments.filter(|it| !it.is_empty()).any(|it| {
        let count = counts.entry(it).or_default();
        *count += 1;
        *count >= MAX_REPEATS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Met {
        frontier: Frontier,
        urls: Interner,
    }

    impl Met {
        fn admit(&mut self, url: &str) -> Result<bool, LimitHit> {
            let number = self.urls.intern(url);
            self.frontier.admit(number, &mut self.urls)
        }
    }

    #[test]
    fn a_url_is_new_once() {
        let mut met = Met::default();
        assert_eq!(met.admit("http://example.com/a"), Ok(true));
        assert_eq!(met.admit("http://example.com/a"), Ok(false));
    }

    #[test]
    fn endless_url_spaces_are_limited() {
        let mut met = Met::default();
        assert_eq!(
            met.admit("http://example.com/a/b/a/b/a/"),
            Err(LimitHit::RepeatedSegments)
        );
        assert_eq!(
            met.admit(&format!("http://example.com/{}", "x".repeat(2_048))),
            Err(LimitHit::UrlLength)
        );
        for day in 0..100 {
            assert_eq!(
                met.admit(&format!("http://example.com/cal?day={day}")),
                Ok(true)
            );
        }
        assert_eq!(
            met.admit("http://example.com/cal?day=100"),
            Err(LimitHit::QueryVariants)
        );
        assert_eq!(met.admit("http://example.com/cal?day=99"), Ok(false));
        assert_eq!(met.admit("http://example.com/other?day=100"), Ok(true));
        // The path without a query is another URL.
        assert_eq!(met.admit("http://example.com/cal"), Ok(true));
    }

    #[test]
    fn url_set_contains_inserted_numbers() {
        let mut set = UrlSet::default();
        assert!(set.insert(200) && set.insert(63) && !set.insert(200));
        assert!(set.contains(200) && set.contains(63) && !set.contains(64) && !set.contains(9_999));
    }
}
