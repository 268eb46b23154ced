//! Facts of small pages.

use super::*;
use analysis::observation::page_content::{CharsetSource, ResponseHeaders, TagSource};
use analysis::observation::web_site::{LinkTarget, Placement};

fn facts(html: &str) -> PageContent {
    read(html, ResponseHeaders::default())
}

fn read(html: &str, headers: ResponseHeaders) -> PageContent {
    let url = Url::parse("http://example.com/dir/page.html").unwrap();
    let mut arrival = ReceivedPage::without_crawl(html.as_bytes(), None, &url);
    arrival.response.headers = headers;
    read_page(arrival)
}

fn described(html: &str) -> Vec<String> {
    let links = facts(html).links.into_iter();
    let described = links.map(|it| {
        let target = match it.target {
            LinkTarget::Web { url, fragment } => {
                url.replace("http://example.com/", "/")
                    + &fragment.map(|it| format!("#{it}")).unwrap_or_default()
            }
            other => format!("{other:?}"),
        };
        format!("{}[{}] {target}", it.element, it.attribute)
    });
    described.collect()
}

#[test]
fn links_are_read_from_all_link_elements() {
    let html = r#"<link rel=stylesheet href=s.css><link rel=preconnect href=//cdn><style>a{b:url(i.png)}</style>
        <meta http-equiv=refresh content="0; URL='r.html'"><a href=a.html#x>A</a><map><area href=b></map>
        <img src=c srcset="d 1x, e 2x"><picture><source srcset=f></picture><video src=g poster=h><track src=i></video>
        <audio src=j></audio><iframe src=k></iframe><script src=l></script><object data=m></object><embed src=n>
        <form action=o></form><form action=p method=post></form><a name=here>no link</a>"#;
    assert_eq!(
        described(html),
        [
            "link[href] /dir/s.css",
            "style[style] /dir/i.png",
            "meta[content] /dir/r.html",
            "a[href] /dir/a.html#x",
            "area[href] /dir/b",
            "img[src] /dir/c",
            "img[srcset] /dir/d",
            "img[srcset] /dir/e",
            "source[srcset] /dir/f",
            "video[src] /dir/g",
            "video[poster] /dir/h",
            "track[src] /dir/i",
            "audio[src] /dir/j",
            "iframe[src] /dir/k",
            "script[src] /dir/l",
            "object[data] /dir/m",
            "embed[src] /dir/n",
            "form[action] /dir/o",
        ]
    );
}

#[test]
fn base_href_applies_to_relative_links_and_fragments() {
    assert_eq!(
        described("<base href=/other/><a href=x>1</a><a href=#f>2</a>"),
        ["a[href] /other/x", "a[href] /other/#f"]
    );
}

#[test]
fn templates_hold_no_links_and_noscript_does() {
    assert_eq!(
        described("<template><a href=x>1</a></template><noscript><a href=y>2</a></noscript>"),
        ["a[href] /dir/y"]
    );
}

#[test]
fn titles_anchor_names_words_and_language_are_read() {
    let page = facts(
        "<html lang=' de '><title> A \n B </title><h1 id=z>H<b>1</b></h1><a name=y></a><p id=''>two words<nav>not these</nav>",
    );
    assert_eq!(
        (
            page.title(),
            page.heading(1).and_then(|it| it.text.as_deref()),
            page.document.lang.as_deref()
        ),
        (Some("A B"), Some("H1"), Some("de"))
    );
    assert_eq!(page.names, ["y", "z"]);
    assert_eq!(page.text.counts.words, 3);
}

#[test]
fn links_have_text_css_path_and_placement() {
    let page = facts(
        "<body><nav><a href=1>Home</a></nav><div id=main><p>x<p><a href=2><img src=i alt=Logo></a></div><footer><a href=3>© <b>us</b></a></footer>",
    );
    let known: Vec<_> = page
        .links
        .iter()
        .filter(|it| it.element == "a")
        .map(|it| {
            (
                it.text.as_deref().unwrap(),
                it.position.css_path.as_str(),
                it.placement,
            )
        })
        .collect();
    assert_eq!(
        known,
        [
            ("Home", "html > body > nav > a", Placement::Navigation),
            ("Logo", "#main > p:nth-of-type(2) > a", Placement::Content),
            ("© us", "html > body > footer > a", Placement::Footer),
        ]
    );
}

