//! Sites that are easily misjudged: honest ones that look faulty, and faults in another form.

use super::{
    page::PageSpec,
    site::{Answer, SiteSpec, faultless},
};
use crate::findings::issues::IssueCode as Code;
use std::fmt::Write as _;

/// The page that most cases change.
const GLAZE: usize = 2;

/// A site, and exactly the codes that it has.
#[derive(Debug, Clone)]
pub struct EdgeCase {
    /// What is special about it.
    pub name: &'static str,
    /// The codes that are to be found on it, and no others.
    pub codes: &'static [Code],
    /// The site.
    pub site: SiteSpec,
}

/// All of them; `origin` is scheme, host and port, without a slash at the end.
#[must_use]
pub fn edge_cases(origin: &str) -> Vec<EdgeCase> {
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

/// The site with something more on the page on glaze.
fn with(mut site: SiteSpec, html: &str) -> SiteSpec {
    site.pages[GLAZE].extra.push_str(html);
    site
}

/// The site with a paragraph after paragraph in another language on the page on glaze.
fn written(mut site: SiteSpec, lang: &str, text: &str) -> SiteSpec {
    let page = &mut site.pages[GLAZE];
    page.html = format!("lang={lang}");
    let paragraphs = (1..=6).map(|it| format!("<p>{it}. {text}</p>"));
    page.text = paragraphs.collect::<Vec<_>>().concat();
    page.extra.clear();
    site
}

/// The site with three more pages of which each names the one before, with the same title but for an end.
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

/// Rows too short to look like text, and a sentence beside them.
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
