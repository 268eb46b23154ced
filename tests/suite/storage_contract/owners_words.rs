//! Project overrides.

use super::examples::*;
use domain::{
    owners_words::{BrandNames, IgnoredSuggestion, NamedSite, SiteClass, SiteRole},
    text::Label,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    what_is_said_of_a_site_last_stands_until_it_is_taken_back,
    a_suggestion_is_ignored_until_it_is_taken_up,
    what_a_brand_is_called_stands_until_it_has_no_name,
    nobody_hears_what_others_say,
];

fn site(domain: &str, role: SiteRole, class: Option<SiteClass>) -> NamedSite {
    NamedSite {
        domain: domain.to_owned(),
        role,
        class,
        named_at: now(),
    }
}

fn ignored(id: &str, reason: Option<&str>) -> IgnoredSuggestion {
    IgnoredSuggestion {
        id: id.to_owned(),
        reason: reason.map(str::to_owned),
        ignored_at: now(),
    }
}

async fn what_is_said_of_a_site_last_stands_until_it_is_taken_back(db: TestStorage) {
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
        tx.owners_words().name_site(ANN, SHOP, it).await.unwrap();
    });
    let named = ask!(db, r => r.owners_words().named_sites(ANN, SHOP).await.unwrap());
    assert_eq!(named, sites);

    let changed = site("rival.com", SiteRole::Other, None);
    change!(db, tx => tx.owners_words().name_site(ANN, SHOP, &changed).await.unwrap());
    let named = ask!(db, r => r.owners_words().named_sites(ANN, SHOP).await.unwrap());
    assert_eq!(named.len(), sites.len());
    assert!(named.contains(&changed));

    let forget = async |domain| change!(db, tx => tx.owners_words().forget_site(ANN, SHOP, domain).await.unwrap());
    assert!(forget("rival.com").await);
    assert!(!forget("rival.com").await);
    let named = ask!(db, r => r.owners_words().named_sites(ANN, SHOP).await.unwrap());
    assert_eq!(named.len(), sites.len() - 1);
}

async fn a_suggestion_is_ignored_until_it_is_taken_up(db: TestStorage) {
    two_accounts(&db).await;
    let all = [
        ignored("a1", Some("the page goes in May")),
        ignored("b2", None),
    ];
    change!(db, tx => for it in all.iter().rev() {
        tx.owners_words().ignore(ANN, SHOP, it).await.unwrap();
    });
    assert_eq!(
        ask!(db, r => r.owners_words().ignored(ANN, SHOP).await.unwrap()),
        all
    );
    let again = ignored("a1", None);
    change!(db, tx => tx.owners_words().ignore(ANN, SHOP, &again).await.unwrap());
    let told = ask!(db, r => r.owners_words().ignored(ANN, SHOP).await.unwrap());
    assert_eq!(told, [again, all[1].clone()]);
    let take_up =
        async |id| change!(db, tx => tx.owners_words().take_up(ANN, SHOP, id).await.unwrap());
    assert!(take_up("a1").await);
    assert!(!take_up("a1").await);
    assert_eq!(
        ask!(db, r => r.owners_words().ignored(ANN, SHOP).await.unwrap()),
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

async fn what_a_brand_is_called_stands_until_it_has_no_name(db: TestStorage) {
    two_accounts(&db).await;
    let call = async |it: &BrandNames| {
        change!(db, tx => tx.owners_words().call_brand(ANN, SHOP, it).await.unwrap());
    };
    let brands = async |of| ask!(db, r => r.owners_words().brands(of, SHOP).await.unwrap());
    call(&brand(
        "rival.com",
        &["Rival", "Rival & \"Söhne\""],
        Some(true),
    ))
    .await;
    call(&brand("a.com", &["A"], None)).await;
    let anew = brand("rival.com", &["Rivals"], None);
    call(&anew).await;
    assert_eq!(
        brands(ANN).await,
        [brand("a.com", &["A"], None), anew.clone()]
    );
    assert!(brands(BOB).await.is_empty());
    call(&brand("a.com", &[], None)).await;
    assert_eq!(brands(ANN).await, [anew]);
}

async fn nobody_hears_what_others_say(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => {
        let rival = site("rival.com", SiteRole::Competitor, None);
        tx.owners_words().name_site(ANN, SHOP, &rival).await.unwrap();
        tx.owners_words().ignore(ANN, SHOP, &ignored("a1", None)).await.unwrap();
    });
    ask!(db, r => {
        assert!(r.owners_words().named_sites(BOB, SHOP).await.unwrap().is_empty());
        assert!(r.owners_words().ignored(BOB, SHOP).await.unwrap().is_empty());
    });
    let (forgotten, taken_up) = change!(db, tx => (
        tx.owners_words().forget_site(BOB, SHOP, "rival.com").await.unwrap(),
        tx.owners_words().take_up(BOB, SHOP, "a1").await.unwrap(),
    ));
    assert!(!forgotten && !taken_up);
    ask!(db, r => {
        assert_eq!(r.owners_words().named_sites(ANN, SHOP).await.unwrap().len(), 1);
        assert_eq!(r.owners_words().ignored(ANN, SHOP).await.unwrap().len(), 1);
    });
}
