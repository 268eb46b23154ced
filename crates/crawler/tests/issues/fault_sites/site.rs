use super::page::PageSpec;
use std::{collections::BTreeMap, fmt::Write as _};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case, without `content-encoding`.
    pub headers: Vec<(String, String)>,
    /// Uncompressed.
    pub body: Vec<u8>,
    /// Sent with gzip.
    pub compressed: bool,
    pub delay_ms: u32,
    pub failing: Option<Failing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failing {
    Silence,
    Reset,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeneratedSite {
    /// Scheme, host and port.
    pub origin: String,
    /// By absolute URL, other hosts included.
    pub answers: BTreeMap<String, Answer>,
    /// Answer to other URLs with this prefix; `{url}` is replaced by the requested one.
    pub catch_all: Option<(String, Answer)>,
}

impl GeneratedSite {
    /// `url` is absolute.
    pub fn answer(&self, url: &str) -> Answer {
        if let Some(known) = self.answers.get(url) {
            return known.clone();
        }
        match &self.catch_all {
            Some((below, answer)) if url.starts_with(below) => {
                let body = String::from_utf8_lossy(&answer.body).replace("{url}", url);
                Answer {
                    body: body.into_bytes(),
                    ..answer.clone()
                }
            }
            _ => Answer::status(404),
        }
    }
}

#[derive(Debug, Clone)]
pub struct SiteSpec {
    pub origin: String,
    /// The first is the start page.
    pub pages: Vec<PageSpec>,
    /// By path or absolute URL.
    pub files: BTreeMap<String, Answer>,
    pub robots: String,
    /// `/sitemap.xml`, if not generated from the pages.
    pub sitemap: Option<String>,
    /// More sitemap URLs, with `lastmod`.
    pub listed: Vec<(String, Option<String>)>,
    pub headers: Vec<(String, String)>,
    /// See [`GeneratedSite::catch_all`].
    pub catch_all: Option<(String, PageSpec)>,
}

impl Answer {
    pub fn file(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![
                ("content-type".into(), media_type.into()),
                ("cache-control".into(), "public, max-age=31536000".into()),
            ],
            body: body.into(),
            ..Self::default()
        }
    }

    /// With a short body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), "text/html".into())],
            body: format!("<!doctype html><title>{status}</title><p>Status {status}.").into(),
            ..Self::default()
        }
    }

    /// A permanent redirect.
    pub fn redirect(to: &str) -> Self {
        Self {
            status: 301,
            headers: vec![("location".into(), to.into())],
            ..Self::default()
        }
    }
}

const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89,
];

