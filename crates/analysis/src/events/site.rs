//! `audit.issues_new`, `audit.issues_fixed`, `page.noindexed`, `robots.changed`.

use super::event::{EventDraft, EventRun, Subject, SubjectKind};
use super::kind::{EventKind, EventSeverity};
use super::label;
use super::state::{Directive, EventState, IndexDirective, IssuePages, RobotsVersion};
use crate::findings::content::ContentRecord;
use crate::findings::issues::{IssueCode, Severity};
use crate::observation::page_content::{DirectiveSource, GOOGLEBOT, PageContent, RobotsEffect};
use crate::observation::web_site::{RobotsFact, RobotsState};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Pages with a new error, or with a new error or warning.
pub const MIN_ERRORS: u64 = 1;
pub const MIN_WARNINGS: u64 = 5;
/// Pages that rank so far up, or that have clicks, have an event of their own when they are closed to engines.
pub const MAX_RANK_OF_OWN_EVENT: u32 = 50;
/// Then it is critical.
pub const MAX_RANK_OF_CRITICAL: u32 = 20;
const MAX_SAMPLE: usize = 5;
const MAX_BLOCKED: usize = 20;

/// Errors and warnings of a page that was read whole, stored until the next crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageIssues {
    /// Of the rules; issues by other rules are not compared.
    pub method: String,
    pub codes: Vec<(IssueCode, Severity)>,
}

impl PageIssues {
    /// `None` for a page that was not read whole.
    pub fn of(record: &ContentRecord, page: &PageContent) -> Option<Self> {
        let codes = record.issues.iter().map(|it| (it.code, it.severity));
        (!page.is_truncated()).then(|| Self {
            method: record.envelope.method_version.clone(),
            codes: codes.filter(|it| it.1 != Severity::Notice).collect(),
        })
    }

    fn find(&self, code: IssueCode) -> Option<Severity> {
        let found = self.codes.iter().filter(|it| it.0 == code);
        found.map(|it| it.1).min()
    }
}

/// Changes of issues over the pages that both crawls read whole, by code.
#[derive(Debug, Default)]
pub struct IssueChanges {
    codes: BTreeMap<IssueCode, CodeChange>,
}

#[derive(Debug, Default)]
struct CodeChange {
    before: u64,
    after: u64,
    new: Changed,
    fixed: Changed,
}

#[derive(Debug, Default)]
struct Changed {
    errors: u64,
    pages: u64,
    sample: Vec<String>,
}

impl Changed {
    fn add(&mut self, url: &str, severity: Severity) {
        self.errors += u64::from(severity == Severity::Error);
        self.pages += 1;
        if self.sample.len() < MAX_SAMPLE {
            self.sample.push(label::url(url));
        }
    }

    const fn is_enough(&self) -> bool {
        self.errors >= MIN_ERRORS || self.pages >= MIN_WARNINGS
    }
}

impl IssueChanges {
    pub fn add(&mut self, url: &str, before: &PageIssues, now: &PageIssues) {
        if before == now || before.method != now.method {
            // Equal issues still count as pages of their code.
            if before.method == now.method {
                self.count(before, now);
            }
            return;
        }
        self.count(before, now);
        let all = before.codes.iter().chain(&now.codes).map(|it| it.0);
        for code in all.collect::<BTreeSet<IssueCode>>() {
            let change = self.codes.entry(code).or_default();
            match (before.find(code), now.find(code)) {
                (None, Some(severity)) => change.new.add(url, severity),
                (Some(severity), None) => change.fixed.add(url, severity),
                _ => {}
            }
        }
    }

    fn count(&mut self, before: &PageIssues, now: &PageIssues) {
        let codes = |of: &PageIssues| of.codes.iter().map(|it| it.0).collect::<BTreeSet<_>>();
        for code in codes(before) {
            self.codes.entry(code).or_default().before += 1;
        }
        for code in codes(now) {
            self.codes.entry(code).or_default().after += 1;
        }
    }

