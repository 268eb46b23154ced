//! Signals of sites.

use super::*;
use crate::observation::{page_content::Form, web_site::PageLink};

fn footer_link(url: &str, text: &str) -> PageLink {
    let mut found = link(url, text);
    found.placement = Placement::Footer;
    found.in_main_text = false;
    found
}

/// A home page that links to a contact page with an email address.
pub fn home_and_contact() -> (PageContent, PageContent) {
    let mut home = page(
        "https://example.com/",
        &[(BlockKind::Paragraph, "Welcome to Example.")],
    );
    set_title(&mut home, "Example Ltd – start");
    home.links
        .push(footer_link("https://example.com/contact", "Contact"));
    let mut contact = page(
        "https://example.com/contact",
        &[(BlockKind::Paragraph, "Write to us at mail@example.com.")],
    );
    contact.depth = 1;
    (home, contact)
}

fn evaluated_site(pages: &[PageContent]) -> EeatRecord {
    let mut site = empty_site();
    for page in pages {
        site.add(page);
    }
    let mut averages = PageAverages::default();
    for page in pages {
        averages.add(&evaluated(page, PageType::Other, &site));
    }
    evaluate_site(&site, &averages, None, &context())
}

#[test]
fn a_complete_site_has_every_trust_signal() {
    let (mut home, mut contact) = home_and_contact();
    for (url, text) in [
        ("https://example.com/about-us", "About us"),
        ("https://example.com/p1", "Privacy policy"),
        ("https://example.com/p2", "Terms of use"),
        ("https://example.com/p3", "Returns"),
        ("https://example.com/p4", "Doprava a platba"),
        ("https://example.com/p5", "Editorial guidelines"),
    ] {
        home.links.push(footer_link(url, text));
    }
    contact.text.footer = "Example Ltd, IČO: 25123891".to_owned();
    let organization = schema_item(
        "Organization",
        &[
            ("name", "Example Ltd"),
            ("sameAs", "https://www.wikidata.org/wiki/Q1"),
            ("sameAs", "https://www.linkedin.com/company/example"),
        ],
    );
    add_item(&mut home, organization);
    add_item(&mut home, schema_item("Product", &[("name", "x")]));
    let record = evaluated_site(&[home, contact]);
    for it in record
        .signals
        .iter()
        .filter(|it| it.pillar == Pillar::Trust)
    {
        if !matches!(
            it.code,
            SignalCode::DateConsistency | SignalCode::Disclosure
        ) {
            assert_eq!(it.value, Some(1.0), "{:?}", it.code);
        }
    }
    assert_eq!(value(&record, SignalCode::SameAsProfiles), Some(1.0));
    assert!((record.pillars.trust.unwrap() - 100.0).abs() < 1e-9);
    assert_eq!(record.scope, SignalScope::Site);
    assert_eq!(record.envelope.url.as_deref(), Some("https://example.com/"));
    let about = signal(&record, SignalCode::AboutPage);
    assert_eq!(
        about.evidence[0].selector.as_deref(),
        Some("html > body > a")
    );
    assert_eq!(
        record.organization.unwrap().name.as_deref(),
        Some("Example Ltd")
    );
}

#[test]
fn an_empty_site_has_no_trust_signal() {
    let mut home = page("http://example.com/", &[(BlockKind::Paragraph, "Welcome.")]);
    set_title(&mut home, "Start");
    let record = evaluated_site(&[home]);
    for code in [
        SignalCode::Https,
        SignalCode::ContactPage,
        SignalCode::AddressOrCompanyId,
        SignalCode::AboutPage,
        SignalCode::PrivacyPolicy,
        SignalCode::LegalPages,
        SignalCode::EditorialPolicy,
        SignalCode::SameAsProfiles,
    ] {
        assert_eq!(value(&record, code), Some(0.0), "{code:?}");
        assert!(record.missing.contains(&code));
    }
    assert_eq!(value(&record, SignalCode::OrganizationConsistent), None);
    assert_eq!(value(&record, SignalCode::ShopInfo), None);
    assert_eq!(record.missing[0], SignalCode::ContactPage);
}

