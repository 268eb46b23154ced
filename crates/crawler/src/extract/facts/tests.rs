//! Facts of small pages.

use super::*;
use analysis::observation::web_site::{LinkTarget, Placement};

fn facts(html: &str) -> PageFacts {
    read_page(html.as_bytes(), None, &Url::parse("http://example.com/dir/page.html").unwrap())
}

fn described(html: &str) -> Vec<String> {
    let links = facts(html).links.into_iter();
    let described = links.map(|it| {
        let target = match it.target {
            LinkTarget::Web { url, fragment } => {
                url.replace("http://example.com/", "/") + &fragment.map(|it| format!("#{it}")).unwrap_or_default()
            }
            other => format!("{other:?}"),
        };
        format!("{}[{}] {target}", it.element, it.attribute)
    });
    described.collect()
}

#[test]
fn every_element_of_the_list_is_a_link() {
    let html = r#"<link rel=stylesheet href=s.css><link rel=preconnect href=//cdn><style>a{b:url(i.png)}</style>
        <meta http-equiv=refresh content="0; URL='r.html'"><a href=a.html#x>A</a><map><area href=b></map>
        <img src=c srcset="d 1x, e 2x"><picture><source srcset=f></picture><video src=g poster=h><track src=i></video>
        <audio src=j></audio><iframe src=k></iframe><script src=l></script><object data=m></object><embed src=n>
        <form action=o></form><form action=p method=post></form><a name=here>no link</a>"#;
    assert_eq!(described(html), [
        "link[href] /dir/s.css", "style[style] /dir/i.png", "meta[content] /dir/r.html", "a[href] /dir/a.html#x", "area[href] /dir/b",
        "img[src] /dir/c", "img[srcset] /dir/d", "img[srcset] /dir/e", "source[srcset] /dir/f", "video[src] /dir/g", "video[poster] /dir/h",
        "track[src] /dir/i", "audio[src] /dir/j", "iframe[src] /dir/k", "script[src] /dir/l", "object[data] /dir/m", "embed[src] /dir/n",
        "form[action] /dir/o",
    ]);
}

#[test]
fn the_base_moves_relative_links_and_fragments() {
    assert_eq!(described("<base href=/other/><a href=x>1</a><a href=#f>2</a>"), ["a[href] /other/x", "a[href] /other/#f"]);
}

#[test]
fn templates_hold_no_links_and_noscript_does() {
    assert_eq!(described("<template><a href=x>1</a></template><noscript><a href=y>2</a></noscript>"), ["a[href] /dir/y"]);
}

#[test]
fn titles_names_words_and_language_are_read() {
    let page = facts("<html lang=' de '><title> A \n B </title><h1 id=z>H<b>1</b></h1><a name=y></a><p id=''>two words<nav>not these</nav>");
    assert_eq!((page.title.as_deref(), page.heading.as_deref(), page.lang.as_deref()), (Some("A B"), Some("H1"), Some("de")));
    assert_eq!(page.names, ["y", "z"]);
    assert_eq!(page.word_count, 3);
}

#[test]
fn links_know_their_text_path_and_part_of_the_page() {
    let page = facts("<body><nav><a href=1>Home</a></nav><div id=main><p>x<p><a href=2><img src=i alt=Logo></a></div><footer><a href=3>© <b>us</b></a></footer>");
    let known: Vec<_> = page.links.iter().filter(|it| it.element == "a").map(|it| (it.text.as_deref().unwrap(), it.position.css_path.as_str(), it.placement)).collect();
    assert_eq!(known, [
        ("Home", "html > body > nav > a", Placement::Navigation),
        ("Logo", "#main > p:nth-of-type(2) > a", Placement::Content),
        ("© us", "html > body > footer > a", Placement::Footer),
    ]);
}

#[test]
fn any_bytes_are_a_page() {
    proptest::proptest!(|(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400))| {
        read_page(&bytes, None, &Url::parse("http://example.com/").unwrap());
    });
    proptest::proptest!(|(html in "(<(a|b|p|table|tr|td|div|select|svg|template|script|form|/a|/b|/p|/table|/div|/svg) ?(href=x|id=y|<)?>|x|&|\n){0,60}")| {
        facts(&html);
    });
}