#[test]
fn texts_of_elements_are_shortened() {
    let long = "wörd ".repeat(100_000);
    let word = "x".repeat(500_000);
    let page = facts(&format!(
        "<title>{long}</title><h1>{long}</h1><h2><img alt='{long}'></h2><div id={word}><{word}>
        <a href=a>{long}</a><a href=b rel='{long}'><img src=c alt='{long}'></a><a href=d aria-label='{long}'></a>
        <a href=e title='{long}'></a><map><area href=f alt='{long}'></map><iframe src=g title='{long}'></iframe>"
    ));
    let texts: Vec<&str> = page
        .links
        .iter()
        .filter_map(|it| it.text.as_deref())
        .collect();
    assert_eq!(texts.len(), 7, "{:?}", page.links.len());
    for text in texts {
        assert_eq!(text.chars().count(), 300);
        assert!(text.starts_with("wörd wörd"));
    }
    let all = page.links.iter();
    for link in all {
        assert!(link.rel.as_ref().is_none_or(|it| it.chars().count() <= 200));
        assert!(
            link.position.css_path.len() < 1_000,
            "{}",
            link.position.css_path.len()
        );
    }
    assert!(page.titles[0].text.chars().count() <= 1_000);
    for heading in &page.headings {
        assert!(heading.text.as_ref().unwrap().chars().count() <= 500);
    }
    assert_eq!(page.images[1].alt.as_ref().unwrap().chars().count(), 500);
}

#[test]
fn paths_of_deeply_nested_elements_are_short() {
    let page = facts(&("<div>".repeat(400) + "<a href=x>x</a>"));
    let path = &page.links[0].position.css_path;
    assert!(
        path.ends_with("div > div > a") && path.len() < 1_000,
        "{path}"
    );
}

#[test]
fn arbitrary_bytes_are_parsed() {
    proptest::proptest!(|(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400))| {
        read_page(ReceivedPage::without_crawl(&bytes, None, &Url::parse("http://example.com/").unwrap()));
    });
    proptest::proptest!(|(html in "(<(a|b|p|table|tr|td|div|select|svg|template|script|form|/a|/b|/p|/table|/div|/svg) ?(href=x|id=y|<)?>|x|&|\n){0,60}")| {
        facts(&html);
    });
}

/// A document with this head.
fn head(inside: &str) -> PageContent {
    facts(&format!(
        "<!doctype html><html lang=en><head>{inside}</head><body><p>x</p></body></html>"
    ))
}

#[test]
fn all_titles_are_kept_with_their_source() {
    let page = head(
        "<title>A</title><title></title><meta name=Description content=' a  b '>\
         <svg><title>no</title></svg><title>B</title>",
    );
    let titles: Vec<_> = page
        .titles
        .iter()
        .map(|it| (it.text.as_str(), it.source))
        .collect();
    assert_eq!(
        titles,
        [
            ("A", TagSource::Head),
            ("", TagSource::Head),
            ("B", TagSource::Body)
        ]
    );
    assert_eq!(page.description(), Some("a b"));
    let early = page.document.early_head_end.unwrap();
    assert_eq!((early.element.as_str(), early.line), ("svg", Some(1)));
}

#[test]
fn early_head_end_requires_an_explicit_end_tag() {
    for (html, ender) in [
        ("<head><title>T</title></head><body><p>x", None),
        ("<title>T</title><p>x", None),
        ("<head><title>T</title><p>x", None),
        (
            "<head><div></div><title>T</title></head><body>x",
            Some("div"),
        ),
        ("<head>text<title>T</title></head><body>x", Some("#text")),
        (
            "<head><script>'</head><body>'</script></head><body><p>x",
            None,
        ),
        (
            "<head><noscript><img src=i></noscript><title>T</title></head><body>x",
            None,
        ),
    ] {
        let page = facts(html);
        let found = page.document.early_head_end.map(|it| it.element);
        assert_eq!(found.as_deref(), ender, "{html}");
    }
    let after_pixel =
        facts("<head><noscript><img src=i></noscript><link rel=canonical href=/c></head><body>x");
    assert_eq!(after_pixel.canonicals[0].source, TagSource::Head);
}

#[test]
fn robots_directives_are_read_from_meta_and_headers() {
    let mut headers = ResponseHeaders::default();
    headers.add("x-robots-tag", "googlebot: nosnippet");
    headers.add("x-robots-tag", "otherbot: noindex");
    let page = read(
        "<head><meta name=ROBOTS content='NoFollow'><meta name=googlebot content=noimageindex></head><body>",
        headers,
    );
    let effect = page.robots_for("googlebot");
    assert!(effect.nofollow && effect.noimageindex && effect.nosnippet && !effect.noindex);
    assert!(page.robots_for("otherbot").noindex);
    assert!(page.is_indexable());
}

