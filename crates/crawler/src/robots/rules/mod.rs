//! The rules of one robots.txt for one product token (RFC 9309, as interpreted by Google).

use super::matching::{escaped, matches};
use std::time::Duration;
use url::Url;

/// The rest of a robots.txt is ignored.
pub const MAX_BYTES: usize = 500 * 1024;
/// Longer lines are cut (Google: eight times the longest URL).
const MAX_LINE_BYTES: usize = 2083 * 8;
const MAX_DELAY: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotsRules {
    rules: Vec<Rule>,
    /// The requested delay, at most 30 s.
    pub delay: Option<Duration>,
    /// The requested delay, unbounded.
    pub requested_delay: Option<Duration>,
    pub sitemaps: Vec<String>,
    forbids_all: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    pattern: String,
    allow: bool,
}

enum Line<'a> {
    Agent(&'a str),
    Rule(Rule),
    Delay(Duration),
    Sitemap(&'a str),
}

impl RobotsRules {
    /// For an unavailable robots.txt.
    pub fn forbid_all() -> Self {
        Self {
            forbids_all: true,
            ..Self::default()
        }
    }

    /// Drops a full or partial byte order mark, as Google's parser does: it would hide the first line.
    pub fn text(file: &[u8]) -> String {
        const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
        let of_mark = file
            .iter()
            .zip(MARK)
            .take_while(|(one, other)| *one == other);
        String::from_utf8_lossy(&file[of_mark.count()..]).into_owned()
    }

    pub fn parse(text: &str, product: &str) -> Self {
        let mut own = Self::default();
        let mut general = Self::default();
        let (mut for_us, mut for_all, mut in_rules, mut named) = (false, false, false, false);
        let mut sitemaps = Vec::new();
        for line in lines(text) {
            match line {
                Line::Agent(agent) => {
                    if in_rules {
                        (for_us, for_all, in_rules) = (false, false, false);
                    }
                    for_all |= is_wildcard(agent);
                    for_us |= matches_product(agent, product);
                    named |= for_us;
                }
                Line::Rule(rule) => {
                    in_rules = true;
                    for (group, concerned) in [(&mut own, for_us), (&mut general, for_all)] {
                        if concerned {
                            group.rules.push(rule.clone());
                        }
                    }
                }
                Line::Delay(delay) => {
                    for (group, concerned) in [(&mut own, for_us), (&mut general, for_all)] {
                        if concerned {
                            group.delay = Some(delay.min(MAX_DELAY));
                            group.requested_delay = Some(delay);
                        }
                    }
                }
                Line::Sitemap(url) => sitemaps.push(url.to_owned()),
            }
        }
        let chosen = if named { own } else { general };
        Self { sitemaps, ..chosen }
    }

    /// Whether the requested delay exceeds the maximum.
    pub fn is_delay_capped(&self) -> bool {
        self.requested_delay > self.delay
    }

    pub fn allow(&self, url: &Url) -> bool {
        let query = url.query().map(|it| format!("?{it}")).unwrap_or_default();
        self.allow_path(&escaped(&format!("{}{query}", url.path())))
    }

    pub fn allow_path(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        if self.forbids_all {
            return false;
        }
        let longest = |allow: bool| {
            let rules = self.rules.iter().filter(|it| it.allow == allow);
            rules
                .filter_map(|it| it.match_length(path))
                .max()
                .unwrap_or(0)
        };
        longest(true) >= longest(false)
    }
}

impl Rule {
    /// Length of the match; the longest wins.
    fn match_length(&self, path: &str) -> Option<usize> {
        if matches(&self.pattern, path) {
            return Some(self.pattern.len());
        }
        // Google: allowing index.html allows its directory.
        let slash = self.pattern.rfind('/').filter(|_| self.allow)?;
        let is_index = self.pattern[slash..].starts_with("/index.htm");
        let directory = format!("{}$", &self.pattern[..=slash]);
        (is_index && matches(&directory, path)).then_some(directory.len())
    }
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.trim_start_matches('\u{feff}');
    text.split(['\n', '\r']).filter_map(read_line)
}

fn read_line(line: &str) -> Option<Line<'_>> {
    let line = cut(line, MAX_LINE_BYTES - 1);
    let line = line.split('#').next().unwrap_or_default().trim();
    let (key, value) = match line.split_once(':') {
        Some((key, value)) => (key.trim(), value.trim()),
        None => without_colon(line)?,
    };
    match key.to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Some(Line::Agent(value)),
        "allow" => Some(rule(value, true)),
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
            Some(rule(value, false))
        }
        "crawl-delay" => delay(value),
        "sitemap" | "site-map" => Some(Line::Sitemap(value)),
        _ => None,
    }
}

/// Two words without a colon count as key and value.
fn without_colon(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_ascii_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(key), Some(value), None) => Some((key, value)),
        _ => None,
    }
}

fn rule(value: &str, allow: bool) -> Line<'static> {
    Line::Rule(Rule {
        pattern: escaped(value),
        allow,
    })
}

fn delay(value: &str) -> Option<Line<'static>> {
    let seconds: f64 = value.parse().ok()?;
    let fine = seconds.is_finite() && seconds >= 0.0;
    fine.then(|| Line::Delay(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)))
}

fn is_wildcard(agent: &str) -> bool {
    agent == "*" || agent.starts_with("* ") || agent.starts_with("*\t")
}

/// The product token ends before the first character that cannot be part of one.
fn matches_product(agent: &str, product: &str) -> bool {
    let end = agent
        .find(|it: char| !(it.is_ascii_alphabetic() || it == '_' || it == '-'))
        .unwrap_or(agent.len());
    !product.is_empty() && agent[..end].eq_ignore_ascii_case(product)
}

fn cut(line: &str, bytes: usize) -> &str {
    let mut end = line.len().min(bytes);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests;
