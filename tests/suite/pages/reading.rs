//! What pages tell: what is there, what is not there yet and what to do about it, and whether it is
//! real.

use super::{project, ranking, text};
use analysis::result_type::ResultType;
use harness::{
    app::{Ranked, TestApp},
    databases::TestDatabase,
    on_every_database,
};

on_every_database![
    empty_pages_say_what_to_do_next,
    simulated_figures_say_so,
    figures_say_when_by_what_and_from_how_many,
    long_lists_come_a_page_at_a_time,
];

async fn empty_pages_say_what_to_do_next(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    assert!(
        text(&app, "/")
            .await
            .contains("data-api=\"POST /api/projects\"")
    );
    assert!(
        text(&app, "/settings/api-tokens")
            .await
            .contains("No tokens yet")
    );
    let (project, _) = project(&app, 0).await;
    let keywords = format!("/projects/{project}/keywords");
    assert!(text(&app, &keywords).await.contains("No keywords yet"));
    for of in ResultType::ALL.map(ResultType::name) {
        let page = text(&app, &format!("/projects/{project}/results/{of}")).await;
        assert!(page.contains("class=\"empty\""), "{of}");
        let leads_on = page.contains("data-api=\"POST /api/analyses\"")
            || page.contains(&format!("{keywords}\""));
        assert!(leads_on, "{of}");
        assert!(!page.contains("Simulated data"), "{of}");
    }
}

async fn published(app: &TestApp, keywords: u32) -> i64 {
    let agent = app.db_full_agent().await;
    let (project, ids) = project(app, keywords).await;
    let job = agent.rank_check(project).await;
    let ranked: Vec<Ranked> = (1..)
        .zip(&ids)
        .map(|(at, keyword)| Ranked {
            keyword: *keyword,
            position: Some(at),
            record: ranking(
                project,
                *keyword,
                &format!("shoes {at}"),
                at,
                "https://shop.example.com/a",
            ),
        })
        .collect();
    app.db_publish_rankings(project, job, "{}", &ranked).await;
    app.db_sign_in(0).await;
    project
}

async fn simulated_figures_say_so(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let project = published(&app, 2).await;
    for path in [
        "/".to_owned(),
        format!("/projects/{project}"),
        format!("/projects/{project}/keywords"),
        format!("/projects/{project}/results/rankings"),
    ] {
        assert!(
            text(&app, &path).await.contains("<b>Simulated data.</b>"),
            "{path}"
        );
    }
    assert!(
        !text(&app, "/settings/usage")
            .await
            .contains("Simulated data")
    );
}

async fn figures_say_when_by_what_and_from_how_many(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let project = published(&app, 2).await;
    let page = text(&app, &format!("/projects/{project}/results/rankings")).await;
    let told = page
        .split("class=\"measured\"")
        .nth(1)
        .unwrap()
        .split("</p>")
        .next()
        .unwrap();
    for part in [
        "<time datetime=\"",
        "<b>sandbox</b> (simulated)",
        "data-d=\"0\">2</data> of <data value=\"2\"",
        "keywords",
        "rankings/1",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // The chart has its table.
    assert!(page.contains("The same as a table") && page.contains("role=\"img\""));
}

async fn long_lists_come_a_page_at_a_time(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let project = published(&app, 120).await;
    for start in [
        format!("/projects/{project}/keywords"),
        format!("/projects/{project}/results/rankings"),
    ] {
        let mut path = start.clone();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..5 {
            let page = text(&app, &path).await;
            let table = page.split("<tbody>").last().unwrap();
            for row in table.split("<th scope=\"row\">").skip(1) {
                let name = row
                    .split("</a>")
                    .next()
                    .unwrap()
                    .rsplit('>')
                    .next()
                    .unwrap();
                assert!(
                    seen.insert(name.to_owned()),
                    "{name} stands twice in {start}"
                );
            }
            let Some(next) = page
                .split("<a class=\"button slim\" href=\"")
                .find(|it| it.contains("rel=\"next\">Next page"))
            else {
                break;
            };
            path = next.split('"').next().unwrap().replace("&#38;", "&");
        }
        assert_eq!(seen.len(), 120, "{start}");
    }
}
