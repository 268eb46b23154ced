use super::*;
use analysis::observation::search_page::{Device, Feature};
use analysis::url_rules::SiteScope;
use chrono::{DateTime, Days, NaiveDate, Utc};

struct Noon;

impl Clock for Noon {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).unwrap()
    }
}

fn sandbox(settings: SandboxSettings) -> Sandbox {
    Sandbox::new(settings, Arc::new(Noon))
}

fn query(keyword: &str, day: u64) -> SearchQuery {
    SearchQuery {
        keyword: keyword.to_owned(),
        country: "de".to_owned(),
        language: "de".to_owned(),
        device: Device::Desktop,
        location: None,
        depth: 100,
        day: NaiveDate::from_ymd_opt(2026, 11, 1).unwrap() + Days::new(day),
        site: "acme.com".to_owned(),
    }
}

fn pages(count: u64, day: u64) -> Vec<SearchPage> {
    let sandbox = sandbox(SandboxSettings::default());
    (0..count)
        .map(|it| {
            sandbox
                .answer(&query(&format!("keyword {it}"), day))
                .unwrap()
        })
        .collect()
}

fn own_position(page: &SearchPage) -> Option<u32> {
    let site = SiteScope::of("acme.com");
    page.organic()
        .find(|(_, result)| site.owns(&result.url))
        .map(|(_, result)| result.position)
}

#[test]
fn pages_depend_only_on_query_and_seed() {
    let page_of_seed = |seed| {
        sandbox(SandboxSettings {
            seed,
            ..Default::default()
        })
        .answer(&query("shoes", 0))
    };
    assert_eq!(page_of_seed(1), page_of_seed(1));
    assert_ne!(page_of_seed(1), page_of_seed(2));
    let mut elsewhere = query("shoes", 0);
    elsewhere.country = "at".to_owned();
    assert_ne!(
        sandbox(SandboxSettings::default()).answer(&elsewhere),
        page_of_seed(0)
    );
    assert_eq!(
        sandbox(SandboxSettings::default())
            .answer(&query("  SHOES ", 0))
            .unwrap()
            .blocks
            .len(),
        page_of_seed(0).unwrap().blocks.len()
    );
}

#[test]
fn pages_are_labeled_simulated() {
    let page = &pages(1, 0)[0];
    assert_eq!(
        (page.provider.as_str(), page.provenance),
        ("sandbox", Provenance::Simulated)
    );
    assert_eq!(page.depth_checked(), 100);
    let site = SiteScope::of("acme.com");
    assert!(
        page.organic()
            .all(|(_, it)| it.url.contains(".example/") || site.owns(&it.url))
    );
}

#[test]
fn positions_run_without_gaps_and_in_order() {
    for page in pages(50, 0) {
        assert!(
            page.organic()
                .zip(1..)
                .all(|((_, result), expected)| result.position == expected)
        );
        assert!(
            page.blocks
                .iter()
                .zip(1..)
                .all(|(it, expected)| it.absolute_position == Some(expected))
        );
    }
}

#[test]
fn the_site_ranks_for_most_keywords_and_not_for_some() {
    let positions: Vec<_> = pages(1000, 0).iter().map(own_position).collect();
    let ranked = positions.iter().flatten().count();
    let top_ten = positions.iter().flatten().filter(|it| **it <= 10).count();
    assert!((700..900).contains(&ranked), "{ranked}");
    assert!((120..350).contains(&top_ten), "{top_ten}");
}

#[test]
fn ranks_move_from_day_to_day_but_not_far() {
    let (today, tomorrow) = (pages(300, 0), pages(300, 1));
    let moves: Vec<u32> = today
        .iter()
        .zip(&tomorrow)
        .filter_map(|(now, then)| Some(own_position(now)?.abs_diff(own_position(then)?)))
        .collect();
    assert!(moves.iter().any(|it| *it > 0) && moves.contains(&0));
    assert!(moves.iter().all(|it| *it <= 15), "{:?}", moves.iter().max());
}

/// Mean change of the own positions since the day before.
fn unrest(day: u64) -> f64 {
    let (before, now) = (pages(200, day - 1), pages(200, day));
    let moves: Vec<f64> = before
        .iter()
        .zip(&now)
        .filter_map(|(was, is)| Some(f64::from(own_position(was)?.abs_diff(own_position(is)?))))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "at most 200")]
    let count = moves.len() as f64;
    moves.iter().sum::<f64>() / count
}

#[test]
fn engine_updates_once_a_quarter() {
    let days: Vec<f64> = (1..=91).map(unrest).collect();
    let mut sorted = days.clone();
    sorted.sort_by(f64::total_cmp);
    let (largest, usual) = (sorted[90], sorted[45]);
    assert!(largest > 2.0 * usual, "{largest} {usual}");
}

