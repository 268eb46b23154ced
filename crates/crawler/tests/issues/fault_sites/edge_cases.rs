//! Edge cases: correct sites that look faulty, and faults in another form.

use super::{
    page::PageSpec,
    site::{Answer, SiteSpec, faultless},
};
use analysis::findings::issues::IssueCode as Code;
use std::fmt::Write as _;

const GLAZE: usize = 2;

#[derive(Debug, Clone)]
pub struct EdgeCase {
    pub name: &'static str,
    /// The exact set of codes.
    pub codes: &'static [Code],
    pub site: SiteSpec,
}

/// `origin` has no trailing slash.
pub fn edge_cases(origin: &str) -> Vec<EdgeCase> {
    let mut all = of_pages(origin);
    all.extend(of_structured_data(origin));
    all
}

fn of_structured_data(origin: &str) -> Vec<EdgeCase> {
    let site = || faultless(origin);
    let case = |name, codes, site| EdgeCase { name, codes, site };
    vec![
        case(
            "an article shows its day with a year of two digits",
            &[],
            with_article(site(), "2024-05-06", "06.05.24"),
        ),
        case(
            "an article shows its moment in another time zone",
            &[],
            with_article(site(), "2024-05-06T22:30:00Z", "7 May 2024"),
        ),
        case(
            "an article shows its day by a time element",
            &[],
            with_article(
                site(),
                "2024-05-06",
                "<time datetime=2024-05-06>two weeks ago</time>",
            ),
        ),
        case(
            "an article shows another day",
            &[Code::SdNotVisible],
            with_article(site(), "2024-05-06", "9 May 2024"),
        ),
        case(
            "a product in RDFa has a review by rel",
            &[Code::SdRecommendedMissing],
            with(site(), RDFA_REVIEW),
        ),
        case(
            "a product in RDFa has a review without its author",
            &[Code::SdRequiredMissing, Code::SdRecommendedMissing],
            with(
                site(),
                &RDFA_REVIEW.replace("schema:author", "schema:editor"),
            ),
        ),
        case(
            "a review in microdata belongs to no item",
            &[Code::SdOutsideItem],
            with(
                site(),
                "<div itemprop=review itemscope itemtype=https://schema.org/Review>\
                 <p itemprop=reviewBody>The glaze is even.</p></div>",
            ),
        ),
        case(
            "a review in microdata is named by itemref",
            &[],
            with(
                site(),
                "<div itemscope itemtype=https://schema.org/Thing itemref=said><b itemprop=name>Glaze</b></div>\
                 <div id=said itemprop=subjectOf itemscope itemtype=https://schema.org/CreativeWork></div>",
            ),
        ),
        case(
            "a section of instructions stands alone",
            &[],
            with(
                site(),
                "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\
                 \"@type\":\"HowToSection\",\"name\":\"Glaze\"}</script>",
            ),
        ),
        case(
            "a recipe has a script in place of its image",
            &[Code::SdRequiredMissing, Code::SdRecommendedMissing],
            with(
                site(),
                "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Recipe\",\
                 \"name\":\"Glaze\",\"image\":\"javascript:void(0)\"}</script><p>Glaze</p>",
            ),
        ),
    ]
}

fn of_pages(origin: &str) -> Vec<EdgeCase> {
    let site = || faultless(origin);
    let case = |name, codes, site| EdgeCase { name, codes, site };
    vec![
        case(
            "articles that name the one before share a title",
            &[Code::TitleDuplicate, Code::H1Duplicate],
            chained(
                site(),
                ["/guides/one", "/guides/two", "/guides/three"],
                |_| String::new(),
            ),
        ),
        case(
            "pages 2 and 3 of a list share its title",
            &[],
            chained(
                site(),
                ["/list", "/list/page/2", "/list/page/3"],
                |number| {
                    if number > 1 {
                        format!(" {number}")
                    } else {
                        String::new()
                    }
                },
            ),
        ),
        case(
            "links are named by labels",
            &[],
            with(
                site(),
                "<p id=clay>About clay</p><a href=/guides/clay aria-labelledby=clay></a>\
                 <a href=/guides/clay><svg role=img aria-label=Clay></svg></a>",
            ),
        ),
        case(
            "a page shows placeholder text as code",
            &[],
            with(
                site(),
                &format!("<p>The tag lorem writes:</p><pre>{PASSAGE}</pre>"),
            ),
        ),
        case(
            "a page quotes placeholder text",
            &[],
            with(site(), &format!("<blockquote>{PASSAGE}</blockquote>")),
        ),
        case(
            "a page names placeholder text in a sentence",
            &[],
            with(
                site(),
                "<p>Printers fill empty pages with lorem ipsum dolor sit amet and other words.</p>",
            ),
        ),
        case(
            "a page holds placeholder text as content",
            &[Code::LoremIpsum],
            with(site(), &format!("<p>{PASSAGE}</p>")),
        ),
        case(
            "a page in a language that is not known says so",
            &[],
            written(site(), "ms", MALAY),
        ),
        short_page(origin, "a short page without a script", ""),
        short_page(
            origin,
            "a short page with a script that brings nothing",
            "<script defer src=/app.js></script>",
        ),
        of_head(
            origin,
            "a refresh for readers without scripts",
            "<noscript><meta http-equiv=refresh content=\"0; url=/guides/clay\"></noscript>",
        ),
        of_head(
            origin,
            "a feed that says its language",
            "<link rel=alternate type=application/rss+xml hreflang=en href=\"{origin}/feed.xml\">",
        ),
        table(origin),
    ]
}