    /// A crawl that did not reach the whole site has no `audit.issues_fixed`.
    pub fn finish(
        self,
        run: &EventRun<'_>,
        is_partial: bool,
        at: DateTime<Utc>,
    ) -> Vec<EventDraft> {
        let mut events = Vec::new();
        for (code, change) in self.codes {
            let (before, after) = (change.before, change.after);
            if change.new.is_enough() {
                let severity = match change.new.errors {
                    0 => EventSeverity::Notice,
                    _ => EventSeverity::Warning,
                };
                let states = ((before, Vec::new()), (after, change.new.sample));
                let (kind, pages) = (EventKind::IssuesNew, change.new.pages);
                events.push(issue_event(run, at, code, (kind, severity, pages), states));
            }
            if change.fixed.is_enough() && !is_partial {
                let states = ((before, change.fixed.sample), (after, Vec::new()));
                let (kind, severity) = (EventKind::IssuesFixed, EventSeverity::Info);
                let pages = change.fixed.pages;
                events.push(issue_event(run, at, code, (kind, severity, pages), states));
            }
        }
        events
    }
}

type Sampled = (u64, Vec<String>);

fn issue_event(
    run: &EventRun<'_>,
    at: DateTime<Utc>,
    code: IssueCode,
    (kind, severity, pages): (EventKind, EventSeverity, u64),
    (before, after): (Sampled, Sampled),
) -> EventDraft {
    let state = |(urls, sample)| Some(EventState::Issues(IssuePages { urls, sample }));
    #[expect(clippy::cast_precision_loss, reason = "a number of pages")]
    let effect = pages as f64;
    EventDraft {
        effect,
        ..EventDraft::fact(
            kind,
            severity,
            Subject::new(SubjectKind::Issue, None, code.as_str(), None),
            (state(before), state(after)),
            at,
            run,
            &[&code.as_str(), &run.job],
        )
    }
}

/// How visible a page is to searchers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageStanding {
    /// Of its best keyword.
    pub position: Option<u32>,
    /// In the search console.
    pub clicks: Option<u64>,
}

/// Pages that became `noindex`; those without searchers share one event.
#[derive(Debug, Default)]
pub struct NoindexedPages {
    others: u64,
    directive: Option<Directive>,
}

/// How a page is closed to engines that could be indexed at its last visit; both as sent, without scripts.
pub fn noindexed(before: &PageContent, now: &PageContent) -> Option<Directive> {
    if !before.is_indexable_as_sent() || now.fetched.status != Some(200) {
        return None;
    }
    let prohibits = |source: fn(DirectiveSource) -> bool| {
        let directives: Vec<_> = now
            .robots
            .iter()
            .filter(|it| source(it.source))
            .cloned()
            .collect();
        RobotsEffect::for_agent(&directives, GOOGLEBOT).noindex
    };
    if prohibits(|it| it != DirectiveSource::Header) {
        Some(Directive::Meta)
    } else if prohibits(|it| it == DirectiveSource::Header) {
        Some(Directive::Header)
    } else {
        None
    }
}

impl NoindexedPages {
    /// The event of a page that searchers find; others are counted.
    pub fn add(
        &mut self,
        run: &EventRun<'_>,
        (url, visited_at): (&str, DateTime<Utc>),
        directive: Directive,
        standing: PageStanding,
    ) -> Option<EventDraft> {
        let ranks = |up_to: u32| standing.position.is_some_and(|it| it <= up_to);
        if !ranks(MAX_RANK_OF_OWN_EVENT) && standing.clicks.unwrap_or(0) == 0 {
            self.others += 1;
            self.directive.get_or_insert(directive);
            return None;
        }
        let state = |directive, position| {
            Some(EventState::Directive(IndexDirective {
                directive,
                position,
                pages: None,
            }))
        };
        let event = EventDraft::fact(
            EventKind::PageNoindexed,
            if ranks(MAX_RANK_OF_CRITICAL) {
                EventSeverity::Critical
            } else {
                EventSeverity::Warning
            },
            Subject::page(url),
            (
                state(Directive::Index, None),
                state(directive, standing.position),
            ),
            visited_at,
            run,
            &[&label::url_hash(url), &visited_at.timestamp()],
        );
        let place = f64::from(standing.position.unwrap_or(u32::MAX));
        Some(EventDraft {
            effect: -place,
            ..event
        })
    }

