//! Project overrides.

use super::examples::*;
use domain::{
    assignment::{Assignment, AssignmentNote, AssignmentSubject},
    ids::UserId,
    project_overrides::{BrandNames, IgnoredSuggestion, SiteAnnotation, SiteClass, SiteRole},
    text::Label,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    the_last_site_override_holds_until_removed,
    a_suggestion_is_ignored_until_restored,
    brand_names_hold_until_emptied,
    the_last_assignment_holds_until_removed,
    project_overrides_are_isolated_by_account,
];

fn site(domain: &str, role: SiteRole, class: Option<SiteClass>) -> SiteAnnotation {
    SiteAnnotation {
        domain: domain.to_owned(),
        role,
        class,
        annotated_at: now(),
    }
}

fn ignored(id: &str, reason: Option<&str>) -> IgnoredSuggestion {
    IgnoredSuggestion {
        id: id.to_owned(),
        reason: reason.map(str::to_owned),
        ignored_at: now(),
    }
}

async fn the_last_site_override_holds_until_removed(db: TestStorage) {
    two_accounts(&db).await;
    let mut sites = Vec::new();
    for role in SiteRole::ALL {
        for class in SiteClass::ALL {
            sites.push(site(
                &format!("{}.{}.com", class.name(), role.name()),
                role,
                Some(class),
            ));
        }
    }
    sites.push(site(
        "rival.com",
        SiteRole::Competitor,
        Some(SiteClass::Direct),
    ));
    sites.sort_by(|one, other| one.domain.cmp(&other.domain));
    change!(db, tx => for it in sites.iter().rev() {
        tx.project_overrides().set_site_role(ANN, SHOP, it).await.unwrap();
    });
    let named = read!(db, r => r.project_overrides().site_annotations(ANN, SHOP).await.unwrap());
    assert_eq!(named, sites);

    let changed = site("rival.com", SiteRole::Other, None);
    change!(db, tx => tx.project_overrides().set_site_role(ANN, SHOP, &changed).await.unwrap());
    let named = read!(db, r => r.project_overrides().site_annotations(ANN, SHOP).await.unwrap());
    assert_eq!(named.len(), sites.len());
    assert!(named.contains(&changed));

    let forget = async |domain| change!(db, tx => tx.project_overrides().remove_site_role(ANN, SHOP, domain).await.unwrap());
    assert!(forget("rival.com").await);
    assert!(!forget("rival.com").await);
    let named = read!(db, r => r.project_overrides().site_annotations(ANN, SHOP).await.unwrap());
    assert_eq!(named.len(), sites.len() - 1);
}

async fn a_suggestion_is_ignored_until_restored(db: TestStorage) {
    two_accounts(&db).await;
    let all = [
        ignored("a1", Some("the page goes in May")),
        ignored("b2", None),
    ];
    change!(db, tx => for it in all.iter().rev() {
        tx.project_overrides().ignore_suggestion(ANN, SHOP, it).await.unwrap();
    });
    assert_eq!(
        read!(db, r => r.project_overrides().ignored_suggestions(ANN, SHOP).await.unwrap()),
        all
    );
    let again = ignored("a1", None);
    change!(db, tx => tx.project_overrides().ignore_suggestion(ANN, SHOP, &again).await.unwrap());
    let stored =
        read!(db, r => r.project_overrides().ignored_suggestions(ANN, SHOP).await.unwrap());
    assert_eq!(stored, [again, all[1].clone()]);
    let take_up = async |id| change!(db, tx => tx.project_overrides().unignore_suggestion(ANN, SHOP, id).await.unwrap());
    assert!(take_up("a1").await);
    assert!(!take_up("a1").await);
    assert_eq!(
        read!(db, r => r.project_overrides().ignored_suggestions(ANN, SHOP).await.unwrap()),
        all[1..]
    );
}

fn brand(domain: &str, names: &[&str], is_word: Option<bool>) -> BrandNames {
    BrandNames {
        domain: domain.to_owned(),
        names: names.iter().map(|it| Label::parse(it).unwrap()).collect(),
        is_word,
    }
}