#[test]
fn own_pages_alternate_for_few_keywords() {
    let best = |page: &SearchPage| {
        let site = SiteScope::of("acme.com");
        let mut own = page.organic().filter(|(_, it)| site.owns(&it.url));
        own.next().map(|(_, it)| it.url.clone())
    };
    let days: Vec<Vec<Option<String>>> = (0..28)
        .map(|day| pages(300, day).iter().map(best).collect())
        .collect();
    let flips = |keyword: usize| {
        let urls: Vec<&String> = days
            .iter()
            .filter_map(|day| day[keyword].as_ref())
            .collect();
        urls.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    let flipping = (0..300).filter(|it| flips(*it) >= 2).count();
    assert!((4..40).contains(&flipping), "{flipping}");
}

#[test]
fn top_competitors_change_over_months() {
    let leaders = |day| {
        let mut seen = std::collections::BTreeMap::new();
        for page in pages(100, day) {
            for (_, result) in page.organic().take(10) {
                let host = result.url.split('/').nth(2).unwrap().to_owned();
                *seen.entry(host).or_insert(0_u32) += 1;
            }
        }
        let mut hosts: Vec<(u32, String)> = seen.into_iter().map(|(host, n)| (n, host)).collect();
        hosts.sort();
        hosts
            .into_iter()
            .rev()
            .take(20)
            .map(|(_, host)| host)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let (now, tomorrow, later) = (leaders(0), leaders(1), leaders(300));
    let shared = |other: &std::collections::BTreeSet<String>| now.intersection(other).count();
    assert!(shared(&tomorrow) >= 16, "{}", shared(&tomorrow));
    assert!((2..20).contains(&shared(&later)), "{}", shared(&later));
}

#[test]
fn pages_have_features_and_some_overviews_cite_the_site() {
    let pages = pages(1000, 0);
    let count = |feature| {
        pages
            .iter()
            .filter(|page| page.features().any(|(_, it)| it.feature == feature))
            .count()
    };
    assert!(
        (300..400).contains(&count(Feature::AiOverview)),
        "{}",
        count(Feature::AiOverview)
    );
    assert!((100..200).contains(&count(Feature::LocalPack)));
    assert_eq!(count(Feature::RelatedSearches), 1000);
    let site = SiteScope::of("acme.com");
    let overviews = pages.iter().filter_map(|it| it.ai_overview.as_ref());
    let citing = overviews
        .filter(|it| it.citations.iter().any(|link| site.owns(&link.url)))
        .count();
    assert!((10..200).contains(&citing), "{citing}");
}

#[test]
fn page_round_trips_through_json() {
    for page in pages(100, 3) {
        let json = serde_json::to_string(&page).unwrap();
        assert_eq!(serde_json::from_str::<SearchPage>(&json).unwrap(), page);
    }
}

#[test]
fn calls_fail_at_the_rate_that_is_set() {
    let sandbox = sandbox(SandboxSettings {
        failure_rate: Share(0.2),
        ..Default::default()
    });
    let failed = (0..1000)
        .filter(|it| sandbox.answer(&query(&format!("k{it}"), 0)).is_err())
        .count();
    assert!((150..250).contains(&failed), "{failed}");
}

#[test]
fn keyword_can_request_a_failure() {
    let sandbox = sandbox(SandboxSettings::default());
    let answer = |keyword| sandbox.answer(&query(keyword, 0));
    assert_eq!(answer("sandbox:timeout"), Err(ProviderError::TimedOut));
    assert_eq!(
        answer("Sandbox:Unavailable please"),
        Err(ProviderError::Unavailable)
    );
    assert!(answer("sandbox:blocked").unwrap().is_blocked());
    assert!(!answer("sandbox:nothing").unwrap().is_blocked());
    for (keyword, failure) in SimulatedFailure::ALL {
        let empty = matches!(
            failure,
            SimulatedFailure::Blocked | SimulatedFailure::Nothing
        );
        assert_eq!(answer(keyword).is_ok(), empty, "{keyword}");
    }
}

#[test]
fn any_depth_is_answered() {
    for depth in [0, 1, 2, 10, 37, 100, 1000] {
        let mut query = query("shoes", 0);
        query.depth = depth;
        let page = sandbox(SandboxSettings::default()).answer(&query).unwrap();
        assert_eq!(page.depth_checked(), depth.clamp(1, 400));
    }
}

#[tokio::test(start_paused = true)]
async fn configured_latency_is_applied() {
    let sandbox = sandbox(SandboxSettings {
        latency_ms: Within(700),
        ..Default::default()
    });
    let begin = tokio::time::Instant::now();
    let journal: Arc<dyn PaidCallLedger> = Arc::new(domain::ports::paid_call_ledger::NoPaidCalls);
    let searched = sandbox.search(&query("shoes", 0), &journal).await;
    searched.answer.unwrap();
    assert_eq!(begin.elapsed(), Duration::from_millis(700));
}
