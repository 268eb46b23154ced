//! Main text of small pages, and properties that hold for any page. `tests/oracles/main_text.py` measures the quality
//! on real pages.

use super::*;
use crate::extract::parse::parse;
use proptest::prelude::*;
use std::collections::HashMap;

fn read(html: &str) -> MainText {
    let dom = parse(html).dom;
    main_text(VisibleTree::of(&dom), &JsonLd::of(&dom)).into_text()
}

fn texts(html: &str) -> Vec<String> {
    read(html).blocks.into_iter().map(|it| it.text).collect()
}

/// A paragraph that scores as article text.
fn paragraph(about: &str) -> String {
    format!(
        "<p>This is what the article says about {about}, at some length, with commas, and in whole sentences. It goes on.</p>"
    )
}

/// The main text of an article with another element beside it.
fn beside(other: &str) -> String {
    let article: String = ["rivers", "mountains", "clouds"].map(paragraph).concat();
    read(&format!("<body>{other}<div class=text>{article}</div>")).text()
}

#[test]
fn blocks_have_kinds_and_keep_document_order() {
    let html = format!(
        "<article><h2>One</h2>{}<ul><li>first item of a list<li>second</ul><table><tr><td>a <b>b</b><td>c</table><pre>x\n  y</pre>
         <blockquote><p>quoted words</blockquote><figure><img><figcaption>what is seen</figcaption></figure>{}</article>",
        paragraph("one"),
        paragraph("two")
    );
    let kinds: Vec<_> = read(&html)
        .blocks
        .into_iter()
        .map(|it| (it.kind, it.text.chars().take(9).collect::<String>()))
        .collect();
    let expected = [
        (BlockKind::Heading(2), "One"),
        (BlockKind::Paragraph, "This is w"),
        (BlockKind::ListItem, "first ite"),
        (BlockKind::ListItem, "second"),
        (BlockKind::TableRow, "a b\tc"),
        (BlockKind::Preformatted, "x\n  y"),
        (BlockKind::Quote, "quoted wo"),
        (BlockKind::Caption, "what is s"),
        (BlockKind::Paragraph, "This is w"),
    ];
    assert_eq!(kinds, expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn a_block_refers_to_its_element() {
    let dom = parse(&format!(
        "<article>{}<p id=x>two <i>words</i></p></article>",
        paragraph("one")
    ))
    .dom;
    let last = main_text(VisibleTree::of(&dom), &JsonLd::of(&dom))
        .blocks
        .pop()
        .unwrap();
    assert_eq!(
        (dom.attribute(last.node, "id"), last.text.as_str()),
        (Some("x"), "two words")
    );
}

#[test]
fn two_line_breaks_end_a_paragraph() {
    let html = "<body>The first line, which is long enough<br>and goes on here, with commas.<br><br>The second paragraph, also long enough.";
    assert_eq!(
        texts(html),
        [
            "The first line, which is long enough and goes on here, with commas.",
            "The second paragraph, also long enough."
        ]
    );
}

#[test]
fn boilerplate_is_removed_by_element_role_and_class() {
    for other in [
        "<nav>THIS</nav>",
        "<footer>THIS</footer>",
        "<aside>THIS</aside>",
        "<form>THIS</form>",
        "<header>THIS</header>",
        "<div role=navigation>THIS</div>",
        "<div role=dialog>THIS</div>",
        "<div class=main-nav>THIS</div>",
        "<div id=comments><p>THIS</div>",
        "<div class=relatedPosts>THIS</div>",
        "<p class=byline>THIS</p>",
        "<div class='x cookie-bar'>THIS</div>",
        "<div class=post-author-box>THIS</div>",
        "<script>THIS</script>",
        "<p hidden>THIS</p>",
        "<p style='display: none'>THIS</p>",
        "<p aria-hidden=true>THIS</p>",
        "<span class=sr-only>THIS</span>",
        "<button>THIS</button>",
    ] {
        let text = beside(other);
        assert!(
            !text.contains("THIS") && text.contains("rivers"),
            "{other}: {text}"
        );
    }
}

#[test]
fn qualified_class_names_do_not_mark_boilerplate() {
    let article: String = ["rivers", "mountains"].map(paragraph).concat();
    for opening in [
        "<section class='section--ads'>",
        "<div class=has-sidebar>",
        "<div class='post tag-newsletter category-related'>",
        "<div class='sidebar-wrapper'><h1>Title</h1>",
        "<section id=how-to-share-cookies-with-friends>",
        "<form action=/>",
    ] {
        let text = read(&format!("<body>{opening}{article}")).text();
        assert!(
            text.contains("rivers") && text.contains("mountains"),
            "{opening}: {text}"
        );
    }
}

#[test]
fn comments_longer_than_the_article_are_removed() {
    let comments: String = (0..20).map(|_| paragraph("me")).collect();
    let article: String = ["rivers", "mountains"].map(paragraph).concat();
    let text = read(&format!(
        "<body><div class=story>{article}</div><ol id=commentlist><li>{comments}</ol>"
    ))
    .text();
    assert!(text.contains("mountains") && !text.contains("about me"));
}

#[test]
fn article_sections_are_joined_without_link_lists() {
    let links = "<div class=list><a href=1>One other page of this site</a> <a href=2>Another page of this site</a></div>";
    let sections = "<div class=part>%</div>".replace('%', &paragraph("rivers"))
        + &"<div class=part>%</div>".replace('%', &paragraph("mountains"));
    let text = read(&format!("<body><div>{sections}{links}</div>")).text();
    assert!(text.contains("rivers") && text.contains("mountains") && !text.contains("other page"));
}

#[test]
fn a_lead_paragraph_belongs_to_the_article() {
    let body: String = (0..6).map(|_| paragraph("rivers")).collect();
    let lead = "<div class=lead>A short text that introduces what is said below, and is written by an editor.</div>";
    let text = read(&format!(
        "<body><div class=page>{lead}<div class=article-body>{body}</div></div>"
    ))
    .text();
    assert!(text.starts_with("A short text"), "{text}");
}

#[test]
fn link_blocks_are_removed_only_at_the_end() {
    let html = format!(
        "<article>{}<p><a href=x>A link on a line of its own</a></p>{}<p><a href=y>Another one at the end</a></p></article>",
        paragraph("rivers"),
        paragraph("mountains")
    );
    let text = read(&html).text();
    assert!(text.contains("of its own") && !text.contains("at the end"));
}

#[test]
fn announcements_credits_and_empty_headings_are_removed() {
    let html = format!(
        "<article>{}<figure><figcaption>Foto: Jana Nováková</figcaption></figure><h3>Mehr zum Thema</h3><p><b>x</b> <a href=y>y</a></p>
         <h2>Kept</h2>{}<h2>Idle</h2></article>",
        paragraph("rivers"),
        paragraph("mountains")
    );
    let all = texts(&html);
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all[1], "Kept");
}

#[test]
fn layout_tables_have_no_row_blocks() {
    let html = format!(
        "<table><tr><td>{}{}</td><td>side</td></tr></table>",
        paragraph("rivers"),
        paragraph("mountains")
    );
    assert!(
        read(&html)
            .blocks
            .iter()
            .all(|it| it.kind != BlockKind::TableRow)
    );
}

#[test]
fn a_page_that_is_a_table_keeps_its_rows() {
    let rows: Vec<String> = (0..40)
        .map(|it| format!("<tr><td>Item {it}<td>{it} kg</tr>"))
        .collect();
    let rows = rows.concat();
    let note = "<p>All prices are given without taxes, and hold until the end of the month.</p>";
    for page in [
        format!("<main><table>{rows}</table></main>"),
        format!("<h1>Prices</h1><table>{rows}</table><div>{note}</div>"),
        format!("<main><div class=intro>{note}</div><div><table>{rows}</table></div></main>"),
    ] {
        let page = format!("<body><nav><a href=/>Home</a></nav>{page}");
        let blocks = read(&page).blocks;
        let rows = blocks.iter().filter(|it| it.kind == BlockKind::TableRow);
        assert_eq!(rows.count(), 40, "{page}");
    }
}

#[test]
fn a_small_table_beside_an_article_is_removed() {
    let table = "<table class=calendar><tr><td>Mo<td>1</tr><tr><td>Tu<td>2</tr></table>";
    let article: String = ["rivers", "mountains"].map(paragraph).concat();
    let text = read(&format!(
        "<body><div>{table}</div><div class=text>{article}</div>"
    ))
    .text();
    assert!(text.contains("rivers") && !text.contains("Mo"), "{text}");
}

#[test]
fn an_index_page_is_kept_as_a_whole() {
    let items = (0..30)
        .map(|it| format!("<li><a href={it}>Entry number {it}</a></li>"))
        .collect::<Vec<_>>()
        .concat();
    let all = texts(&format!(
        "<body><nav>Home</nav><main><h1>Index</h1><ul>{items}</ul></main>"
    ));
    assert_eq!(all.len(), 31);
}

#[test]
fn short_pages_keep_their_text() {
    assert_eq!(
        texts("<h1>Not found</h1><p>Try again."),
        ["Not found", "Try again."]
    );
    assert_eq!(texts("just text"), ["just text"]);
    assert!(texts("").is_empty());
}

#[test]
fn permalink_signs_are_not_text() {
    let html = format!(
        "<article><h2>One<a href=#one>¶</a></h2>{}</article>",
        paragraph("one")
    );
    assert_eq!(texts(&html)[0], "One");
}

#[test]
fn a_longer_article_body_replaces_the_elements_text() {
    let body = paragraph("rivers")
        .repeat(3)
        .replace("<p>", "")
        .replace("</p>", "\\n");
    let script = format!(
        "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"articleBody\":\"{body}\"}}</script>"
    );
    let short = read(&format!("{script}<p>Please log in to read this."));
    assert_eq!((short.source, short.blocks.len()), (TextSource::JsonLd, 3));
    let long = read(&format!(
        "{script}<article>{}</article>",
        paragraph("mountains").repeat(3)
    ));
    assert_eq!(long.source, TextSource::Elements);
    let other = script.replace("NewsArticle", "Product");
    assert_eq!(
        read(&format!("{other}<p>Please log in.")).source,
        TextSource::Elements
    );
}

/// Random fragments of pages.
fn page() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<div class=nav>".to_owned()),
        Just("<div class=article-body>".to_owned()),
        Just("</div>".to_owned()),
        Just("<p>".to_owned()),
        Just("<ul><li>".to_owned()),
        Just("</ul>".to_owned()),
        Just("<table><tr><td>".to_owned()),
        Just("</table>".to_owned()),
        Just("<a href=x>".to_owned()),
        Just("</a>".to_owned()),
        Just("<h2>".to_owned()),
        Just("<br>".to_owned()),
        Just("<pre>".to_owned()),
        Just("<span>".to_owned()),
        Just("<div id=comments>".to_owned()),
        Just("<article>".to_owned()),
        Just("<svg><title>".to_owned()),
        "[a-z]{1,8}( [a-z,.]{1,9}){0,12} ",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|it| it.concat())
}

