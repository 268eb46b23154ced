//! Equality, ownership and refusal of URLs and domains.

use super::*;
use proptest::prelude::*;

/// The Python package `publicsuffixlist` 1.1.2.20261023; `tests/oracles/statistics_oracle.py` prints them.
#[test]
fn registrable_domains_are_those_of_the_public_suffix_list() {
    for (host, expected) in [
        ("example.com", Some("example.com")),
        ("www.example.com", Some("example.com")),
        ("a.b.example.co.uk", Some("example.co.uk")),
        ("co.uk", None),
        ("example.github.io", Some("example.github.io")),
        ("github.io", None),
        ("shop.example.com.au", Some("example.com.au")),
        ("foo.bar.kawasaki.jp", Some("foo.bar.kawasaki.jp")),
        ("city.kawasaki.jp", Some("city.kawasaki.jp")),
        ("www.ck", Some("www.ck")),
        ("a.b.ck", Some("a.b.ck")),
        ("blog.example.blogspot.com", Some("example.blogspot.com")),
        ("www.xn--mnchen-3ya.de", Some("xn--mnchen-3ya.de")),
        ("bucket.s3.amazonaws.com", Some("bucket.s3.amazonaws.com")),
        ("example.unknowntld", Some("example.unknowntld")),
        ("a.b.shop2", Some("b.shop2")),
        ("192.0.2.1", None),
        ("::ffff:192.0.2.1", None),
        ("2001:db8::a", None),
        ("[2001:db8::a]", None),
    ] {
        assert_eq!(registrable_domain(host), expected, "{host}");
    }
}

/// From the examples and the test data of publicsuffix.org; capitals and a trailing dot are ours.
#[test]
fn suffixes_are_found_in_letters_and_in_ascii() {
    for (host, expected) in [
        ("B.EXAMPLE.Co.Uk", Some("EXAMPLE.Co.Uk")),
        ("www.example.com.", Some("example.com")),
        ("a.b.test.ck", Some("b.test.ck")),
        ("test.ck", None),
        ("www.www.ck", Some("www.ck")),
        ("www.食狮.公司.cn", Some("食狮.公司.cn")),
        (
            "www.xn--85x722f.xn--55qx5d.cn",
            Some("xn--85x722f.xn--55qx5d.cn"),
        ),
        ("xn--55qx5d.cn", None),
        (".com", None),
        ("", None),
    ] {
        assert_eq!(registrable_domain(host), expected, "{host}");
    }
    assert!(has_known_suffix("example.co.uk") && has_known_suffix("xn--85x722f.xn--55qx5d.cn"));
    assert!(!has_known_suffix("example.example") && !has_known_suffix(""));
}

