//! Expectations of Google's tests (google/robotstxt, `robots_test.cc`), and agreement with the crate `texting_robots`
//! 0.2.2.

use super::*;
use proptest::prelude::*;

fn allowed(robots: &str, agent: &str, url: &str) -> bool {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    RobotsRules::parse(robots, agent).allow_path(&format!("/{path}"))
}

/// `+` before a path means allowed, `-` not allowed.
fn check(robots: &str, agent: &str, expectations: &[&str]) {
    for it in expectations {
        let (sign, path) = it.split_at(1);
        let url = format!("http://foo.bar{path}");
        assert_eq!(
            allowed(robots, agent, &url),
            sign == "+",
            "{agent} {path} in {robots:?}"
        );
    }
}

#[test]
fn an_empty_file_or_an_unknown_agent_allows_everything() {
    check("", "FooBot", &["+/"]);
    check("user-agent: FooBot\ndisallow: /\n", "", &["+/"]);
}

#[test]
fn keys_ignore_case_and_a_missing_colon() {
    check("user-agent: FooBot\ndisallow: /\n", "FooBot", &["-/x/y"]);
    check("foo: FooBot\nbar: /\n", "FooBot", &["+/x/y"]);
    check("user-agent FooBot\ndisallow /\n", "FooBot", &["-/x/y"]);
    check(
        "USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n",
        "FooBot",
        &["+/x/y", "-/a/b"],
    );
    check(
        "uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n",
        "FooBot",
        &["+/x/y", "-/a/b"],
    );
    check("\u{feff}User-Agent: foo\nDisallow: /\n", "foo", &["-/a"]);
    check(
        "User-Agent: foo\rDisallow: /a\r\nDisallow: /b\n",
        "foo",
        &["-/a", "-/b", "+/c"],
    );
}

#[test]
fn a_partial_byte_order_mark_does_not_hide_the_first_line() {
    let allows = |mark: &[u8]| {
        let file = [mark, b"User-Agent: foo\nDisallow: /\n"].concat();
        RobotsRules::parse(&RobotsRules::text(&file), "foo").allow_path("/a")
    };
    for mark in [&b""[..], b"\xef", b"\xef\xbb", b"\xef\xbb\xbf"] {
        assert!(!allows(mark), "{mark:?}");
    }
    // Other bytes belong to the line.
    for other in [&b"\xef\x11\xbf"[..], b"\xbb\xbf", b"\xff\xfe"] {
        assert!(allows(other), "{other:?}");
    }
}

const GROUPS: &str = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n";

#[test]
fn groups_of_one_agent_are_merged() {
    check(GROUPS, "FooBot", &["+/x/b", "+/z/d", "-/y/c", "-/foo/bar/"]);
    check(GROUPS, "BarBot", &["+/y/c", "+/w/a", "-/z/d", "-/foo/bar/"]);
    check(GROUPS, "BazBot", &["+/z/d", "-/foo/bar/"]);
}

#[test]
fn only_rules_end_the_list_of_agents() {
    check(
        "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n",
        "FooBot",
        &["-/"],
    );
    check(
        "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n",
        "BarBot",
        &["-/"],
    );
    check(
        "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n",
        "FooBot",
        &["-/"],
    );
}

#[test]
fn agents_match_in_any_case_and_up_to_the_first_space() {
    for robots in [
        "User-Agent: FOO BAR\nAllow: /x/\nDisallow: /\n",
        "User-Agent: foo bar\nAllow: /x/\nDisallow: /\n",
        "User-Agent: FoO bAr/2.1\nAllow: /x/\nDisallow: /\n",
    ] {
        check(robots, "Foo", &["+/x/y", "-/a/b"]);
        check(robots, "foo", &["+/x/y", "-/a/b"]);
    }
    let robots = "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n";
    check(robots, "Foo", &["+/x/y"]);
    check(robots, "Foo Bar", &["-/x/y"]);
}

#[test]
fn the_wildcard_group_applies_only_without_a_specific_one() {
    check(
        "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n",
        "FooBot",
        &["-/x/y"],
    );
    check(
        "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n",
        "BarBot",
        &["+/x/y"],
    );
    check(
        "user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\n",
        "QuxBot",
        &["+/x/y"],
    );
    check(
        "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n",
        "FooBot",
        &["+/x/page", "-/y/page"],
    );
}