#[test]
fn canonicals_and_hreflangs_are_read_from_head_and_headers() {
    let mut headers = ResponseHeaders::default();
    headers.add(
        "link",
        "</dir/page.html>; rel=canonical, <https://x.example/de>; rel=\"alternate\"; hreflang=de",
    );
    let page = read(
        "<head><link rel=canonical href='http://example.com/dir/page.html#x'><link rel=alternate hreflang=en href=page.html></head><body><link rel=canonical href=/other>",
        headers,
    );
    let canonicals: Vec<_> = page
        .canonicals
        .iter()
        .map(|it| {
            (
                it.url.as_deref().unwrap(),
                it.is_absolute,
                it.has_fragment,
                it.source,
            )
        })
        .collect();
    let own = "http://example.com/dir/page.html";
    assert_eq!(
        canonicals,
        [
            (own, true, true, TagSource::Head),
            ("http://example.com/other", false, false, TagSource::Body),
            (own, false, false, TagSource::Header)
        ]
    );
    assert_eq!(page.canonical(), Some(own));
    assert!(page.is_canonical());
    let hreflangs: Vec<_> = page
        .hreflangs
        .iter()
        .map(|it| (it.code.as_str(), it.is_absolute, it.source))
        .collect();
    assert_eq!(
        hreflangs,
        [
            ("en", false, TagSource::Head),
            ("de", true, TagSource::Header)
        ]
    );
}

#[test]
fn refresh_and_pagination_are_read() {
    let page = head("<meta http-equiv=Refresh content=\"3; URL='/r'\"><link rel=next href='?p=2'>");
    let refresh = page.refresh.unwrap();
    assert_eq!(
        (refresh.seconds, refresh.url.as_deref()),
        (3.0, Some("http://example.com/r"))
    );
    assert_eq!(page.next_pages, ["http://example.com/dir/page.html?p=2"]);
    let reload = head("<meta http-equiv=refresh content=30>")
        .refresh
        .unwrap();
    assert_eq!(reload.url, None);
}

#[test]
fn permalink_signs_are_removed_from_headings() {
    let page = facts(
        "<h1>Clay<a class=headerlink href=#clay>¶</a></h1><h2><a href=#a>#</a> Cups</h2>\
         <h3>See <a href=#x>x</a></h3><h4><a href=#y>#</a></h4><h5>C<a href=/sharp>#</a></h5>",
    );
    let texts: Vec<_> = { page.headings.iter() }
        .map(|it| it.text.as_deref().unwrap())
        .collect();
    assert_eq!(texts, ["Clay", "Cups", "See x", "#", "C#"]);
}

#[test]
fn links_without_text_use_their_label() {
    let page = facts(
        "<b id=b>Bowls</b><a href=1 aria-labelledby='b c none'></a><i id=c>and cups</i>\
         <a href=2><svg role=img aria-label=Search></svg></a><a href=3><img src=x aria-label=Home></a>\
         <a href=4 aria-labelledby=none></a><a href=5 aria-labelledby=b>Own</a>",
    );
    let anchors = page.links.iter().filter(|it| it.element == "a");
    let texts: Vec<_> = anchors.map(|it| it.text.as_deref()).collect();
    let expected = [
        Some("Bowls and cups"),
        Some("Search"),
        Some("Home"),
        None,
        Some("Own"),
    ];
    assert_eq!(texts, expected);
}

#[test]
fn headings_images_and_forms_are_read() {
    let page = facts(
        "<h1><img alt=Logo></h1><h3>T <b>x</b></h3><h2></h2>\
         <a href=/x><img src=i.png width=10 height=20px></a><picture><source srcset=a></picture>\
         <img role=presentation src=data:x><form method=POST action=http://example.com/f><input type=password></form>\
         <a href='javascript:void(0)'>go</a><a target=_blank href=https://other.example/>o</a>\
         <a target=_blank rel=noopener href=https://other.example/>o</a><a target=_blank href=/own>o</a>",
    );
    let headings: Vec<_> = page
        .headings
        .iter()
        .map(|it| (it.level, it.text.as_deref(), it.is_image_alt))
        .collect();
    assert_eq!(
        headings,
        [
            (1, Some("Logo"), true),
            (3, Some("T x"), false),
            (2, None, false)
        ]
    );
    let image = &page.images[1];
    assert_eq!(
        (
            image.url.as_deref(),
            image.alt.as_deref(),
            image.width,
            image.height
        ),
        (
            Some("http://example.com/dir/i.png"),
            None,
            Some(10),
            Some(20)
        )
    );
    assert!(image.in_link && image.has_size && !image.is_named_otherwise);
    assert!(page.images[2].is_named_otherwise && page.images[2].url.is_none());
    assert_eq!(page.structure.pictures_without_image, 1);
    assert_eq!(
        (page.forms[0].method.as_str(), page.forms[0].has_password),
        ("post", true)
    );
    assert_eq!(page.uncrawlable_anchors.len(), 1);
    assert_eq!(page.unprotected_windows.len(), 1);
}

