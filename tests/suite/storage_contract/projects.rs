//! Projects.

use super::examples::*;
use domain::{
    email::EmailAddress,
    ids::ProjectId,
    page::{Direction, PageRequest},
    ports::{
        projects::{ProjectFilter, ProjectSort},
        storage::StorageError,
    },
    project::{Priority, Project, ProjectMeta, Status, WorkflowStatus},
    report_settings::{Frequency, ReportSettings, Section},
    text::{Label, Tag},
};
use harness::{databases::TestStorage, on_every_storage};
use std::collections::BTreeMap;

on_every_storage![
    a_project_is_read_back_as_written,
    an_active_domain_is_unique_within_its_account,
    saving_a_project_onto_a_taken_domain_conflicts,
    noting_an_analysis_changes_nothing_else,
    each_filter_selects_matching_projects,
    search_covers_name_domain_and_client_in_any_case,
    a_project_is_found_by_its_active_domain,
];

fn rich(id: i64) -> Project {
    let settings = ReportSettings {
        enabled: Some(true),
        frequency: Some(Frequency::Weekly),
        include_pdf: None,
        content_overrides: BTreeMap::from([(Section::Vitals, false)]),
    };
    Project {
        name: Label::parse("Größte 店 \"x\" \\ 100%").unwrap(),
        meta: ProjectMeta {
            client_name: Some(Label::parse("ACME_Žluť").unwrap()),
            category: Some(Label::parse("Shops").unwrap()),
            tags: vec![Tag::parse("SEO").unwrap(), Tag::parse("a\"b, c").unwrap()],
            favorite: true,
            priority: Priority::Critical,
            workflow_status: WorkflowStatus::Review,
            assigned_to_name: Some(Label::parse("Eva").unwrap()),
            report_recipients: vec![EmailAddress::parse("a@example.com").unwrap()],
            report_settings: Some(settings),
        },
        keyword_count: 3,
        ai_tracked_count: 2,
        last_analysis_at: Some(after(5) + tick()),
        row_version: 4,
        updated_at: after(7),
        ..project(ANN, id)
    }
}

async fn a_project_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.projects().add(&rich(12)).await.unwrap());
    read!(db, r => {
        assert_eq!(r.projects().find(ANN, ProjectId(12)).await.unwrap(), Some(rich(12)));
        assert_eq!(r.projects().find(ANN, ProjectId(13)).await.unwrap(), None);
    });
    let gone = Project {
        meta: ProjectMeta::default(),
        last_analysis_at: None,
        ..rich(12)
    };
    let gone = gone.deactivated(after(9));
    change!(db, tx => tx.projects().save(&gone).await.unwrap());
    read!(db, r => assert_eq!(r.projects().find(ANN, ProjectId(12)).await.unwrap(), Some(gone)));
}

async fn an_active_domain_is_unique_within_its_account(db: TestStorage) {
    two_accounts(&db).await;
    let same = Project {
        domain: project(ANN, 11).domain,
        ..project(ANN, 12)
    };
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.projects().add(&same).await;
    assert!(
        matches!(outcome, Err(StorageError::Conflict { constraint }) if constraint == "projects_active_domain")
    );
    drop(tx);
    change!(db, tx => {
        tx.projects().save(&project(ANN, 11).deactivated(after(1))).await.unwrap();
        tx.projects().add(&same).await.unwrap();
    });
}

async fn saving_a_project_onto_a_taken_domain_conflicts(db: TestStorage) {
    two_accounts(&db).await;
    let same = Project {
        domain: project(ANN, 11).domain,
        ..project(ANN, 12)
    };
    change!(db, tx => tx.projects().add(&same.deactivated(after(1))).await.unwrap());
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.projects().save(&same).await;
    assert!(matches!(outcome, Err(StorageError::Conflict { .. })));
}

async fn noting_an_analysis_changes_nothing_else(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.projects().note_analysis(ANN, SHOP, after(3)).await.unwrap());
    let noted = Project {
        last_analysis_at: Some(after(3)),
        ..project(ANN, 11)
    };
    read!(db, r => {
        assert_eq!(r.projects().find(ANN, SHOP).await.unwrap(), Some(noted));
        assert_eq!(r.projects().find(BOB, SHOP).await.unwrap(), Some(project(BOB, 11)));
    });
}

/// Projects 11, 12 (rich) and 13 (deactivated).
async fn three_projects(db: &TestStorage) {
    two_accounts(db).await;
    let gone = project(ANN, 13).deactivated(after(1));
    change!(db, tx => {
        tx.projects().add(&rich(12)).await.unwrap();
        tx.projects().add(&gone).await.unwrap();
    });
}

async fn selected(db: &TestStorage, filter: &ProjectFilter) -> Vec<i64> {
    let request = PageRequest {
        sort: ProjectSort::Domain,
        direction: Direction::Ascending,
        after: None,
        limit: 10,
        counted: false,
        bytes: None,
    };
    let page = read!(db, r => r.projects().list(ANN, filter, &request).await.unwrap());
    page.items.iter().map(|it| it.id.0).collect()
}

async fn each_filter_selects_matching_projects(db: TestStorage) {
    type Set = fn(&mut ProjectFilter);
    three_projects(&db).await;
    let cases: [(Set, &[i64]); 10] = [
        (|_| {}, &[11, 12, 13]),
        (|it| it.status = Some(Status::Active), &[11, 12]),
        (|it| it.tag = Some("SEO".into()), &[12]),
        (|it| it.tag = Some("seo".into()), &[]),
        (|it| it.tag = Some("a\"b, c".into()), &[12]),
        (|it| it.category = Some("Shops".into()), &[12]),
        (|it| it.category = Some("shops".into()), &[]),
        (|it| it.priority = Some(Priority::Critical), &[12]),
        (
            |it| it.workflow_status = Some(WorkflowStatus::Review),
            &[12],
        ),
        (|it| it.favorite = Some(false), &[11, 13]),
    ];
    for (set, expected) in cases {
        let mut filter = ProjectFilter::default();
        set(&mut filter);
        assert_eq!(selected(&db, &filter).await, expected, "{filter:?}");
    }
}

async fn search_covers_name_domain_and_client_in_any_case(db: TestStorage) {
    three_projects(&db).await;
    let cases: [(&str, &[i64]); 7] = [
        ("größTE 店", &[12]),
        ("acme_žLUŤ", &[12]),
        ("acmeXžluť", &[]),
        ("100%", &[12]),
        ("SHOP13.example", &[13]),
        ("example", &[11, 12, 13]),
        ("Eva", &[]),
    ];
    for (text, expected) in cases {
        let search = Some(text.to_owned());
        let filter = ProjectFilter {
            search,
            ..ProjectFilter::default()
        };
        assert_eq!(selected(&db, &filter).await, expected, "{text}");
    }
}

async fn a_project_is_found_by_its_active_domain(db: TestStorage) {
    two_accounts(&db).await;
    read!(db, r => {
        let found = r.projects().active_with_domain(ANN, "shop11.example.com").await.unwrap();
        assert_eq!(found, Some(SHOP));
        assert_eq!(r.projects().active_with_domain(ANN, "other.example.com").await.unwrap(), None);
    });
    change!(db, tx => tx.projects().save(&project(ANN, 11).deactivated(after(1))).await.unwrap());
    let found =
        read!(db, r => r.projects().active_with_domain(ANN, "shop11.example.com").await.unwrap());
    assert_eq!(found, None);
}