pub fn faultless(origin: &str) -> SiteSpec {
    let pages = [
        ("/", "handmade cups"),
        ("/guides/clay", "clay and its kinds"),
        ("/guides/glaze", "glaze and colours"),
        ("/guides/ovens", "ovens and firing"),
        ("/about", "the village workshop"),
    ];
    let numbered = (1_u32..).zip(pages);
    let mut pages: Vec<PageSpec> = numbered
        .map(|(seed, (path, about))| PageSpec::new(path, about, seed))
        .collect();
    pages[2]
        .extra
        .push_str("<p><img src=/cup.png alt=\"A cup with blue glaze\" width=400 height=300></p>");
    SiteSpec {
        origin: origin.to_owned(),
        pages,
        files: BTreeMap::from([
            (
                "/style.css".into(),
                Answer::file("text/css", "body{margin:0}"),
            ),
            (
                "/app.js".into(),
                Answer::file("text/javascript", "let cups = 1;"),
            ),
            ("/cup.png".into(), Answer::file("image/png", PNG)),
            (
                "/llms.txt".into(),
                Answer::file(
                    "text/plain",
                    "# Our workshop\n\nCups made by hand.\n\n- [Guides](/guides/clay): what we know about clay",
                ),
            ),
        ]),
        robots: format!("User-agent: *\nAllow: /\n\nSitemap: {origin}/sitemap.xml\n"),
        sitemap: None,
        listed: Vec::new(),
        headers: [
            ("content-type", "text/html"),
            ("strict-transport-security", "max-age=31536000"),
            ("content-security-policy", "default-src 'self'"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        catch_all: None,
    }
}

impl SiteSpec {
    pub fn generated(&self) -> GeneratedSite {
        let in_navigation = || self.pages.iter().filter(|it| it.in_navigation);
        let navigation: Vec<(String, String)> = in_navigation()
            .map(|it| (it.url(&self.origin), named(&it.path)))
            .collect();
        let mut site = GeneratedSite {
            origin: self.origin.clone(),
            ..GeneratedSite::default()
        };
        for page in &self.pages {
            let answer = self.answer(page, &navigation);
            site.answers.insert(page.url(&self.origin), answer);
        }
        if let Some((below, page)) = &self.catch_all {
            let mut page = page.clone();
            page.canonical = Some("{asked}".to_owned());
            let mut answer = self.answer(&page, &navigation);
            let body = String::from_utf8_lossy(&answer.body).replace("{asked}", "{url}");
            answer.body = body.into_bytes();
            site.catch_all = Some((format!("{}{below}", self.origin), answer));
        }
        for (path, answer) in &self.files {
            let url = if path.starts_with('/') {
                format!("{}{path}", self.origin)
            } else {
                path.clone()
            };
            site.answers.insert(url, answer.clone());
        }
        let text = |body: &str, media_type: &str| Answer::file(media_type, body);
        let robots = text(&self.robots, "text/plain");
        site.answers
            .insert(format!("{}/robots.txt", self.origin), robots);
        let sitemap = self
            .sitemap
            .clone()
            .unwrap_or_else(|| self.sitemap_of_pages());
        let sitemap = text(&sitemap, "application/xml");
        site.answers
            .insert(format!("{}/sitemap.xml", self.origin), sitemap);
        site
    }

    fn answer(&self, page: &PageSpec, navigation: &[(String, String)]) -> Answer {
        let mut page = page.clone();
        if page.navigation.is_empty() {
            let others = navigation
                .iter()
                .filter(|it| it.0 != page.url(&self.origin));
            page.navigation = others.cloned().collect();
        } else {
            // An empty path means no navigation.
            page.navigation.retain(|it| !it.0.is_empty());
        }
        let own = |name: &str| page.headers.iter().any(|it| it.0 == name);
        let shared = self.headers.iter().filter(|it| !own(&it.0));
        let headers = shared.chain(&page.headers).filter(|it| !it.1.is_empty());
        Answer {
            status: 200,
            headers: headers
                .map(|(name, value)| (name.clone(), value.replace("{origin}", &self.origin)))
                .collect(),
            body: page.html(&self.origin).into_bytes(),
            compressed: page.compressed,
            delay_ms: page.delay_ms,
            failing: None,
        }
    }

    fn sitemap_of_pages(&self) -> String {
        let mut out =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
                .to_owned();
        let pages = self.pages.iter().filter(|it| it.in_sitemap);
        let pages = pages.map(|it| (it.url(&self.origin), None));
        let listed = self
            .listed
            .iter()
            .map(|(path, date)| (format!("{}{path}", self.origin), date.clone()));
        for (url, date) in pages.chain(listed) {
            let date = date
                .map(|it| format!("<lastmod>{it}</lastmod>"))
                .unwrap_or_default();
            let url = url.replace('&', "&amp;");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "<url><loc>{url}</loc>{date}</url>");
        }
        out + "</urlset>\n"
    }
}

fn named(path: &str) -> String {
    let last = path.split('?').next().unwrap_or(path).trim_matches('/');
    let last = last.rsplit('/').next().unwrap_or(last);
    if last.is_empty() {
        "Our workshop".to_owned()
    } else {
        format!("On {}", last.replace(['-', '_'], " "))
    }
}