    /// One event for all pages without one of their own.
    pub fn finish(self, run: &EventRun<'_>, site: &str, at: DateTime<Utc>) -> Option<EventDraft> {
        let state = |directive, pages| {
            EventState::Directive(IndexDirective {
                directive,
                position: None,
                pages,
            })
        };
        let after = state(self.directive?, Some(self.others));
        let event = EventDraft::fact(
            EventKind::PageNoindexed,
            EventSeverity::Warning,
            Subject::new(SubjectKind::Site, None, site, None),
            (Some(state(Directive::Index, None)), Some(after)),
            at,
            run,
            &[&"others", &run.job],
        );
        Some(EventDraft {
            effect: f64::MIN,
            ..event
        })
    }
}

/// A hash of the rules of a robots.txt; `None` if it could not be fetched. Comments, the order of groups and rules, and
/// sitemaps do not count; groups of the same robot are one (RFC 9309, 2.2.1).
pub fn robots_hash(fact: &RobotsFact) -> Option<String> {
    let rules = match fact.state {
        RobotsState::Unavailable => return None,
        RobotsState::Absent => String::new(),
        RobotsState::Rules => normalized_rules(&fact.text),
    };
    Some(label::hash(rules.as_bytes()))
}

fn normalized_rules(text: &str) -> String {
    let mut groups: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut robots: Vec<String> = Vec::new();
    let mut in_rules = false;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "user-agent" => {
                if std::mem::take(&mut in_rules) {
                    robots.clear();
                }
                robots.push(value.to_ascii_lowercase());
                groups.entry(value.to_ascii_lowercase()).or_default();
            }
            "allow" | "disallow" => {
                in_rules = true;
                if value.is_empty() {
                    continue;
                }
                for robot in &robots {
                    let rules = groups.entry(robot.clone()).or_default();
                    rules.insert((name.clone(), value.to_owned()));
                }
            }
            _ => {}
        }
    }
    let lines = groups.into_iter().map(|(robot, rules)| {
        let rules = rules
            .into_iter()
            .map(|(name, value)| format!("{name}:{value}\n"));
        format!("user-agent:{robot}\n{}", rules.collect::<String>())
    });
    lines.collect()
}

/// Two versions of the robots.txt of an origin, as hashes.
#[derive(Debug, Clone, Copy)]
pub struct RobotsChange<'a> {
    pub origin: &'a str,
    pub before: &'a str,
    pub now: &'a str,
    /// Pages that rank or that are targets, blocked now and not before.
    pub blocked: &'a [String],
    pub fetched_at: DateTime<Utc>,
}

