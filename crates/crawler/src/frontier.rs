//! Which URLs have been met, and which of them look like the way into an endless tree.

use analysis::observation::web_site::LimitHit;
use std::collections::{HashMap, HashSet};
use url::Url;

const MOST_URL: usize = 2_048;
const MOST_REPEATS: usize = 3;
const MOST_QUERIES: usize = 100;

/// URLs that have been met.
#[derive(Default)]
pub struct Frontier {
    seen: HashSet<String>,
    queries: HashMap<String, usize>,
}

impl Frontier {
    /// Whether a URL has been taken.
    pub fn has(&self, url: &str) -> bool {
        self.seen.contains(url)
    }

    /// Takes a normalised URL: `Ok(true)` if it is new, `Ok(false)` if it is not, or why it is
    /// left alone.
    pub fn admit(&mut self, url: &str) -> Result<bool, LimitHit> {
        if self.seen.contains(url) {
            return Ok(false);
        }
        if url.len() > MOST_URL {
            return Err(LimitHit::UrlLength);
        }
        let parsed = Url::parse(url).map_err(|_| LimitHit::UrlLength)?;
        if repeats_itself(&parsed) {
            return Err(LimitHit::RepeatedSegments);
        }
        if parsed.query().is_some() {
            let path = url.split('?').next().unwrap_or(url);
            let count = self.queries.entry(path.to_owned()).or_default();
            if *count >= MOST_QUERIES {
                return Err(LimitHit::QueryVariants);
            }
            *count += 1;
        }
        self.seen.insert(url.to_owned());
        Ok(true)
    }
}

fn repeats_itself(url: &Url) -> bool {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let segments = url.path_segments().into_iter().flatten();
    segments.filter(|it| !it.is_empty()).any(|it| {
        let count = counts.entry(it).or_default();
        *count += 1;
        *count >= MOST_REPEATS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_new_once() {
        let mut frontier = Frontier::default();
        assert_eq!(frontier.admit("http://example.com/a"), Ok(true));
        assert_eq!(frontier.admit("http://example.com/a"), Ok(false));
    }

    #[test]
    fn endless_trees_are_left_alone() {
        let mut frontier = Frontier::default();
        assert_eq!(frontier.admit("http://example.com/a/b/a/b/a/"), Err(LimitHit::RepeatedSegments));
        assert_eq!(frontier.admit(&format!("http://example.com/{}", "x".repeat(2_048))), Err(LimitHit::UrlLength));
        for day in 0..100 {
            assert_eq!(frontier.admit(&format!("http://example.com/cal?day={day}")), Ok(true));
        }
        assert_eq!(frontier.admit("http://example.com/cal?day=100"), Err(LimitHit::QueryVariants));
        assert_eq!(frontier.admit("http://example.com/cal?day=99"), Ok(false));
        assert_eq!(frontier.admit("http://example.com/other?day=100"), Ok(true));
    }
}