#[test]
fn standard_pages_need_a_phrase_list() {
    let codes = [
        SignalCode::ContactPage,
        SignalCode::AboutPage,
        SignalCode::PrivacyPolicy,
        SignalCode::LegalPages,
        SignalCode::EditorialPolicy,
    ];
    let (mut home, _) = home_and_contact();
    home.links.clear();
    for (lang, expected) in [
        (Some("fi-FI"), None),
        (Some("de-AT"), Some(0.0)),
        (None, Some(0.0)),
    ] {
        home.document.lang = lang.map(str::to_owned);
        let record = evaluated_site(std::slice::from_ref(&home));
        for code in codes {
            assert_eq!(value(&record, code), expected, "{lang:?} {code:?}");
            assert_eq!(record.missing.contains(&code), expected.is_some());
        }
    }
}

#[test]
fn contact_needs_low_depth_and_contact_means() {
    let (home, contact) = home_and_contact();
    let value_of = |pages: &[PageContent]| value(&evaluated_site(pages), SignalCode::ContactPage);
    assert_eq!(value_of(&[home.clone(), contact.clone()]), Some(1.0));
    // Linked, but not read.
    assert_eq!(value_of(std::slice::from_ref(&home)), Some(0.5));
    let mut silent = contact.clone();
    silent.text.main.blocks.clear();
    assert_eq!(value_of(&[home.clone(), silent.clone()]), Some(0.5));
    silent.forms.push(Form {
        target: LinkTarget::Inert,
        method: "post".to_owned(),
        has_password: false,
        has_message: true,
        line: 1,
    });
    assert_eq!(value_of(&[home, silent]), Some(1.0));
    let mut deep = contact;
    deep.depth = 4;
    assert_eq!(value_of(&[deep]), Some(0.5));
}

#[test]
fn pages_with_mixed_content_are_not_secure() {
    let (home, mut contact) = home_and_contact();
    let mut script = link("http://example.com/a.js", "");
    script.element = "script".to_owned();
    contact.links.push(script);
    let record = evaluated_site(&[home, contact]);
    let https = signal(&record, SignalCode::Https);
    assert_eq!(https.value, Some(0.5));
    assert_eq!(
        https.evidence[0].url.as_deref(),
        Some("https://example.com/contact")
    );
}

#[test]
fn a_hidden_organization_is_not_consistent() {
    let (mut home, _) = home_and_contact();
    add_item(
        &mut home,
        schema_item("Organization", &[("name", "Quite Another Inc")]),
    );
    let record = evaluated_site(&[home]);
    assert_eq!(
        value(&record, SignalCode::OrganizationConsistent),
        Some(0.0)
    );
}

#[test]
fn wrong_check_digits_are_rejected() {
    let (mut home, _) = home_and_contact();
    home.text.footer = "Example, IČO: 25123892".to_owned();
    let record = evaluated_site(&[home]);
    assert_eq!(value(&record, SignalCode::AddressOrCompanyId), Some(0.0));
}

#[test]
fn postal_codes_identify_addresses() {
    for (footer, expected) in [
        ("Example s.r.o., Dlouhá 12, 110 00 Praha", 1.0),
        ("Beispiel GmbH, Musterstraße 1, D-10115 Berlin", 1.0),
        ("Example Ltd, 12 High Street, London SW1A 1AA", 1.0),
        ("Example Inc, Springfield, IL 62701", 1.0),
        ("© 2024 Example. All rights reserved. 1250 pages", 0.0),
    ] {
        let (mut home, _) = home_and_contact();
        home.text.footer = footer.to_owned();
        let record = evaluated_site(&[home]);
        assert_eq!(
            value(&record, SignalCode::AddressOrCompanyId),
            Some(expected),
            "{footer}"
        );
    }
}

