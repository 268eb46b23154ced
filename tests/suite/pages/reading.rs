//! Contents of pages: data, empty states, and whether data is simulated.

use super::{project, ranking, text};
use analysis::result_type::ResultType;
use chrono::TimeDelta;
use harness::{
    app::{Ranked, TestApp},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::json;

on_every_database![
    running_check_is_shown_instead_of_the_empty_state,
    report_settings_state_that_reports_are_not_sent,
    empty_pages_show_the_next_step,
    deactivated_items_can_be_reached,
    favorites_come_first,
    simulated_positions_are_not_in_the_measured_history,
    simulated_data_is_labeled,
    results_show_time_provider_and_coverage,
    long_lists_are_paginated_without_repetition,
];

async fn empty_pages_show_the_next_step(db: TestDatabase) {
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
    assert!(text(&app, &keywords).await.contains("No keywords in use"));
    for of in ResultType::ALL.map(ResultType::name) {
        let page = text(&app, &format!("/projects/{project}/results/{of}")).await;
        assert!(page.contains("class=\"empty\""), "{of}");
        let leads_on = page.contains("data-api=\"POST /api/analyses\"")
            || page.contains(&format!("{keywords}\""));
        assert!(leads_on, "{of}");
        assert!(!page.contains("Simulated data"), "{of}");
    }
}

async fn running_check_is_shown_instead_of_the_empty_state(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    let agent = app.db_full_agent().await;
    let (project, _) = project(&app, 1).await;
    let page = format!("/projects/{project}");
    assert!(text(&app, &page).await.contains("Nothing is measured yet"));
    agent.rank_check(project).await;
    let page = text(&app, &page).await;
    assert!(page.contains("Running now"));
    assert!(!page.contains("Nothing is measured yet"));
}

async fn report_settings_state_that_reports_are_not_sent(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    let (project, _) = project(&app, 0).await;
    let of_project = format!("/projects/{project}/settings");
    for page in ["/settings/report-defaults", of_project.as_str()] {
        let page = text(&app, page).await;
        assert!(page.contains("Reports are not sent yet."));
    }
}

async fn deactivated_items_can_be_reached(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = project(&app, 1).await;
    let page = format!("/projects/{project}/keywords");
    let link = format!("href=\"{page}?status=deactivated\"");
    agent
        .delete(&format!("/keywords/{}", keywords[0]))
        .await
        .ok();
    assert!(text(&app, &page).await.contains(&link));
    agent.delete(&format!("/projects/{project}")).await.ok();
    let home = text(&app, "/").await;
    assert!(home.contains("href=\"/?status=deactivated\""));
    let shelved = text(&app, "/?status=deactivated").await;
    assert!(shelved.contains(&format!("/projects/{project}\"")));
}

async fn favorites_come_first(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|it| it.projects = 40).await;
    app.db_sign_in(0).await;
    let agent = app.db_full_agent().await;
    for n in 0..26 {
        let body =
            json!({ "domain": format!("a{n:02}.example.com"), "name": format!("Project {n:02}") });
        agent.post("/projects", body).await.created();
    }
    let body = json!({ "domain": "z.example.com", "name": "Zeta", "favorite": true });
    agent.post("/projects", body).await.created();
    let page = text(&app, "/").await;
    let at = |page: &str, name: &str| page.find(&format!(">{name}</a>"));
    assert!(at(&page, "Zeta") < at(&page, "Project 00"));
    assert!(at(&page, "Zeta").is_some() && at(&page, "Project 25").is_none());
    let (_, behind) = page.split_once("cursor=").unwrap();
    let cursor = behind.split('"').next().unwrap();
    let next = text(&app, &format!("/?cursor={cursor}")).await;
    assert!(at(&next, "Zeta").is_none() && at(&next, "Project 25").is_some());
    let only = text(&app, "/?favorite=true").await;
    assert!(at(&only, "Zeta").is_some() && at(&only, "Project 00").is_none());
}

async fn simulated_positions_are_not_in_the_measured_history(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_sign_in(0).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = project(&app, 1).await;
    let page = format!(
        "/projects/{project}/results/rankings?keyword={}",
        keywords[0]
    );
    let days = ["2026-09-19", "2026-09-20", "2026-09-21"];
    for (day, provenance) in days.into_iter().zip(["simulated", "measured", "measured"]) {
        let job = agent.rank_check(project).await;
        let url = "https://shop.example.com/a";
        let record = ranking(project, keywords[0], "shoes", 4, url);
        let record = record
            .replace("simulated", provenance)
            .replace("2026-09-21", day);
        let ranked = [Ranked {
            keyword: keywords[0],
            position: Some(4),
            record,
        }];
        app.db_publish_rankings(project, job, "{}", &ranked).await;
        app.clock.advance(TimeDelta::hours(1));
    }
    let shown = text(&app, &page).await;
    assert!(shown.contains(days[1]) && shown.contains(days[2]));
    assert!(!shown.contains(days[0]), "{shown}");
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

async fn simulated_data_is_labeled(db: TestDatabase) {
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

async fn results_show_time_provider_and_coverage(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let project = published(&app, 2).await;
    let page = text(&app, &format!("/projects/{project}/results/rankings")).await;
    let paragraph = page
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
        assert!(paragraph.contains(part), "{part}: {paragraph}");
    }
    // The chart has a table.
    assert!(page.contains("The same as a table") && page.contains("role=\"img\""));
}

async fn long_lists_are_paginated_without_repetition(db: TestDatabase) {
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
                    "{name} occurs twice in {start}"
                );
            }
            let Some(next) = page
                .split("<a class=\"button slim\" href=\"")
                .find(|it| it.contains("rel=\"next\">Next page"))
            else {
                break;
            };
            path = next.split('"').next().unwrap().replace("&amp;", "&");
        }
        assert_eq!(seen.len(), 120, "{start}");
    }
}