#[test]
fn the_document_is_described() {
    let page = facts("<!doctype html><html><head></head><body><p id=a><b id=a></b><i id=b></i>");
    assert!(page.document.has_doctype);
    assert_eq!(page.document.elements, 6);
    assert_eq!(page.document.duplicate_ids, ["a"]);
    assert_eq!(page.document.charset_source, CharsetSource::Default);
    assert!(!facts("<p>x").document.has_doctype);
}

#[test]
fn main_text_membership_of_elements_is_recorded() {
    let text = "This is a sentence of the article, with commas, and long enough to count as text. "
        .repeat(3);
    let page = facts(&format!(
        "<nav><a href=/n>n</a><ol><li>1<li>2</ol></nav><article><p>{text}<a href=/m>m</a></p><img src=i><ol><li>{text}<li>{text}</ol></article>\
         <footer><a href=/f>f</a> Acme Ltd, Main Street 1</footer>"
    ));
    let main: Vec<bool> = page.links.iter().map(|it| it.in_main_text).collect();
    assert_eq!(main, [false, true, true, false]);
    assert_eq!(page.structure.ordered_lists, 1);
    assert!(page.images[0].in_main_text);
    assert_eq!(page.text.footer, "f Acme Ltd, Main Street 1");
    assert!(page.text.all_words as usize > page.text.counts.words);
    assert_eq!(page.text.detected.unwrap().code, "en");
}

#[test]
fn page_content_survives_a_json_round_trip() {
    let page = facts(
        "<html lang=de><head><title>T</title><meta name=robots content=noindex><script type=application/ld+json>\
         {\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"author\":{\"name\":\"Ann\"},\"datePublished\":\"2024-05-06\"}</script>\
         <body><h1>H</h1><p>Some text, here.<a href=x#y>x</a><img src=i alt=''><form></form>",
    );
    assert!(page.text.visible.is_some());
    let stored = serde_json::to_string(&page).unwrap();
    assert_eq!(serde_json::from_str::<PageContent>(&stored).unwrap(), page);
}

#[test]
fn deeply_nested_headings_and_pictures_are_parsed() {
    let deep = "<h1><div><picture>".repeat(150);
    let wide = "<i></i>".repeat(100_000);
    let page = facts(&format!("{deep}{wide}"));
    assert!(page.headings.len() == 150 && page.headings[0].text.is_none());
}

#[test]
fn refresh_in_noscript_is_ignored() {
    let refresh = "<meta http-equiv=refresh content='0; url=/plain'>";
    for page in [
        format!("<head><noscript>{refresh}</noscript></head><body>x"),
        format!("<body><noscript><div>{refresh}</div></noscript>x"),
    ] {
        assert_eq!(facts(&page).refresh, None, "{page}");
    }
    assert!(facts(&format!("<head>{refresh}</head>")).refresh.is_some());
}

#[test]
fn feeds_are_not_hreflang_alternates() {
    let count = |html: &str| facts(html).hreflangs.len();
    for feed in [
        "application/rss+xml",
        "Application/Atom+XML; charset=utf-8",
        "application/feed+json",
    ] {
        let link = format!("<link rel=alternate type='{feed}' hreflang=en href=/feed>");
        assert_eq!(count(&link), 0, "{feed}");
    }
    for other in ["", "type=text/html", "type=application/pdf"] {
        let link = format!("<link rel=alternate {other} hreflang=en href=/en>");
        assert_eq!(count(&link), 1, "{other}");
    }
    let mut headers = ResponseHeaders::default();
    headers.add(
        "link",
        "</feed>; rel=alternate; type=\"application/rss+xml\"; hreflang=en",
    );
    assert_eq!(read("x", headers).hreflangs, []);
}

#[test]
fn app_shells_are_detected_by_an_empty_root() {
    let is_shell = |html: &str| facts(html).structure.has_empty_root;
    for shell in [
        "<div id=root></div>",
        "<body><main id=app> Loading, please wait </main>",
        "<div id=__next><div><img src=spinner.gif></div></div>",
        "<app-root><style>a{}</style>Loading…</app-root>",
        "<div id=root><script>let a = 'a long script that is no text';</script></div>",
    ] {
        assert!(is_shell(shell), "{shell}");
    }
    for other in [
        "<div id=app><h1>Bakery</h1><p>We bake bread every morning.</div>",
        "<div id=map></div>",
        "<div id=root><img src=a><img src=b></div>",
        "<p>Text</p>",
    ] {
        assert!(!is_shell(other), "{other}");
    }
}

#[test]
fn noscript_mentioning_javascript_requires_scripts() {
    let requires_scripts = |html: &str| facts(html).structure.requires_scripts;
    assert!(requires_scripts(
        "<body><noscript>You need to enable JavaScript to run this app.</noscript>"
    ));
    assert!(!requires_scripts(
        "<body><noscript><img src=pixel></noscript>"
    ));
    assert!(!requires_scripts("<body><p>All about JavaScript"));
}