const PASSAGE: &str = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.";

/// Written for this test.
const MALAY: &str = "Kedai kami dibuka setiap hari dan kami akan menghantar pesanan anda dalam masa dua hari kerana kami mahu anda \
    gembira. Anda boleh memilih warna cawan, dan kami akan membuatnya daripada tanah liat yang baik. Apabila cawan itu sudah kering, \
    kami membakarnya di dalam ketuhar yang besar. Mereka yang datang ke kedai boleh melihat bagaimana kami bekerja.";

/// Google's documented pattern of review snippets.
const RDFA_REVIEW: &str = "<div typeof=schema:Product><h2 property=schema:name>Cup with a blue glaze</h2>\
    <div rel=schema:review><div typeof=schema:Review><div rel=schema:reviewRating><p typeof=schema:Rating>\
    <b property=schema:ratingValue>4</b> of 5</p></div><div rel=schema:author><p typeof=schema:Person>\
    <i property=schema:name>Ann Smith</i></p></div></div></div></div>";

fn with_article(site: SiteSpec, published: &str, shown: &str) -> SiteSpec {
    let html = format!(
        "<script type=application/ld+json>{{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\
         \"headline\":\"All about glaze\",\"image\":\"{{origin}}/cup.png\",\"datePublished\":\"{published}\",\
         \"dateModified\":\"{published}\",\"author\":{{\"@type\":\"Person\",\"name\":\"Ann Smith\",\
         \"url\":\"{{origin}}/about\"}}}}</script><p>All about glaze, by Ann Smith, {shown}.</p>"
    );
    with(site, &html)
}

fn with(mut site: SiteSpec, html: &str) -> SiteSpec {
    site.pages[GLAZE].extra.push_str(html);
    site
}

fn written(mut site: SiteSpec, lang: &str, text: &str) -> SiteSpec {
    let page = &mut site.pages[GLAZE];
    page.html = format!("lang={lang}");
    let paragraphs = (1..=6).map(|it| format!("<p>{it}. {text}</p>"));
    page.text = paragraphs.collect::<Vec<_>>().concat();
    page.extra.clear();
    site
}

/// Each page has the previous one as `rel=prev`; titles differ only in `end`.
fn chained(mut site: SiteSpec, paths: [&str; 3], end: impl Fn(u32) -> String) -> SiteSpec {
    let links = |others: &[&str]| -> String {
        let each = others
            .iter()
            .map(|it| format!("<p>Go to <a href=\"{it}\">a part of the list</a>.</p>"));
        each.collect()
    };
    for (number, (at, path)) in (1_u32..).zip(paths.iter().enumerate()) {
        let mut page = PageSpec::new(path, "cups of our village", number + 20);
        page.in_navigation = false;
        page.titles = vec![format!("All of our handmade cups{}", end(number))];
        page.descriptions = vec![format!(
            "Part {number} of the cups that the potters of our village make by hand, with prices and colours."
        )];
        if at > 0 {
            page.head = format!("<link rel=prev href=\"{}\">", paths[at - 1]);
        }
        let others: Vec<&str> = paths.iter().copied().filter(|it| it != path).collect();
        page.extra = links(&others);
        site.pages.push(page);
    }
    site.pages[GLAZE].extra.push_str(&links(&paths[..1]));
    site
}

fn short_page(origin: &str, name: &'static str, head: &str) -> EdgeCase {
    let mut site = faultless(origin);
    let page = &mut site.pages[GLAZE];
    page.head.push_str(head);
    page.text = String::from(
        "<p>We bake bread and rolls every morning from six, and close when all is sold.</p>",
    );
    page.extra.clear();
    EdgeCase {
        name,
        site,
        codes: &[Code::ThinContent],
    }
}

fn of_head(origin: &str, name: &'static str, head: &str) -> EdgeCase {
    let mut site = faultless(origin);
    site.pages[GLAZE].head.push_str(head);
    let feed =
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Cups</title></channel></rss>";
    site.files.insert(
        "/feed.xml".to_owned(),
        Answer::file("application/rss+xml", feed),
    );
    EdgeCase {
        name,
        site,
        codes: &[],
    }
}

/// Rows too short to score as text, beside a sentence.
fn table(origin: &str) -> EdgeCase {
    let mut site = faultless(origin);
    let mut rows = String::new();
    for number in 1..=60 {
        // Writing to a string cannot fail.
        let _ = write!(
            rows,
            "<tr><td>Cup {number}</td><td>{} ml</td></tr>",
            200 + number
        );
    }
    let page = &mut site.pages[GLAZE];
    page.text = format!("<table>{rows}</table>");
    page.extra = String::from(
        "<div><p>All cups are made by hand, so that sizes differ by a few millilitres.</p></div>",
    );
    EdgeCase {
        name: "a page that is a table",
        site,
        codes: &[],
    }
}
