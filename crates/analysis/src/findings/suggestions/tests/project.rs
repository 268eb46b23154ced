//! The records of a project without faults.

use super::*;
use crate::findings::{
    broken_links::BrokenLink, cannibalization::CannibalizationRecord,
    competitors::CompetitorRecord, content::ContentRecord, content_changes::ChangeRecord,
    eeat::EeatRecord, geo_score::GeoRecord, rankings::RankPoint, rankings::RankingRecord,
    schema::SchemaRecord, vitals::VitalsRecord,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Pages of the project, each with one keyword.
pub const PAGES: i64 = 8;

/// All records of a project.
#[derive(Debug, Clone, Default)]
pub struct Project {
    pub rankings: Vec<RankingRecord>,
    pub histories: BTreeMap<i64, Vec<RankPoint>>,
    pub rows: Vec<ConsoleRow>,
    pub clicks: BTreeMap<String, Vec<DayClicks>>,
    pub contents: Vec<ContentRecord>,
    pub links: Vec<BrokenLink>,
    pub schemas: Vec<SchemaRecord>,
    pub vitals: Vec<VitalsRecord>,
    pub geo: Vec<GeoRecord>,
    pub eeat: Vec<EeatRecord>,
    pub changes: Vec<ChangeRecord>,
    pub contests: Vec<CannibalizationRecord>,
    pub competitors: Vec<CompetitorRecord>,
    pub answers: Vec<AiAnswers>,
    pub complete: Vec<crate::result_type::ResultType>,
}

pub fn now() -> DateTime<Utc> {
    "2026-11-20T06:00:00Z".parse().unwrap()
}

pub fn url(page: i64) -> String {
    format!("https://example.com/{page}")
}

/// A record from its fields and those of the envelope.
pub fn read<T: DeserializeOwned>(kind: &str, page: Option<&str>, fields: Value) -> T {
    let mut record = json!({
        "type": kind, "projectId": 7, "keywordId": null, "url": page, "measuredAt": now(), "status": "ok",
        "provenance": "measured", "methodVersion": format!("{kind}/1"), "sampleSize": 1, "warnings": [],
    });
    let Value::Object(fields) = fields else {
        panic!("no object");
    };
    record.as_object_mut().unwrap().extend(fields);
    serde_json::from_value(record).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

/// A keyword at a position, with 1,000 searches a month.
pub fn ranking(keyword: i64, position: Option<u32>) -> RankingRecord {
    let share = |at: u32| crate::ctr::ctr(at);
    let now = position.map_or(0.0, share);
    let gain = if position.is_some_and(|it| it <= 3) {
        0.0
    } else {
        share(3) - now
    };
    read(
        "rankings",
        position.map(|_| url(keyword)).as_deref(),
        json!({
            "keywordId": keyword, "keyword": format!("cups {keyword}"), "engine": "google", "country": "us",
            "language": "en", "device": "desktop", "position": position, "depthChecked": 100,
            "inFeaturedSnippet": false, "ownUrls": [], "changeKind": "same", "searchVolume": 1000,
            "expectedCtr": now, "estimatedClicks": 1000.0 * now, "potentialClicks": 1000.0 * (share(1) - now),
            "strikingDistance": position.is_some_and(|it| (4..=20).contains(&it)), "targetPosition": 3, "targetCtrGain": gain,
        }),
    )
}

pub fn content(page: i64) -> ContentRecord {
    read(
        "content",
        Some(&url(page)),
        json!({
            "pageType": if page == 1 { "home" } else { "article" }, "indexable": true, "noindex": false, "language": {},
            "charset": {"name": "UTF-8", "source": "header", "replacedSequences": 0},
            "title": {"length": 30, "truncated": false, "duplicateOf": []},
            "metaDescription": {"length": 100, "truncated": false, "duplicateOf": []},
            "headings": [], "wordCount": 900, "mainWordCount": 800, "sentences": 60, "readability": {"others": []},
            "uniqueness": {"exactDuplicates": []},
            "images": {"count": 0, "withoutAlt": 0, "withoutSize": 0, "oversized": 0},
            "links": {"internal": 9, "external": 0, "nofollow": 0, "uniqueInternal": 9, "inlinks": 9,
                      "uniqueInlinks": 9, "depth": 1, "orphan": false},
            "freshness": {"published": "2025-01-10", "modified": "2026-01-10"}, "issues": [],
        }),
    )
}

pub fn schema(page: i64) -> SchemaRecord {
    read(
        "schema",
        Some(&url(page)),
        json!({
            "formats": {"jsonLd": 1, "microdata": 0, "rdfa": 0}, "parseErrors": [], "features": ["article"],
            "entities": [{"types": ["Article"], "format": "jsonLd", "location": {"line": 3, "column": 1},
                "properties": 7, "eligibility": "eligible", "feature": "article", "missingRequired": [],
                "missingRecommended": [], "issues": []}],
            "errors": 0, "warningCount": 0,
            "expiries": [{"until": "2027-06-30", "property": "priceValidUntil", "of": "Offer"}],
        }),
    )
}

pub fn vitals(page: i64, source: &str, lcp: f64) -> VitalsRecord {
    let field = if source == "field" { "p75" } else { "value" };
    let metric = |value: f64| {
        let mut it = json!({"histogram": []});
        it[field] = json!(value);
        it
    };
    read(
        "vitals",
        Some(&url(page)),
        json!({
            "requestedUrl": url(page), "formFactor": "phone", "source": source,
            "metrics": {"lcp": metric(lcp), "cls": metric(0.05), "inp": metric(120.0)},
            "clsSources": [], "opportunities": [], "resourceSummary": {},
        }),
    )
}

pub fn eeat(scope: &str, page: i64) -> EeatRecord {
    read(
        "eeat",
        Some(&url(page)),
        json!({
            "scope": scope, "ymyl": {"topics": [], "evidence": []}, "weightsBasis": "judgement", "capped": false,
            "pillars": {}, "signals": [], "missing": [], "authors": [],
        }),
    )
}

pub fn geo(page: i64) -> GeoRecord {
    read(
        "geo-score",
        Some(&url(page)),
        json!({"weightsBasis": "judgement", "gates": [], "factors": [], "agents": [], "pillarHits": 9, "topActions": []}),
    )
}

pub fn competitor(domain: &str) -> CompetitorRecord {
    read(
        "competitors",
        None,
        json!({
            "domain": domain, "class": "direct", "classSource": "assumed", "commonKeywords": 8, "competitorKeywords": 9,
            "ownKeywords": 8, "gapKeywords": [], "gapKeywordCount": 0, "advantageKeywords": [],
            "advantageKeywordCount": 0, "firstSeenAt": now(), "isTracked": false, "source": "detected",
        }),
    )
}

/// Two own pages that compete for a keyword.
pub fn contest(keyword: i64, score: f64, action: &str) -> CannibalizationRecord {
    let severity = if score >= 10.0 { "high" } else { "none" };
    let page = |page: i64, share: f64| json!({"url": url(page), "share": share, "averagePosition": 6.0, "bestPosition": 4, "snapshotsAsBest": 4});
    read(
        "cannibalization",
        Some(&url(keyword)),
        json!({
            "keywordId": keyword, "keyword": format!("cups {keyword}"), "engine": "google", "country": "us",
            "language": "en", "device": "desktop",
            "window": {"from": now() - TimeDelta::days(27), "to": now(), "snapshots": 9},
            "urls": [page(keyword, 0.6), page(keyword % PAGES + 1, 0.4)], "primaryUrl": url(keyword), "score": score,
            "severity": severity, "split": 0.9, "flipRate": 0.5, "flipReturns": 2, "overlapRate": 0.0, "hostClusterRate": 0.0,
            "cost": 0.2, "lostClicks": 40.0, "textSimilarity": 0.6, "action": action, "shareBasis": "expectedCtr",
            "migrations": [],
        }),
    )
}

pub fn row(keyword: i64, clicks: u64, impressions: u64, position: f64) -> ConsoleRow {
    ConsoleRow {
        source: ImportedSource::SearchConsole,
        keyword_id: Some(keyword),
        keyword: format!("cups {keyword}"),
        url: url(keyword),
        from: "2026-10-22".parse().unwrap(),
        to: "2026-11-18".parse().unwrap(),
        clicks,
        impressions,
        position,
        measured_at: now(),
    }
}

pub fn answers(keyword: i64, mentions: u64) -> AiAnswers {
    let competitor = |name: &str, mention_count| AiCompetitor {
        name: name.to_owned(),
        mention_count,
    };
    AiAnswers {
        result_type: crate::result_type::ResultType::AiVisibility,
        keyword_id: keyword,
        keyword: format!("cups {keyword}"),
        engine: "chatgpt".to_owned(),
        measured_at: now(),
        provenance: crate::provenance::Provenance::Measured,
        answer_count: 25,
        mention_count: mentions,
        competitors: vec![competitor("Acme", 12), competitor("Potter", 9)],
        cited_page_types: vec![AiCitedPageType {
            page_type: crate::page_kind::PageKind::Article,
            answer_count: 9,
            example: None,
        }],
    }
}

impl Project {
    /// Top positions, complete pages, answers that name the project.
    pub fn clean() -> Self {
        let pages = 1..=PAGES;
        let place = |it: i64| u32::try_from(it % 3 + 1).unwrap();
        Self {
            rankings: pages
                .clone()
                .map(|it| ranking(it, Some(place(it))))
                .collect(),
            rows: pages
                .clone()
                .map(|it| row(it, 500, 2_000, f64::from(place(it))))
                .collect(),
            contents: pages.clone().map(content).collect(),
            schemas: pages.clone().map(schema).collect(),
            vitals: pages
                .clone()
                .flat_map(|it| [vitals(it, "field", 2_000.0), vitals(it, "lab", 2_000.0)])
                .collect(),
            geo: pages.clone().map(geo).collect(),
            eeat: pages
                .map(|it| eeat("page", it))
                .chain([eeat("site", 1)])
                .collect(),
            contests: vec![contest(2, 5.0, "none")],
            competitors: vec![competitor("rival.example"), competitor("other.example")],
            answers: vec![answers(1, 9), answers(2, 3)],
            ..Self::default()
        }
    }

    /// With previous suggestions.
    pub fn suggestions_at(
        &self,
        at: DateTime<Utc>,
        previous: &[SuggestionRecord],
        ignored: &BTreeSet<String>,
    ) -> Vec<SuggestionRecord> {
        let mut searches = Searches::new(SuggestionContext {
            project_id: 7,
            at,
            own_curve: None,
            previous,
            ignored,
            other_values: &[],
        });
        self.rankings.iter().for_each(|it| searches.add_ranking(it));
        for (keyword, points) in &self.histories {
            searches.add_rank_history(*keyword, "google", points);
        }
        self.rows.iter().for_each(|it| searches.add_console_row(it));
        for (url, days) in &self.clicks {
            searches.add_click_history(url, days);
        }
        let mut findings = searches.finish();
        self.contents.iter().for_each(|it| findings.add_content(it));
        self.links
            .iter()
            .for_each(|it| findings.add_broken_link(it));
        self.schemas.iter().for_each(|it| findings.add_schema(it));
        self.vitals.iter().for_each(|it| findings.add_vitals(it));
        self.geo.iter().for_each(|it| findings.add_geo_score(it));
        self.eeat.iter().for_each(|it| findings.add_eeat(it));
        self.changes
            .iter()
            .for_each(|it| findings.add_content_change(it));
        self.contests
            .iter()
            .for_each(|it| findings.add_cannibalization(it));
        self.competitors
            .iter()
            .for_each(|it| findings.add_competitor(it));
        self.answers
            .iter()
            .for_each(|it| findings.add_ai_answers(it));
        self.complete
            .iter()
            .for_each(|it| findings.complete(*it, at));
        findings.suggestions()
    }

    /// Without previous suggestions.
    pub fn suggestions(&self) -> Vec<SuggestionRecord> {
        self.suggestions_at(now(), &[], &BTreeSet::new())
    }

    /// The rules of [`Self::suggestions`].
    pub fn rules(&self) -> BTreeSet<String> {
        let all = self.suggestions();
        all.into_iter().map(|it| it.rule_id).collect()
    }

    /// All records in their published form.
    pub fn documents(&self) -> Vec<Value> {
        fn all<T: Serialize>(records: &[T]) -> impl Iterator<Item = Value> {
            records.iter().map(|it| {
                let text = serde_json::to_string(it).unwrap();
                serde_json::from_str(&text).unwrap()
            })
        }
        all(&self.rankings)
            .chain(all(&self.rows))
            .chain(all(&self.contents))
            .chain(all(&self.links))
            .chain(all(&self.schemas))
            .chain(all(&self.vitals))
            .chain(all(&self.geo))
            .chain(all(&self.eeat))
            .chain(all(&self.changes))
            .chain(all(&self.contests))
            .chain(all(&self.competitors))
            .chain(all(&self.answers))
            .collect()
    }

    /// The same a day later, with everything remeasured.
    pub fn a_day_later(mut self) -> Self {
        let later = now() + TimeDelta::days(1);
        each(&mut self.rankings, |it| &mut it.envelope.measured_at, later);
        each(&mut self.rows, |it| &mut it.measured_at, later);
        each(&mut self.contents, |it| &mut it.envelope.measured_at, later);
        each(&mut self.links, |it| &mut it.envelope.measured_at, later);
        each(&mut self.schemas, |it| &mut it.envelope.measured_at, later);
        each(&mut self.vitals, |it| &mut it.envelope.measured_at, later);
        each(&mut self.geo, |it| &mut it.envelope.measured_at, later);
        each(&mut self.eeat, |it| &mut it.envelope.measured_at, later);
        each(&mut self.changes, |it| &mut it.envelope.measured_at, later);
        each(&mut self.contests, |it| &mut it.envelope.measured_at, later);
        each(
            &mut self.competitors,
            |it| &mut it.envelope.measured_at,
            later,
        );
        each(&mut self.answers, |it| &mut it.measured_at, later);
        self
    }
}

fn each<T>(
    records: &mut [T],
    measured_at: impl Fn(&mut T) -> &mut DateTime<Utc>,
    at: DateTime<Utc>,
) {
    for it in records {
        *measured_at(it) = at;
    }
}