#[test]
fn urls_have_one_spelling() {
    for (url, expected) in [
        ("HTTP://Example.COM:80", "http://example.com/"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        (
            "https://example.com/%7euser/%c3%a4%2f",
            "https://example.com/~user/%C3%A4%2F",
        ),
        (
            "https://example.com/?utm_source=x&b=2&gclid=1&a=1#top",
            "https://example.com/?b=2&a=1",
        ),
        ("https://example.com/?utm_source=x", "https://example.com/"),
        ("https://münchen.de/", "https://xn--mnchen-3ya.de/"),
        ("https://example.com/100%", "https://example.com/100%"),
    ] {
        assert_eq!(normalized(url).as_deref(), Some(expected));
    }
    assert_eq!(normalized("mailto:a@b.c"), None);
    assert_eq!(normalized("no url"), None);
}

#[test]
fn page_keys_ignore_scheme_and_www() {
    assert_eq!(
        page_key("http://www.example.com/a#b"),
        page_key("https://example.com/a")
    );
    assert_ne!(
        page_key("https://example.com/a"),
        page_key("https://example.com/a/")
    );
    assert_ne!(
        page_key("https://example.com/?a=1"),
        page_key("https://example.com/?a=2")
    );
}

#[test]
fn redirects_of_an_engine_and_caches_are_unwrapped() {
    let page = page_key("https://example.com/shoes?size=42");
    for wrapped in [
        "https://www.google.com/url?sa=t&q=https%3A%2F%2Fexample.com%2Fshoes%3Fsize%3D42&ved=1",
        "https://www.google.de/url?url=https://www.example.com/shoes%3Fsize=42",
        "https://www.google.com/amp/s/example.com/shoes%3Fsize=42",
    ] {
        assert!(
            page_key(wrapped).starts_with("example.com/shoes"),
            "{wrapped}"
        );
    }
    assert_eq!(
        page_key("https://www.google.com/url?q=https://example.com/shoes%3Fsize%3D42"),
        page
    );
    assert_eq!(
        unwrapped("https://example.com/url?q=https://evil.example"),
        "https://example.com/url?q=https://evil.example"
    );
}

#[test]
fn a_project_on_its_domain_owns_every_host_below() {
    let site = SiteScope::of("www.example.com");
    for own in [
        "https://example.com/",
        "http://WWW.Example.com/x",
        "https://blog.example.com/",
        "https://example.com.:443/",
        "https://www.google.com/url?q=https%3A%2F%2Fshop.example%2Ecom%2F",
    ] {
        assert!(site.owns(own), "{own}");
    }
    for foreign in [
        "https://notexample.com/",
        "https://example.com.evil.net/",
        "https://example.org/?u=https://example.com/",
        "https://example.com@evil.net/",
        "no url",
    ] {
        assert!(!site.owns(foreign), "{foreign}");
    }
    assert!(!site.is_subdomain());
}

#[test]
fn a_project_on_a_subdomain_does_not_own_its_parent() {
    let site = SiteScope::of("blog.example.co.uk");
    assert!(site.is_subdomain());
    assert!(
        site.owns("https://blog.example.co.uk/") && site.owns("https://de.blog.example.co.uk/")
    );
    assert!(!site.owns("https://example.co.uk/") && !site.owns("https://shop.example.co.uk/"));
}

#[test]
fn a_project_below_a_path_owns_that_path_alone() {
    let site = SiteScope::below("www.example.com", "/shop/");
    for own in [
        "https://example.com/shop",
        "https://www.example.com/shop/?a=1",
        "https://de.example.com/shop/shoes",
    ] {
        assert!(site.owns(own), "{own}");
    }
    for foreign in ["https://example.com/", "https://example.com/shopping"] {
        assert!(!site.owns(foreign), "{foreign}");
    }
    assert_eq!(
        SiteScope::below("example.com", "//"),
        SiteScope::of("example.com")
    );
}

#[test]
fn aliases_of_the_own_site_are_own() {
    let own = OwnSites::with_aliases(SiteScope::of("acme.com"), vec![SiteScope::of("acme.de")]);
    assert!(own.owns("https://shop.acme.de/") && own.owns_host("www.acme.com"));
    assert!(!own.owns("https://acme.fr/") && own.site().root() == "acme.com");
}

#[test]
fn a_host_is_read_from_whatever_form_a_url_has() {
    for (url, host) in [
        ("https://www.example.com/a?b#c", Some("www.example.com")),
        ("http://example.com", Some("example.com")),
        ("https://example.com:8080/", Some("example.com")),
        ("https://user@example.com/", Some("example.com")),
        ("https://EXAMPLE.com./x", Some("example.com")),
        ("https://münchen.de/", Some("xn--mnchen-3ya.de")),
        ("https://exa%6Dple.com/", Some("example.com")),
        ("https://1.2.3/", Some("1.2.0.3")),
        (
            "https://www.google.com/url?q=https%3A%2F%2Facme.com%2F",
            Some("acme.com"),
        ),
        ("no url", None),
    ] {
        assert_eq!(host_of_url(url).as_deref(), host, "{url}");
    }
}

#[test]
fn a_home_page_has_the_path_of_the_root_and_no_query() {
    for (url, is_home) in [
        ("https://example.com", true),
        ("https://www.example.com/", true),
        ("https://example.com#top", true),
        ("https://example.com/#?a", true),
        ("https://example.com/?", false),
        ("https://example.com?a=1", false),
        ("https://example.com/shoes", false),
        ("https://example.com//", false),
        ("https://example.com/a/..", true),
        ("https://example.com/a/%2e%2E", true),
        ("https://example.com/a/.\t./", true),
        ("https://example.com/.", true),
        ("https://example.com/\n", true),
        ("https://example.com\\", true),
        ("https://münchen.de/", true),
        ("https://user@example.com:8080/", true),
        ("no url", false),
    ] {
        assert_eq!(is_home_page(url), is_home, "{url}");
    }
}

#[test]
fn a_project_below_a_private_suffix_owns_only_itself() {
    let site = SiteScope::of("acme.github.io");
    assert!(site.owns("https://acme.github.io/docs"));
    assert!(!site.owns("https://other.github.io/"));
}

#[test]
fn a_domain_is_parsed_from_pasted_input() {
    let parsed = DomainName::parse("  https://www.Example.com:8080/path?q=1 ").unwrap();
    assert_eq!(parsed.ascii, "www.example.com");
    assert_eq!(
        parsed.removed,
        [Removed::Scheme, Removed::Port, Removed::Path]
    );
    assert!(parsed.has_known_suffix);

    let plain = DomainName::parse("example.com").unwrap();
    assert_eq!(
        (plain.ascii.as_str(), plain.removed.len()),
        ("example.com", 0)
    );
    assert_eq!(
        DomainName::parse("example.com.").unwrap().removed,
        [Removed::TrailingDot]
    );
}

#[test]
fn internationalised_names_have_two_forms() {
    let parsed = DomainName::parse("MÜNCHEN.de").unwrap();
    assert_eq!(
        (parsed.ascii.as_str(), parsed.unicode.as_str()),
        ("xn--mnchen-3ya.de", "münchen.de")
    );
    assert_eq!(
        DomainName::parse("xn--mnchen-3ya.de").unwrap().unicode,
        "münchen.de"
    );
}

#[test]
fn names_that_do_not_round_trip_are_shown_in_ascii() {
    let disguised = "xn--xn--bchev-nnnolacnst-kva.com";
    let parsed = DomainName::parse(disguised).unwrap();
    assert_eq!(parsed.ascii, disguised);
    assert_eq!(parsed.unicode, disguised);
}

#[test]
fn unknown_suffixes_are_accepted_and_reported() {
    assert!(
        !DomainName::parse("example.unknowntld")
            .unwrap()
            .has_known_suffix
    );
}

#[test]
fn non_public_domains_are_refused_with_a_reason() {
    use DomainRefusal as Refusal;
    for (text, reason) in [
        ("", Refusal::Empty),
        ("https://", Refusal::Empty),
        ("ftp://example.com", Refusal::Scheme),
        ("javascript:alert(1)", Refusal::Malformed),
        ("user:secret@example.com", Refusal::UserInfo),
        ("https://example.com@evil.net/", Refusal::UserInfo),
        ("exa mple.com", Refusal::Malformed),
        ("example..com", Refusal::Malformed),
        ("example.com..", Refusal::Malformed),
        ("-example.com", Refusal::Malformed),
        ("exam_ple.com", Refusal::Malformed),
        ("%65xample.com", Refusal::Malformed),
        ("example.com:99999999", Refusal::Malformed),
        ("localhost", Refusal::SingleLabel),
        ("intranet", Refusal::SingleLabel),
        ("127.0.0.1", Refusal::IpAddress),
        ("0x7f.1", Refusal::IpAddress),
        ("017700000001", Refusal::IpAddress),
        ("2130706433", Refusal::IpAddress),
        ("１２７.0.0.1", Refusal::IpAddress),
        ("[::1]", Refusal::IpAddress),
        ("::1", Refusal::IpAddress),
        ("http://[2001:db8::1]:80/", Refusal::IpAddress),
        ("1.2.3.4.5", Refusal::IpAddress),
        ("printer.local", Refusal::Reserved),
        ("db.internal", Refusal::Reserved),
        ("metadata.google.internal", Refusal::Reserved),
        ("abc.onion", Refusal::Reserved),
        ("a.test", Refusal::Reserved),
        ("router.home.arpa", Refusal::Reserved),
        ("home.arpa", Refusal::Reserved),
        ("a.localhost", Refusal::Reserved),
        ("a.invalid", Refusal::Reserved),
        ("shop.example", Refusal::Reserved),
        ("printer.LOCAL.", Refusal::Reserved),
        ("metadata.goog", Refusal::Metadata),
        ("co.uk", Refusal::PublicSuffix),
        ("github.io", Refusal::PublicSuffix),
    ] {
        assert_eq!(DomainName::parse(text).err(), Some(reason), "{text}");
    }
    let long = format!("{}.com", "a".repeat(64));
    assert!(matches!(
        DomainName::parse(&long),
        Err(Refusal::TooLong | Refusal::Malformed)
    ));
}

#[test]
fn a_lone_percent_sign_is_no_escape() {
    for (given, plain) in [
        ("https://example.com/%%34A", "https://example.com/%%34A"),
        ("https://example.com/%4%41", "https://example.com/%4%41"),
        ("https://example.com/%%7E%41", "https://example.com/%~%41"),
        (
            "https://example.com/100%/a%41",
            "https://example.com/100%/aA",
        ),
    ] {
        let once = normalized(given).unwrap();
        assert_eq!(once, plain, "{given}");
        assert_eq!(normalized(&once).as_deref(), Some(plain), "{given} twice");
    }
}

proptest! {
    #[test]
    fn the_host_fast_path_agrees_with_parsing(host in "[a-z0-9.-]{1,20}", rest in "[/?#]?[a-z/?#:@]{0,8}") {
        let url = format!("https://{host}{rest}");
        let parsed = url::Url::parse(&url).ok();
        let parsed = parsed.as_ref().and_then(|it| it.host_str()).map(|it| it.trim_end_matches('.'));
        let found = host_of_url(&url);
        prop_assert_eq!(found.as_deref(), parsed);
    }

    #[test]
    fn the_home_page_fast_path_agrees_with_parsing(
        parts in prop::collection::vec(
            prop::sample::select(vec!["/", "/", "a", "7", ".", "..", "%2e", "%2E.", "%", "?", "#", "\t", "\n", "\\", " ", "é", "="]), 0..6,
        )
    ) {
        let url = format!("https://example.com{}", parts.concat());
        let is_home = url::Url::parse(&url).is_ok_and(|it| it.path() == "/" && it.query().is_none());
        prop_assert_eq!(is_home_page(&url), is_home);
    }

    #[test]
    fn an_address_has_no_registrable_domain(address in any::<std::net::IpAddr>()) {
        let host = address.to_string();
        prop_assert_eq!(registrable_domain(&host), None);
    }

    #[test]
    fn the_pattern_admits_only_plausible_domains(
        text in proptest::string::string_regex(DOMAIN_PATTERN.trim_matches(['^', '$'])).expect("a pattern")
    ) {
        use DomainRefusal as Refusal;
        let refusal = DomainName::parse(&text).err();
        prop_assert!(
            matches!(refusal, None | Some(
                Refusal::Malformed | Refusal::TooLong | Refusal::Reserved | Refusal::Metadata
                | Refusal::PublicSuffix | Refusal::IpAddress
            )),
            "{text}: {refusal:?}"
        );
    }

    #[test]
    fn a_parsed_domain_parses_to_itself(label in "[a-z][a-z0-9]{0,20}", port in 1_u16..) {
        let parsed = DomainName::parse(&format!("HTTP://{label}.Example.COM.:{port}/x")).unwrap();
        let again = DomainName::parse(&parsed.ascii).unwrap();
        prop_assert_eq!(&again.ascii, &parsed.ascii);
        prop_assert!(again.removed.is_empty());
    }

    #[test]
    fn parsing_a_domain_never_panics(text in any::<String>()) {
        let _ = DomainName::parse(&text);
        let _ = page_key(&text);
    }

    #[test]
    fn url_normalization_is_idempotent(
        path in "(/([a-zA-Z0-9.~%_-]|%[0-9a-fA-F]{2}){0,8}){0,4}", query in "[a-z=&%0-9_]{0,20}"
    ) {
        if let Some(once) = normalized(&format!("https://Example.com{path}?{query}#x")) {
            let twice = normalized(&once);
            prop_assert_eq!(twice.as_deref(), Some(once.as_str()));
        }
    }
}

#[test]
fn non_public_domains_can_be_recognized() {
    let host = DomainName::parse_non_public;
    assert_eq!(
        host("https://www.Rival.example/shop"),
        Ok("www.rival.example".to_owned())
    );
    assert_eq!(
        host("bücher.example"),
        Ok("xn--bcher-kva.example".to_owned())
    );
    assert_eq!(host("rival"), Err(DomainRefusal::SingleLabel));
    assert_eq!(host("co.uk"), Err(DomainRefusal::PublicSuffix));
    assert_eq!(host("127.0.0.1"), Err(DomainRefusal::IpAddress));
}