fn counted(text: impl Iterator<Item = String>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for block in text {
        for word in block.split_whitespace() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    counts
}

proptest! {
    #[test]
    fn main_text_adds_no_words(html in page()) {
        let dom = parse(&html).dom;
        let whole = counted(drafts(&VisibleTree::of(&dom)).into_iter().map(|it| it.text));
        for (word, count) in counted(main_text(VisibleTree::of(&dom), &JsonLd::of(&dom)).blocks.into_iter().map(|it| it.text)) {
            prop_assert!(whole.get(&word).is_some_and(|it| *it >= count), "{} in {}", word, html);
        }
    }

    #[test]
    fn main_text_is_deterministic_without_empty_blocks(html in page()) {
        let first = read(&html);
        prop_assert_eq!(&first, &read(&html));
        prop_assert!(first.blocks.iter().all(|it| !it.text.trim().is_empty()));
    }

    #[test]
    fn words_keep_their_order(html in page()) {
        let dom = parse(&html).dom;
        let all = drafts(&VisibleTree::of(&dom));
        let mut all = all.iter().flat_map(|it| it.text.split_whitespace());
        let kept = main_text(VisibleTree::of(&dom), &JsonLd::of(&dom));
        for word in kept.blocks.iter().flat_map(|it| it.text.split_whitespace()) {
            prop_assert!(all.any(|it| it == word), "{} in {}", word, html);
        }
    }
}

#[test]
fn a_hundred_thousand_nested_elements_are_parsed() {
    for tag in ["<div class=comment>", "<table><tr><td>"] {
        read(&tag.repeat(100_000));
    }
}

#[test]
fn a_fifty_megabyte_page_is_read_up_to_the_text_limit() {
    let sentence = "Words, and more words, of which there are many. ";
    let one = format!("<p>{}", sentence.repeat(50 * 1024 * 1024 / sentence.len()));
    let blocks = read(&one).blocks;
    let limit = 2 * 1024 * 1024;
    assert!(blocks.len() == 1 && (limit - 100..=limit).contains(&blocks[0].text.len()));
}

#[test]
fn megabyte_class_names_do_not_slow_down_children() {
    let name = "word ".repeat(200_000);
    let children = "<p class=x>text, and more text</p>".repeat(5_000);
    assert_eq!(
        read(&format!("<div class='{name}' id='{name}'>{children}</div>"))
            .blocks
            .len(),
        5_000
    );
}
