//! Some formulas also run in browsers. Their constants (`crates/web/assets/js/formulas.js`) and test vectors
//! (`tests/modules/vectors.json`) are generated here from the analysis; a difference fails.

use analysis::{
    ctr::{
        ClickCurve, MAX_CTR, PUBLISHED_CURVE, PageClicks, Placement, SerpLayout, expected_ctr,
        remaining_share, under_ai_overview,
    },
    keyword_metrics::{
        BRANDED_TARGET, MIN_MONTHS, Opportunity, PriorityInput, TARGET, WEIGHTS, demand,
        intent_weight, opportunity, priorities,
    },
    keyword_text::normalized,
    observation::search_page::{Feature, FeatureCoverage},
    search_intent::Intent,
    url_rules::TRACKING_KEYS,
};
use harness::recorded::compared_to;
use programs::clusters::{TopPage, clusters};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt::Write, path::Path};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const WORDS: &str = include_str!("../../crates/texts/src/search_intent/words.txt");
/// Below the tenth position the effect of an overview is constant.
const PLACES_UNDER_OVERVIEW: u32 = 10;
const DEPTH: u32 = 100;

#[test]
fn javascript_constants_match_the_analysis() {
    let mut text = "// Written by the test suite::formulas, from crates/analysis.\n".to_owned();
    let mut constant = |comment: &str, name: &str, value: Value| {
        let value = portable(value);
        write!(text, "\n// {comment}\nexport const {name} = {value};\n").unwrap();
    };
    constant(
        "Clicks by position from 1 on, what a feature or an AI overview leaves of them, and the maximum.",
        "CLICKS",
        clicks(),
    );
    let intents = by_name(Intent::ALL.map(|it| (it.name(), json!(intent_weight(it)))));
    constant(
        "A priority's weights and targets.",
        "PRIORITY",
        json!({
            "weights": WEIGHTS,
            "intents": intents,
            "target": TARGET,
            "brandedTarget": BRANDED_TARGET,
            "minMonths": MIN_MONTHS,
        }),
    );
    constant(
        "Query keys that only count visits, besides utm_*.",
        "TRACKING_KEYS",
        json!(TRACKING_KEYS),
    );
    constant(
        "Words without diacritics by language; a star ends a beginning, an underscore joins a phrase.",
        "INTENT_WORDS",
        intent_words(),
    );
    assert_generated("crates/web/assets/js/formulas.js", &text);
}

#[test]
fn javascript_test_vectors_match_the_analysis() {
    let mut numbers = Numbers(1);
    let vectors = [
        ("clicks", expected_clicks()),
        ("demands", demands(&mut numbers)),
        ("opportunities", opportunities(&mut numbers)),
        ("priorities", lists_with_priorities(&mut numbers)),
        ("clusters", lists_with_clusters(&mut numbers)),
        ("normalized", normalized_texts()),
    ];
    let mut text = "{".to_owned();
    for (at, (name, rows)) in vectors.into_iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(text, "{comma}\n\"{name}\": [").unwrap();
        for (at, row) in rows.into_iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let row = portable(row);
            write!(text, "{comma}\n  {row}").unwrap();
        }
        text.push_str("\n]");
    }
    text.push_str("\n}\n");
    assert_generated("tests/modules/vectors.json", &text);
}

fn assert_generated(file: &str, now: &str) {
    compared_to(
        &Path::new(ROOT).join(file),
        now,
        env!("CARGO_TARGET_TMPDIR"),
    );
}

/// Rounded to 15 significant digits: logarithms differ in the last digit between C libraries.
fn portable(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(portable).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, it)| (name, portable(it)));
            Value::Object(members.collect())
        }
        Value::Number(number) if number.is_f64() => {
            let digits = format!("{:.14e}", number.as_f64().unwrap());
            json!(digits.parse::<f64>().unwrap())
        }
        other => other,
    }
}

fn by_name<'n>(values: impl IntoIterator<Item = (&'n str, Value)>) -> Map<String, Value> {
    let named = values.into_iter().map(|(name, it)| (name.to_owned(), it));
    named.collect()
}

fn clicks() -> Value {
    let curve = ClickCurve::published();
    let rates: Vec<f64> = (1..=DEPTH).map(|position| curve.at(position)).collect();
    let left = Feature::ALL.into_iter().filter_map(|feature| {
        let left = remaining_share(feature)?;
        Some((feature.name(), json!(left)))
    });
    let under: Vec<f64> = (1..=PLACES_UNDER_OVERVIEW).map(under_ai_overview).collect();
    json!({
        "curve": PUBLISHED_CURVE,
        "rates": rates,
        "left": by_name(left),
        "leftUnderOverview": under,
        "max": MAX_CTR,
    })
}

fn intent_words() -> Value {
    let blocks = WORDS.split("\n\n").map(|block| {
        let rows: BTreeMap<&str, &str> = block
            .lines()
            .filter_map(|line| line.split_once(": "))
            .collect();
        let words = json!({ "question": rows["question"], "commercial": rows["commercial"] });
        (rows["language"], words)
    });
    Value::Object(by_name(blocks))
}

/// A linear congruential generator (Knuth, MMIX), independent of library versions.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// `None` in one of four cases.
    fn known<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(4) > 0).then(|| value(self))
    }

    fn hundredths(&mut self, end: u64) -> f64 {
        f64::from(u32::try_from(self.below(end)).unwrap()) / 100.0
    }

    fn intent(&mut self) -> Option<Intent> {
        self.known(|it| Intent::ALL[usize::try_from(it.below(4)).unwrap()])
    }
}

