//! Robots `meta` elements and `X-Robots-Tag`. Google, "Robots meta tag, data-nosnippet, and X-Robots-Tag
//! specifications": rules for a robot add to those for all; of conflicting rules the most restrictive applies.

use super::TagSource;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

pub type DirectiveSource = TagSource;

/// From one element or header, for one robot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RobotsDirective {
    /// Lower case; `None` for all.
    pub agent: Option<String>,
    /// Lower case, with values: `noindex`, `max-snippet:20`.
    pub rules: Vec<String>,
    pub source: DirectiveSource,
}

const WITH_VALUE: [&str; 4] = [
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
    "unavailable_after",
];

const PLAIN: [&str; 12] = [
    "all",
    "index",
    "follow",
    "noindex",
    "nofollow",
    "none",
    "noarchive",
    "nocache",
    "nosnippet",
    "indexifembedded",
    "notranslate",
    "noimageindex",
];

impl RobotsDirective {
    pub fn from_meta(agent: Option<&str>, content: &str, source: DirectiveSource) -> Self {
        Self {
            agent: agent.map(str::to_ascii_lowercase),
            rules: rules(content),
            source,
        }
    }

    /// May begin with the name of a robot.
    pub fn from_header(value: &str) -> Self {
        let named = value.split_once(':').filter(|(name, _)| {
            let name = name.trim().to_ascii_lowercase();
            !name.contains(',')
                && !WITH_VALUE.contains(&name.as_str())
                && !PLAIN.contains(&name.as_str())
                && !name.is_empty()
        });
        let (agent, content) = match named {
            Some((agent, rest)) => (Some(agent.trim()), rest),
            None => (None, value),
        };
        Self::from_meta(agent, content, TagSource::Header)
    }
}

/// Splits at commas, except in the date after `unavailable_after:`.
fn rules(content: &str) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for part in content.split(',') {
        let part = part.trim().to_ascii_lowercase();
        let name = part.split(':').next().unwrap_or_default().trim();
        let is_rule = PLAIN.contains(&name) || WITH_VALUE.contains(&name);
        match rules.last_mut() {
            Some(last) if !is_rule && last.starts_with("unavailable_after") => {
                last.push_str(", ");
                last.push_str(&part);
            }
            _ if part.is_empty() => {}
            _ => rules.push(part),
        }
    }
    rules
}

#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RobotsEffect {
    pub noindex: bool,
    pub nofollow: bool,
    /// `nosnippet` or `max-snippet:0`.
    pub nosnippet: bool,
    pub noimageindex: bool,
    pub noarchive: bool,
    pub notranslate: bool,
    /// Indexed where embedded, in spite of `noindex`.
    pub indexifembedded: bool,
    /// Characters; `None` without a limit.
    pub max_snippet: Option<u32>,
    /// `none`, `standard` or `large`.
    pub max_image_preview: Option<String>,
    /// Seconds; `None` without a limit.
    pub max_video_preview: Option<u32>,
    /// As written, in lower case.
    pub unavailable_after: Option<String>,
}

impl RobotsEffect {
    /// `agent` must be in lower case.
    pub fn for_agent(directives: &[RobotsDirective], agent: &str) -> Self {
        let mut effect = Self::default();
        let meant = |it: &&RobotsDirective| it.agent.as_deref().is_none_or(|it| it == agent);
        for rule in directives.iter().filter(meant).flat_map(|it| &it.rules) {
            effect.apply(rule);
        }
        effect
    }

    fn apply(&mut self, rule: &str) {
        let (name, value) = match rule.split_once(':') {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (rule, ""),
        };
        match name {
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "none" => (self.noindex, self.nofollow) = (true, true),
            "nosnippet" => self.nosnippet = true,
            "noimageindex" => self.noimageindex = true,
            "noarchive" | "nocache" => self.noarchive = true,
            "notranslate" => self.notranslate = true,
            "indexifembedded" => self.indexifembedded = true,
            // -1: no limit.
            "max-snippet" => {
                self.max_snippet = stricter(self.max_snippet, value);
                self.nosnippet |= self.max_snippet == Some(0);
            }
            "max-video-preview" => {
                self.max_video_preview = stricter(self.max_video_preview, value);
            }
            "max-image-preview" => {
                let rank = |it: &str| ["none", "standard", "large"].iter().position(|o| *o == it);
                let known = self.max_image_preview.as_deref().and_then(rank);
                if rank(value).is_some_and(|it| known.is_none_or(|known| it < known)) {
                    self.max_image_preview = Some(value.to_owned());
                }
            }
            "unavailable_after" => self.unavailable_after = Some(value.to_owned()),
            _ => {}
        }
    }
}