pub fn robots_changed(run: &EventRun<'_>, of: &RobotsChange<'_>) -> Option<EventDraft> {
    if of.before == of.now {
        return None;
    }
    let state = |hash: &str, blocked: &[String]| {
        Some(EventState::Robots(RobotsVersion {
            hash: hash.to_owned(),
            blocked: blocked
                .iter()
                .take(MAX_BLOCKED)
                .map(|it| label::url(it))
                .collect(),
        }))
    };
    Some(EventDraft::fact(
        EventKind::RobotsChanged,
        if of.blocked.is_empty() {
            EventSeverity::Notice
        } else {
            EventSeverity::Critical
        },
        Subject::new(SubjectKind::Site, None, of.origin, Some(of.origin)),
        (state(of.before, &[]), state(of.now, of.blocked)),
        of.fetched_at,
        run,
        &[&of.now, &run.job],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::page_content::RobotsDirective;

    const RUN: EventRun<'_> = EventRun {
        job: 9,
        simulated: false,
        method: "content/2",
    };

    fn issues(codes: &[(IssueCode, Severity)]) -> PageIssues {
        PageIssues {
            method: "content/2".to_owned(),
            codes: codes.to_vec(),
        }
    }

    fn changed(
        pages: usize,
        before: &PageIssues,
        now: &PageIssues,
        is_partial: bool,
    ) -> Vec<String> {
        let mut changes = IssueChanges::default();
        for page in 0..pages {
            changes.add(&format!("https://a.example/{page}"), before, now);
        }
        let events = changes.finish(&RUN, is_partial, DateTime::UNIX_EPOCH);
        events.into_iter().map(|it| it.dedupe_key).collect()
    }

    #[test]
    fn one_error_or_five_warnings_are_an_event() {
        let error = issues(&[(IssueCode::Http4xx, Severity::Error)]);
        let warning = issues(&[(IssueCode::Noindex, Severity::Warning)]);
        let none = issues(&[]);
        assert_eq!(
            changed(1, &none, &error, true),
            ["audit.issues_new:http4xx:9"]
        );
        assert!(changed(4, &none, &warning, true).is_empty());
        assert_eq!(
            changed(5, &none, &warning, true),
            ["audit.issues_new:noindex:9"]
        );
        assert_eq!(
            changed(1, &error, &none, false),
            ["audit.issues_fixed:http4xx:9"]
        );
        assert!(changed(1, &error, &none, true).is_empty());
        assert!(changed(9, &error, &error, false).is_empty());
        let other = PageIssues {
            method: "content/3".to_owned(),
            ..error
        };
        assert!(changed(9, &none, &other, false).is_empty());
    }

    fn page(robots: Vec<RobotsDirective>) -> PageContent {
        let mut page = PageContent::blank("https://a.example/");
        page.robots = robots;
        page
    }

    #[test]
    fn a_page_is_noindexed_by_meta_or_header() {
        let meta = |it| {
            page(vec![RobotsDirective::from_meta(
                None,
                it,
                DirectiveSource::Head,
            )])
        };
        let header = |it| page(vec![RobotsDirective::from_header(it)]);
        let open = page(vec![]);
        assert!(open.is_indexable_as_sent());
        assert_eq!(noindexed(&open, &meta("noindex")), Some(Directive::Meta));
        assert_eq!(noindexed(&open, &meta("none")), Some(Directive::Meta));
        assert_eq!(
            noindexed(&open, &header("noindex")),
            Some(Directive::Header)
        );
        assert_eq!(noindexed(&open, &header("otherbot: noindex")), None);
        assert_eq!(noindexed(&meta("noindex"), &meta("noindex")), None);
        let mut gone = meta("noindex");
        gone.fetched.status = Some(404);
        assert_eq!(noindexed(&open, &gone), None);
    }

    #[test]
    fn pages_that_searchers_find_have_events_of_their_own() {
        let mut pages = NoindexedPages::default();
        let mut add = |position, clicks| {
            let standing = PageStanding { position, clicks };
            let visit = ("https://a.example/", DateTime::UNIX_EPOCH);
            pages
                .add(&RUN, visit, Directive::Meta, standing)
                .map(|it| it.severity)
        };
        assert_eq!(add(Some(20), None), Some(EventSeverity::Critical));
        assert_eq!(add(Some(50), None), Some(EventSeverity::Warning));
        assert_eq!(add(None, Some(1)), Some(EventSeverity::Warning));
        assert_eq!((add(Some(51), Some(0)), add(None, None)), (None, None));
        let others = pages
            .finish(&RUN, "a.example", DateTime::UNIX_EPOCH)
            .unwrap();
        let Some(EventState::Directive(after)) = others.after else {
            panic!("a directive")
        };
        assert_eq!(after.pages, Some(2));
        assert_eq!(
            NoindexedPages::default().finish(&RUN, "a", DateTime::UNIX_EPOCH),
            None
        );
    }

    fn hash(text: &str) -> Option<String> {
        robots_hash(&RobotsFact {
            origin: "https://a.example".to_owned(),
            state: RobotsState::Rules,
            text: text.to_owned(),
        })
    }

    #[test]
    fn only_rules_change_the_hash_of_robots_txt() {
        let rules = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
        for same in [
            "# comment\nuser-agent: * # all\nAllow: /a/b\nDisallow:/a\nSitemap: https://a.example/s.xml",
            "User-agent: *\nDisallow: /a\nCrawl-delay: 5\n\nUser-agent: *\nAllow: /a/b\nDisallow:\n",
        ] {
            assert_eq!(hash(same), hash(rules), "{same}");
        }
        for other in [
            "User-agent: *\nDisallow: /A\nAllow: /a/b",
            "User-agent: x\nDisallow: /a\nAllow: /a/b",
            "",
        ] {
            assert_ne!(hash(other), hash(rules), "{other}");
        }
        let unavailable = RobotsFact {
            origin: String::new(),
            state: RobotsState::Unavailable,
            text: rules.to_owned(),
        };
        assert_eq!(robots_hash(&unavailable), None);
    }
}
