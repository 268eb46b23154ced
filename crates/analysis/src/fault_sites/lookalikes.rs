//! Sites that resemble one with a fault and do not have it.

use super::site::{Answer, SiteSpec, faultless};
use crate::findings::issues::IssueCode as Code;
use std::fmt::Write as _;

/// The page that is changed.
const GLAZE: usize = 2;

/// A site that resembles one with a fault.
#[derive(Debug, Clone)]
pub struct LookAlike {
    /// What it is.
    pub name: &'static str,
    /// The site.
    pub site: SiteSpec,
    /// What is found all the same.
    pub codes: &'static [Code],
}

/// Sites that resemble one with a fault; `origin` is scheme, host and port, without a slash at the end.
#[must_use]
pub fn look_alikes(origin: &str) -> Vec<LookAlike> {
    vec![
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

fn short_page(origin: &str, name: &'static str, head: &str) -> LookAlike {
    let mut site = faultless(origin);
    let page = &mut site.pages[GLAZE];
    page.head.push_str(head);
    page.text =
        "<p>We bake bread and rolls every morning from six, and close when all is sold.</p>"
            .to_owned();
    page.extra.clear();
    LookAlike {
        name,
        site,
        codes: &[Code::ThinContent],
    }
}

fn of_head(origin: &str, name: &'static str, head: &str) -> LookAlike {
    let mut site = faultless(origin);
    site.pages[GLAZE].head.push_str(head);
    let feed =
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Cups</title></channel></rss>";
    site.files.insert(
        "/feed.xml".to_owned(),
        Answer::file("application/rss+xml", feed),
    );
    LookAlike {
        name,
        site,
        codes: &[],
    }
}

/// Rows too short to look like text, and a sentence beside them.
fn table(origin: &str) -> LookAlike {
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
    page.extra =
        "<div><p>All cups are made by hand, so that sizes differ by a few millilitres.</p></div>"
            .to_owned();
    LookAlike {
        name: "a page that is a table",
        site,
        codes: &[],
    }
}