impl RobotsEffect {
    /// `unavailable_after` is `noindex` from its date on; an invalid date is ignored (Google, "Robots meta tag").
    #[must_use]
    pub fn at(mut self, moment: DateTime<Utc>) -> Self {
        let end = self.unavailable_after.as_deref().and_then(read_date);
        self.noindex |= end.is_some_and(|it| it <= moment);
        self
    }
}

/// RFC 822, RFC 850 or ISO 8601, in lower case.
fn read_date(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(date) = DateTime::parse_from_rfc2822(text) {
        return Some(date.to_utc());
    }
    if let Ok(date) = DateTime::parse_from_rfc3339(&text.to_ascii_uppercase()) {
        return Some(date.to_utc());
    }
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Some(day.and_time(NaiveTime::MIN).and_utc());
    }
    let (time, zone) = text.rsplit_once(' ')?;
    let hours = match zone {
        "gmt" | "utc" | "z" => 0,
        "edt" => -4,
        "est" | "cdt" => -5,
        "cst" | "mdt" => -6,
        "mst" | "pdt" => -7,
        "pst" => -8,
        _ => return None,
    };
    let time = time.rsplit_once(", ").map_or(time, |it| it.1);
    let time = NaiveDateTime::parse_from_str(time, "%d-%b-%y %H:%M:%S").ok()?;
    Some((time - TimeDelta::hours(hours)).and_utc())
}

fn stricter(known: Option<u32>, value: &str) -> Option<u32> {
    let new: Option<u32> = value.parse().ok();
    match (known, new) {
        (Some(known), Some(new)) => Some(known.min(new)),
        (known, new) => known.or(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(directives: &[RobotsDirective]) -> RobotsEffect {
        RobotsEffect::for_agent(directives, "googlebot")
    }

    #[test]
    fn rules_for_other_robots_do_not_count() {
        let all = RobotsDirective::from_meta(None, "NOFOLLOW, max-snippet:-1", TagSource::Head);
        let mine = RobotsDirective::from_header("googlebot: max-snippet: 20, noarchive");
        let other = RobotsDirective::from_header("otherbot: noindex");
        let found = effect(&[all, mine, other]);
        assert!(found.nofollow && found.noarchive && !found.noindex && !found.nosnippet);
        assert_eq!(found.max_snippet, Some(20));
    }

    #[test]
    fn a_page_is_no_longer_listed_after_its_last_day() {
        let read = |date: &str| {
            let rule = format!("unavailable_after: {date}");
            let directive = RobotsDirective::from_meta(None, &rule, TagSource::Head);
            let moment = "2025-06-25T23:00:00Z".parse().unwrap();
            effect(&[directive]).at(moment).noindex
        };
        for over in [
            "25 Jun 2025 15:00:00 PST",
            "Wed, 25 Jun 2025 15:00:00 -0800",
            "Wednesday, 25-Jun-25 15:00:00 PST",
            "2025-06-25T23:00:00Z",
            "2025-06-25",
        ] {
            assert!(read(over), "{over}");
        }
        for to_come in [
            "25 Jun 2025 15:00:01 PST",
            "Wednesday, 25-Jun-25 15:00:01 PST",
            "2025-06-26",
            "some day",
            "",
        ] {
            assert!(!read(to_come), "{to_come}");
        }
    }

    #[test]
    fn the_most_restrictive_rule_wins() {
        let found = effect(&[
            RobotsDirective::from_header("index, follow, max-snippet:50, max-image-preview:large"),
            RobotsDirective::from_meta(
                None,
                "none,max-snippet:0,max-image-preview:standard",
                TagSource::Head,
            ),
        ]);
        assert!(found.noindex && found.nofollow && found.nosnippet);
        assert_eq!(found.max_image_preview.as_deref(), Some("standard"));
    }

    #[test]
    fn dates_hold_commas_and_colons() {
        let directive = RobotsDirective::from_header(
            "unavailable_after: Saturday, 25-Jun-30 15:00:00 PST, nosnippet",
        );
        assert_eq!(
            (directive.agent, directive.rules),
            (
                None,
                vec![
                    "unavailable_after: saturday, 25-jun-30 15:00:00 pst".to_owned(),
                    "nosnippet".to_owned()
                ]
            )
        );
    }
}
