//! The number of statements per page does not depend on the number of keywords.

use super::{get, pages, project, ranking};
use harness::{
    app::{Ranked, TestApp},
    databases::TestDatabase,
    on_every_database,
    sql_rules::statements_sent,
};

on_every_database![statements_do_not_depend_on_the_number_of_keywords];

/// Maximum of all pages.
const MAX: u64 = 12;

async fn statements_do_not_depend_on_the_number_of_keywords(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|it| (it.keywords, it.keywords_per_project) = (20_000, 20_000))
        .await;
    let mut costs = Vec::new();
    for keywords in [0, 3, 10_000] {
        let agent = app.db_full_agent().await;
        let (project, ids) = project(&app, keywords).await;
        if keywords > 0 {
            let job = agent.rank_check(project).await;
            let url = "https://shop.example.com/shoes";
            let ranked: Vec<Ranked> = (1..)
                .zip(&ids)
                .map(|(at, keyword)| Ranked {
                    keyword: *keyword,
                    position: Some(at % 100 + 1),
                    record: ranking(project, *keyword, &format!("shoes {at}"), at % 100 + 1, url),
                })
                .collect();
            app.db_publish_rankings(project, job, "{}", &ranked).await;
        }
        app.db_sign_in(0).await;
        let mut of_pages = Vec::new();
        for path in pages(project) {
            let mut cost = u64::MAX;
            // One of the loads may open a connection, which sends statements to set it up.
            for _ in 0..2 {
                let before = statements_sent(&db.url);
                let response = get(&app, &path).await;
                assert_eq!(response.status().as_u16(), 200, "{path}");
                let size = response.bytes().await.unwrap().len();
                assert!(size < 300_000, "{path} is {size} bytes");
                cost = cost.min(statements_sent(&db.url) - before);
            }
            assert!(cost <= MAX, "{path} asks {cost} statements");
            of_pages.push((path.replace(&project.to_string(), "…"), cost));
        }
        costs.push(of_pages);
        let deactivated = agent.delete(&format!("/projects/{project}")).await;
        deactivated.ok();
    }
    // Pages with and without results differ; the number of keywords must not matter.
    assert_eq!(costs[1], costs[2]);
    let total: u64 = costs[2].iter().map(|(_, cost)| cost).sum();
    assert!(total > 0, "statements are counted");
}