#[test]
fn the_longest_match_wins_and_allow_wins_a_tie() {
    let rules = |text: &str| format!("user-agent: FooBot\n{text}");
    check(
        &rules("disallow: /x/page.html\nallow: /x/\n"),
        "FooBot",
        &["-/x/page.html"],
    );
    check(
        &rules("allow: /x/page.html\ndisallow: /x/\n"),
        "FooBot",
        &["+/x/page.html", "-/x/"],
    );
    check(
        &rules("disallow: \nallow: \n"),
        "FooBot",
        &["+/x/page.html"],
    );
    check(
        &rules("disallow: /\nallow: /\n"),
        "FooBot",
        &["+/x/page.html"],
    );
    check(
        &rules("disallow: /x\nallow: /x/\n"),
        "FooBot",
        &["-/x", "+/x/"],
    );
    check(
        &rules("allow: /page\ndisallow: /*.html\n"),
        "FooBot",
        &["-/page.html", "+/page"],
    );
    check(
        &rules("allow: /x/page.\ndisallow: /*.html\n"),
        "FooBot",
        &["+/x/page.html", "-/x/y.html"],
    );
    check(
        &rules("disallow: /x/\n"),
        "FooBot",
        &["-/x/y", "+/X/y", "+/robots.txt"],
    );
    check(
        &rules("allow: /folder\ndisallow: /folder\n"),
        "FooBot",
        &["+/folder/page"],
    );
    check(
        &rules("allow: /$\ndisallow: /\n"),
        "FooBot",
        &["+/", "-/page.html"],
    );
}

#[test]
fn patterns_are_escaped_as_urls_are() {
    let rules = |text: &str| format!("User-agent: FooBot\nDisallow: /\nAllow: {text}\n");
    check(
        &rules("/foo/bar?qux=taz&baz=http://foo.bar?tar&par"),
        "FooBot",
        &["+/foo/bar?qux=taz&baz=http://foo.bar?tar&par"],
    );
    check(
        &rules("/foo/bar/ツ"),
        "FooBot",
        &["+/foo/bar/%E3%83%84", "-/foo/bar/ツ"],
    );
    check(
        &rules("/foo/bar/%e3%83%84"),
        "FooBot",
        &["+/foo/bar/%E3%83%84", "-/foo/bar/ツ"],
    );
    check(
        &rules("/foo/bar/%62%61%7A"),
        "FooBot",
        &["-/foo/bar/baz", "+/foo/bar/%62%61%7A"],
    );
}

#[test]
fn unsafe_characters_are_escaped_on_both_sides() {
    let robots = "User-agent: *\nDisallow: /Service References/\nDisallow: /{{ url }}\nDisallow: /a|b\nDisallow: /%c3%a4\n";
    let rules = RobotsRules::parse(robots, "FooBot");
    for path in [
        "/Service References/x",
        "/Service%20References/",
        "/{{ url }}",
        "/a|b",
        "/a%7cb",
        "/%c3%A4",
        "/ä",
    ] {
        let url = Url::parse(&format!("https://example.com{path}")).unwrap();
        assert!(!rules.allow(&url), "{path}");
    }
}