#[test]
fn topic_links_count_once_per_page() {
    let target = page(
        "https://example.com/mills/wheel",
        &[(BlockKind::Paragraph, "Wheels.")],
    );
    let mut site = empty_site();
    site.add(&target);
    let mut add = |url: &str, title: &str, text: &str| {
        let mut other = page(url, &[(BlockKind::Paragraph, "Text.")]);
        set_title(&mut other, title);
        // Twice on one page counts once.
        other.links = vec![link(&target.url, text), link(&target.url, text)];
        site.add(&other);
    };
    add("https://example.com/mills/stone", "Stones", "see here");
    add(
        "https://example.com/rivers/water",
        "Water wheels",
        "about wheels",
    );
    add("https://example.com/rivers/boats", "Boats", "see here");
    assert_eq!(site.topic_links_to(&target.url), 2);
    let record = evaluated(&target, PageType::Article, &site);
    assert_eq!(value(&record, SignalCode::TopicalDepth), Some(0.4));
    let home = evaluated(&target, PageType::Home, &site);
    assert_eq!(value(&home, SignalCode::TopicalDepth), None);
}

#[test]
fn author_pages_count_by_section() {
    let mut site = empty_site();
    let mut last = None;
    for (url, name) in [
        ("https://example.com/mills/1", "Jane Doe"),
        ("https://example.com/mills/2", "jane  doe"),
        ("https://example.com/boats/3", "Jane Doe"),
        ("https://example.com/mills/4", "John Smith"),
    ] {
        let mut it = page(url, &[(BlockKind::Paragraph, "Text.")]);
        written_by(&mut it, name, None);
        site.add(&it);
        last.get_or_insert(it);
    }
    let record = evaluated(&last.unwrap(), PageType::Article, &site);
    let found = value(&record, SignalCode::AuthorTopicPages).unwrap();
    assert!((found - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn about_is_the_author_page_of_a_one_author_site() {
    let biography = ["word"; 60].join(" ");
    let mut about = page(
        "https://example.com/about",
        &[(BlockKind::Paragraph, &biography)],
    );
    about.depth = 1;
    let mut text = paragraphs(&["Some text."]);
    written_by(&mut text, "Jane Doe", None);
    let mut site = empty_site();
    site.add(&about);
    site.add(&text);
    let found = |site: &SiteSignals| {
        value(
            &evaluated(&text, PageType::Article, site),
            SignalCode::AuthorPage,
        )
    };
    assert_eq!(found(&site), Some(1.0));
    let mut other = page(
        "https://example.com/other",
        &[(BlockKind::Paragraph, "Text.")],
    );
    written_by(&mut other, "John Smith", None);
    site.add(&other);
    assert_eq!(found(&site), Some(0.0));
}

#[test]
fn mentions_apply_only_if_counted() {
    let (home, _) = home_and_contact();
    let mut site = empty_site();
    site.add(&home);
    let averages = PageAverages::default();
    let of = |mentions| {
        let record = evaluate_site(&site, &averages, mentions, &context());
        value(&record, SignalCode::ThirdPartyMentions)
    };
    assert_eq!(
        (of(None), of(Some(0)), of(Some(9))),
        (None, Some(0.0), Some(1.0))
    );
}

#[test]
fn identity_is_unknown_before_a_page_was_read() {
    let mut site = empty_site();
    assert_eq!(site.identity().about_reachable, None);
    site.add(&home_and_contact().0);
    assert_eq!(site.identity().contact_reachable, Some(true));
    assert_eq!(site.identity().about_reachable, Some(false));
}

#[test]
fn site_signals_are_small_per_page() {
    let mut site = empty_site();
    for at in 0..2_000 {
        let mut it = page(
            &format!("https://example.com/s/{at}"),
            &[(BlockKind::Paragraph, "Text.")],
        );
        it.depth = 3;
        written_by(&mut it, "Jane Doe", None);
        it.links
            .push(link(&format!("https://example.com/s/{}", at + 1), "next"));
        site.add(&it);
    }
    let written = serde_json::to_string(&site).unwrap().len();
    assert!(written < 2_000 * 70, "{written} bytes");
    let read: SiteSignals = serde_json::from_str(&serde_json::to_string(&site).unwrap()).unwrap();
    assert_eq!(read.pages(), 2_000);
}