async fn brand_names_hold_until_emptied(db: TestStorage) {
    two_accounts(&db).await;
    let call = async |it: &BrandNames| {
        change!(db, tx => tx.project_overrides().set_brand_names(ANN, SHOP, it).await.unwrap());
    };
    let brands =
        async |of| read!(db, r => r.project_overrides().brand_names(of, SHOP).await.unwrap());
    call(&brand(
        "rival.com",
        &["Rival", "Rival & \"Söhne\""],
        Some(true),
    ))
    .await;
    call(&brand("a.com", &["A"], None)).await;
    let renamed = brand("rival.com", &["Rivals"], None);
    call(&renamed).await;
    assert_eq!(
        brands(ANN).await,
        [brand("a.com", &["A"], None), renamed.clone()]
    );
    assert!(brands(BOB).await.is_empty());
    call(&brand("a.com", &[], None)).await;
    assert_eq!(brands(ANN).await, [renamed]);
}

fn assignment(subject: AssignmentSubject, member: UserId, note: Option<&str>) -> Assignment {
    Assignment {
        subject,
        member,
        assigned_by: member,
        assigned_at: now(),
        note: note.map(|it| AssignmentNote::parse(it).unwrap()),
    }
}

async fn the_last_assignment_holds_until_removed(db: TestStorage) {
    two_accounts(&db).await;
    let users = read!(db, r => r.members().list(ANN).await.unwrap());
    let ann = users[0].id;
    let all = [
        assignment(
            AssignmentSubject::issue("http4xx"),
            ann,
            Some("Mend by May"),
        ),
        assignment(AssignmentSubject::suggestion("a1"), ann, None),
        assignment(AssignmentSubject::suggestion("http4xx"), ann, None),
    ];
    let assign = async |it: &Assignment| change!(db, tx => tx.project_overrides().assign(ANN, SHOP, it).await.unwrap());
    for it in all.iter().rev() {
        assign(it).await;
    }
    let stored =
        async |of| read!(db, r => r.project_overrides().assignments(of, SHOP).await.unwrap());
    assert_eq!(stored(ANN).await, all);
    assert_eq!(stored(BOB).await, []);

    let again = assignment(AssignmentSubject::issue("http4xx"), ann, None);
    assign(&again).await;
    let unassign = async |of, it: &Assignment| change!(db, tx => tx.project_overrides().unassign(of, SHOP, &it.subject).await.unwrap());
    assert!(!unassign(BOB, &all[1]).await);
    assert!(unassign(ANN, &all[1]).await);
    assert!(!unassign(ANN, &all[1]).await);
    assert_eq!(stored(ANN).await, [again, all[2].clone()]);
}

async fn project_overrides_are_isolated_by_account(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => {
        let competitor = site("rival.com", SiteRole::Competitor, None);
        tx.project_overrides().set_site_role(ANN, SHOP, &competitor).await.unwrap();
        tx.project_overrides().ignore_suggestion(ANN, SHOP, &ignored("a1", None)).await.unwrap();
    });
    read!(db, r => {
        assert!(r.project_overrides().site_annotations(BOB, SHOP).await.unwrap().is_empty());
        assert!(r.project_overrides().ignored_suggestions(BOB, SHOP).await.unwrap().is_empty());
    });
    let (forgotten, taken_up) = change!(db, tx => (
        tx.project_overrides().remove_site_role(BOB, SHOP, "rival.com").await.unwrap(),
        tx.project_overrides().unignore_suggestion(BOB, SHOP, "a1").await.unwrap(),
    ));
    assert!(!forgotten && !taken_up);
    read!(db, r => {
        assert_eq!(r.project_overrides().site_annotations(ANN, SHOP).await.unwrap().len(), 1);
        assert_eq!(r.project_overrides().ignored_suggestions(ANN, SHOP).await.unwrap().len(), 1);
    });
}