#[test]
fn wildcards_comments_and_index_files_work_as_in_google() {
    check(
        "User-agent: FooBot\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n",
        "FooBot",
        &["-/foo/bar/quz", "+/foo/quz", "+/foo//quz", "+/foo/bax/quz"],
    );
    check(
        "User-agent: FooBot\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n",
        "FooBot",
        &["-/foo/bar", "+/foo/bar/qux", "+/foo/bar/", "+/foo/bar/baz"],
    );
    check(
        "User-agent: FooBot\n# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n",
        "FooBot",
        &["+/foo/bar", "-/foo/quz"],
    );
    check(
        "User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /\n",
        "foobot",
        &[
            "+/allowed-slash/",
            "-/allowed-slash/index.htm",
            "+/allowed-slash/index.html",
            "-/anyother-url",
        ],
    );
    let fish = |allow: &str| format!("user-agent: FooBot\ndisallow: /\nallow: {allow}\n");
    for pattern in ["/fish", "/fish*"] {
        check(
            &fish(pattern),
            "FooBot",
            &[
                "-/bar",
                "+/fish",
                "+/fish.html",
                "+/fish/salmon.html",
                "+/fishheads",
                "+/fishheads/yummy.html",
                "+/fish.html?id=anything",
                "-/Fish.asp",
                "-/catfish",
                "-/?id=fish",
            ],
        );
    }
    check(
        &fish("/fish/"),
        "FooBot",
        &[
            "-/bar",
            "+/fish/",
            "+/fish/salmon",
            "+/fish/?salmon",
            "+/fish/salmon.html",
            "-/fish",
            "-/fish.html",
            "-/Fish/Salmon.html",
        ],
    );
    check(
        &fish("/*.php"),
        "FooBot",
        &[
            "-/bar",
            "+/filename.php",
            "+/folder/filename.php?parameters",
            "+//folder/any.php.file.html",
            "+/filename.php/",
            "+/index?f=filename.php/",
            "-/php/",
            "-/index?php",
            "-/windows.PHP",
        ],
    );
    check(
        &fish("/*.php$"),
        "FooBot",
        &[
            "+/filename.php",
            "+/folder/filename.php",
            "-/filename.php?parameters",
            "-/filename.php/",
            "-/filename.php5",
            "-/php/",
            "-/aaaphpaaa",
            "-//windows.PHP",
        ],
    );
    check(
        &fish("/fish*.php"),
        "FooBot",
        &[
            "+/fish.php",
            "+/fishheads/catfish.php?parameters",
            "-/Fish.PHP",
        ],
    );
}

#[test]
fn long_lines_are_cut_where_google_cuts_them() {
    let long = format!(
        "/x/{}",
        "a".repeat(2083 * 8 - "/x/".len() - "disallow: ".len() + 1)
    );
    let robots = format!("user-agent: FooBot\ndisallow: {long}/qux\n");
    check(&robots, "FooBot", &["+/fux"]);
    assert!(!allowed(
        &robots,
        "FooBot",
        &format!("http://foo.bar{long}/fux")
    ));
}

#[test]
fn delays_are_capped_and_sitemaps_are_global() {
    let rules = RobotsRules::parse(
        "User-agent: a\nCrawl-delay: 500\nSitemap: https://x.example/s.xml\n",
        "a",
    );
    assert_eq!(rules.delay, Some(Duration::from_secs(30)));
    assert_eq!(rules.requested_delay, Some(Duration::from_secs(500)));
    assert!(rules.is_delay_capped());
    for (written, is_hurried) in [
        ("30", false),
        ("30.5", true),
        ("1e300", true),
        ("inf", false),
    ] {
        let robots = format!("User-agent: *\nCrawl-delay: {written}");
        let rules = RobotsRules::parse(&robots, "a");
        assert_eq!(rules.is_delay_capped(), is_hurried, "{written}");
    }
    assert!(!RobotsRules::default().is_delay_capped());
    assert_eq!(
        RobotsRules::parse("Sitemap: https://x.example/s.xml", "b").sitemaps,
        ["https://x.example/s.xml"]
    );
    assert_eq!(
        RobotsRules::parse("User-agent: *\nCrawl-delay: 0.5", "b").delay,
        Some(Duration::from_millis(500))
    );
    assert_eq!(
        RobotsRules::parse("User-agent: *\nCrawl-delay: -1", "b").delay,
        None
    );
}

#[test]
fn an_unavailable_file_forbids_all_but_itself() {
    assert!(!RobotsRules::forbid_all().allow_path("/"));
    assert!(RobotsRules::forbid_all().allow_path("/robots.txt"));
}

proptest! {
    #[test]
    fn texting_robots_agrees(
        rules in proptest::collection::vec((any::<bool>(), "/[ab*]{0,4}(/[ab]{1,2})?\\$?"), 1..6),
        agent in prop_oneof!["sightlinebot", "\\*", "other"],
        path in "/[ab]{0,4}(/[ab]{0,2})?",
    ) {
        let mut text = format!("User-agent: {agent}\n");
        for (allow, pattern) in &rules {
            let key = if *allow { "Allow" } else { "Disallow" };
            text = format!("{text}{key}: {pattern}\n");
        }
        let theirs = texting_robots::Robot::new("sightlinebot", text.as_bytes()).unwrap();
        let ours = RobotsRules::parse(&text, "sightlinebot");
        prop_assert_eq!(
            ours.allow_path(&path),
            theirs.allowed(&format!("http://example.com{path}")),
            "{} for {}", text, path
        );
    }
}