fn layout(features: &[Feature], overview: bool, intent: Option<Intent>) -> SerpLayout {
    let overview = overview.then_some(Feature::AiOverview);
    let features = features.iter().copied().chain(overview).collect();
    SerpLayout::new(features, FeatureCoverage::Partial, intent)
}

fn expected_clicks() -> Vec<Value> {
    let intents = [None, Some(Intent::Informational), Some(Intent::Commercial)];
    let pages: [&[Feature]; 4] = [
        &[],
        &[Feature::PeopleAlsoAsk],
        &[Feature::PaidTop],
        &[Feature::FeaturedSnippet, Feature::Shopping],
    ];
    let mut rows = Vec::new();
    for position in (1..=31).chain([50, 99, 100, 101]) {
        for features in pages {
            for (overview, intent) in intents
                .map(|it| (true, it))
                .into_iter()
                .chain([(false, None)])
            {
                let layout = layout(features, overview, intent);
                rows.push(json!({
                    "position": position,
                    "features": features.iter().map(|it| it.name()).collect::<Vec<_>>(),
                    "overview": overview,
                    "intent": intent.map(Intent::name),
                    "expected": expected_ctr(Placement::plain(position), &layout),
                }));
            }
        }
    }
    rows
}

fn demands(numbers: &mut Numbers) -> Vec<Value> {
    let mut rows = Vec::new();
    for row in 0..40 {
        let limit = [3, 90, 5_000, 100_000][row % 4];
        let volumes: Vec<Option<u64>> = (0..12)
            .map(|_| numbers.known(|it| it.below(limit)))
            .collect();
        let months: Vec<(u32, Option<u64>)> = (1..).zip(volumes.iter().copied()).collect();
        let found = demand(&months);
        rows.push(json!({
            "volumes": volumes,
            "trend": found.map(|it| it.trend),
            "peakMonth": found.and_then(|it| it.peak_month),
        }));
    }
    rows
}

fn opportunities(numbers: &mut Numbers) -> Vec<Value> {
    let mut rows = Vec::new();
    for _ in 0..60 {
        let position = numbers.known(|it| u32::try_from(it.below(40) + 1).unwrap());
        let (branded, overview) = (numbers.below(3) == 0, numbers.below(2) == 0);
        let intent = numbers.intent();
        let volume = numbers.known(|it| it.below(20_000));
        let difficulty = numbers.known(|it| it.hundredths(10_001));
        let layout = layout(&[Feature::PaidTop], overview, intent);
        let clicks = PageClicks::new(ClickCurve::published(), &layout);
        let now = position.map_or(0.0, |it| clicks.at(Placement::plain(it)));
        let found = opportunity(position, now, &clicks, branded);
        rows.push(json!({
            "position": position,
            "branded": branded,
            "overview": overview,
            "intent": intent.map(Intent::name),
            "volume": volume,
            "difficulty": difficulty,
            "target": found.target,
            "gain": found.ctr_gain,
            "clicks": Opportunity::clicks(found.ctr_gain, volume, difficulty),
        }));
    }
    rows
}

fn lists_with_priorities(numbers: &mut Numbers) -> Vec<Value> {
    let mut rows = Vec::new();
    for length in (1..=5).cycle().take(30) {
        let keywords: Vec<PriorityInput> = (0..length)
            .map(|_| PriorityInput {
                opportunity: numbers.known(|it| it.hundredths(50_000)),
                cpc: numbers.known(|it| it.hundredths(900)),
                intent: numbers.intent(),
                trend: numbers.known(|it| it.hundredths(301) - 1.5),
            })
            .collect();
        let found = keywords.iter().zip(priorities(&keywords));
        let found: Vec<Value> = found
            .map(|(keyword, priority)| {
                json!({
                    "opportunity": keyword.opportunity,
                    "cpc": keyword.cpc,
                    "intent": keyword.intent.map(Intent::name),
                    "trend": keyword.trend,
                    "score": priority.as_ref().map(|it| it.score),
                    "missing": priority.map(|it| it.missing),
                })
            })
            .collect();
        rows.push(json!(found));
    }
    rows
}

fn lists_with_clusters(numbers: &mut Numbers) -> Vec<Value> {
    let mut rows = Vec::new();
    for length in (2..=12).cycle().take(33) {
        let pages: Vec<TopPage> = (0..length)
            .map(|keyword_id| {
                let mut urls: Vec<String> = Vec::new();
                while urls.len() < 12 {
                    let url = numbers.below(40).to_string();
                    if !urls.contains(&url) {
                        urls.push(url);
                    }
                }
                TopPage { keyword_id, urls }
            })
            .collect();
        let urls: Vec<&[String]> = pages.iter().map(|it| it.urls.as_slice()).collect();
        rows.push(json!({ "results": urls, "groups": clusters(&pages).groups }));
    }
    rows
}

fn normalized_texts() -> Vec<Value> {
    let texts = [
        "  Ｒｕｓｔ\u{a0} \t SEO ",
        "ŽLUŤOUČKÝ kůň",
        "e\u{301}clair",
        "İstanbul OTELLERİ",
        "STRASSE Straße",
        "ﬁnance ²",
        "ΟΔΥΣΣΕΥΣ",
        "\u{2003}東京　ホテル\n",
        "",
    ];
    let rows = texts.map(|text| json!({ "text": text, "normalized": normalized(text) }));
    rows.to_vec()
}
