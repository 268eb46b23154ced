//! Order of chosen pages, with mocked ports.

use super::*;
use crate::keyword::LatestRank;
use crate::results::{Coverage, ResultHead};
use crate::test_support::{FakeStorage, FrozenClock, a_job, a_keyword, a_project, core};
use analysis::{document::Document, findings::rankings::RankState, provenance::Provenance};
use std::sync::Arc;

fn head(provenance: Provenance) -> ResultHead {
    let now = crate::ports::clock::Clock::now(&FrozenClock::default());
    ResultHead {
        account: a_project().account,
        project: a_project().id,
        result_type: ResultType::Rankings,
        job: a_job().id,
        generated_at: now,
        measured_at: now,
        method_version: "rankings/1".into(),
        provider: "x".into(),
        provenance,
        coverage: Coverage::default(),
        item_count: 1,
        summary: Document::from_stored("{}".into()),
        warnings: vec![],
    }
}

fn keyword(ranked: Option<(u32, &str)>, target: Option<&str>) -> Keyword {
    Keyword {
        target_url: target.map(str::to_owned),
        latest: ranked.map(|(position, url)| LatestRank {
            position: Some(position),
            url: Some(url.to_owned()),
            measured_at: crate::ports::clock::Clock::now(&FrozenClock::default()),
            state: RankState::Ranked,
        }),
        ..a_keyword("shoes")
    }
}

async fn chosen(ranks: Option<Provenance>, keywords: Vec<Keyword>, max_pages: u32) -> Vec<String> {
    let storage = FakeStorage::default();
    storage.expect(move |read| {
        read.results
            .expect_head()
            .return_once(move |_, _, _| Ok(ranks.map(head)));
    });
    storage.expect(move |read| {
        read.keywords
            .expect_active_batch()
            .return_once(move |_, _, _, _, _| Ok(keywords));
    });
    let core = core(Arc::new(storage));
    core.choose_pages(&a_project(), max_pages).await.unwrap()
}

fn some_keywords() -> Vec<Keyword> {
    vec![
        keyword(Some((9, "https://shop.example.com/b")), None),
        keyword(Some((2, "https://shop.example.com/a#top")), None),
        // The same page at a better position; and a target that also ranks.
        keyword(
            Some((4, "http://www.shop.example.com/b?utm_source=x")),
            Some("https://shop.example.com/a"),
        ),
        keyword(None, Some("https://shop.example.com/target")),
        // The home page is always included, and other sites are not own pages.
        keyword(Some((1, "https://shop.example.com/")), None),
        keyword(None, Some("https://elsewhere.example.org/x")),
        keyword(None, Some("not a url")),
    ]
}

#[tokio::test]
async fn ranking_pages_come_before_targets_and_each_page_once() {
    let found = chosen(Some(Provenance::Measured), some_keywords(), 10).await;
    assert_eq!(
        found,
        [
            "https://shop.example.com/a",
            "http://www.shop.example.com/b",
            "https://shop.example.com/target"
        ]
    );
    // The home page counts as one.
    let two = chosen(Some(Provenance::Measured), some_keywords(), 2).await;
    assert_eq!(two, ["https://shop.example.com/a"]);
}

#[tokio::test]
async fn simulated_positions_choose_no_page() {
    for ranks in [Some(Provenance::Simulated), None] {
        let found = chosen(ranks, some_keywords(), 10).await;
        assert_eq!(
            found,
            [
                "https://shop.example.com/a",
                "https://shop.example.com/target"
            ]
        );
    }
}
