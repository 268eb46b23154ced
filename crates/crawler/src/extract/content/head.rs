use super::super::target::target_of;
use super::super::text::text_up_to;
use super::elements::Element;
use super::link_header::header_links;
use analysis::observation::page_content::{
    Canonical, Hreflang, Meta, MetaKey, PlacedText, Refresh, ResponseHeaders, RobotsDirective,
    TagSource,
};
use analysis::observation::web_site::LinkTarget;
use analysis::text::words::{collapsed, shortened};
use url::Url;

const MAX_TITLES: usize = 50;
const MAX_TITLE_CHARACTERS: usize = 1_000;
const MAX_METAS: usize = 300;
const MAX_CONTENT: usize = 2_000;
const MAX_NAME: usize = 100;
const MAX_LINKS_PER_KIND: usize = 1_000;
const MAX_RAW: usize = 2_048;

/// User agents of robots `meta` elements, besides `robots`.
const ROBOTS: [&str; 13] = [
    "googlebot",
    "googlebot-news",
    "googlebot-image",
    "google-extended",
    "bingbot",
    "msnbot",
    "slurp",
    "duckduckbot",
    "yandex",
    "yandexbot",
    "seznambot",
    "applebot",
    "baiduspider",
];

#[derive(Default)]
pub struct Head {
    pub titles: Vec<PlacedText>,
    pub metas: Vec<Meta>,
    pub robots: Vec<RobotsDirective>,
    pub canonicals: Vec<Canonical>,
    pub hreflangs: Vec<Hreflang>,
    pub next_pages: Vec<String>,
    pub previous_pages: Vec<String>,
    pub refresh: Option<Refresh>,
}

impl Head {
    pub fn read(&mut self, element: &Element<'_>) {
        match element.name {
            "title" if element.is_html() => self.read_title(element),
            "meta" => self.read_meta(element),
            "link" => self.read_link(element),
            "a" => self.read_pagination(element),
            _ => {}
        }
    }

    fn read_title(&mut self, element: &Element<'_>) {
        if self.titles.len() < MAX_TITLES {
            let text = text_up_to(element.dom, element.id, MAX_TITLE_CHARACTERS);
            self.titles.push(PlacedText {
                text: text.unwrap_or_default(),
                source: element.source(),
            });
        }
    }

    fn read_meta(&mut self, element: &Element<'_>) {
        let keys = [
            ("name", MetaKey::Name),
            ("http-equiv", MetaKey::HttpEquiv),
            ("property", MetaKey::Property),
            ("itemprop", MetaKey::ItemProp),
        ];
        let named = keys
            .into_iter()
            .find_map(|(name, key)| Some((element.attribute(name)?, key)));
        let (Some((name, key)), Some(content)) = (named, element.attribute("content")) else {
            return;
        };
        let name = shortened(name.trim(), MAX_NAME).to_ascii_lowercase();
        let content = shortened(content, 4 * MAX_CONTENT);
        match key {
            MetaKey::Name if name == "robots" || ROBOTS.contains(&name.as_str()) => {
                let agent = (name != "robots").then_some(name.as_str());
                let directive = RobotsDirective::from_meta(agent, content, element.source());
                self.robots.push(directive);
                self.robots.truncate(MAX_METAS);
            }
            // Parsers with scripting, such as search engines', ignore `noscript`.
            MetaKey::HttpEquiv
                if name == "refresh" && self.refresh.is_none() && !element.inside.noscript =>
            {
                self.refresh = refresh(content, element.base, element.source());
            }
            _ => {}
        }
        if self.metas.len() < MAX_METAS {
            let content = collapsed(content);
            self.metas.push(Meta {
                key,
                name,
                content: shortened(&content, MAX_CONTENT).to_owned(),
                source: element.source(),
            });
        }
    }

    fn read_link(&mut self, element: &Element<'_>) {
        let (Some(rel), Some(href)) = (element.attribute("rel"), element.attribute("href")) else {
            return;
        };
        let is = |wanted: &str| {
            rel.split_ascii_whitespace()
                .any(|it| it.eq_ignore_ascii_case(wanted))
        };
        if is("canonical") {
            self.add_canonical(href, element.base, element.source());
        }
        if is("alternate")
            && !element.attribute("type").is_some_and(is_feed)
            && let Some(code) = element.attribute("hreflang")
        {
            self.add_hreflang(code, href, element.base, element.source());
        }
        self.read_pagination(element);
    }

    fn read_pagination(&mut self, element: &Element<'_>) {
        let (Some(rel), Some(href)) = (element.attribute("rel"), element.attribute("href")) else {
            return;
        };
        for word in rel.split_ascii_whitespace() {
            self.add_page(word, href, element.base);
        }
    }

    fn add_page(&mut self, rel: &str, href: &str, base: &Url) {
        let list = match rel.to_ascii_lowercase().as_str() {
            "next" => &mut self.next_pages,
            "prev" | "previous" => &mut self.previous_pages,
            _ => return,
        };
        if let Some(url) = web_url(href, base).map(|it| it.0)
            && list.len() < MAX_LINKS_PER_KIND
            && !list.contains(&url)
        {
            list.push(url);
        }
    }

    fn add_canonical(&mut self, href: &str, base: &Url, source: TagSource) {
        // An empty canonical has no effect.
        if href.trim().is_empty() || self.canonicals.len() >= MAX_LINKS_PER_KIND {
            return;
        }
        let target = web_url(href, base);
        self.canonicals.push(Canonical {
            raw: shortened(href.trim(), MAX_RAW).to_owned(),
            is_absolute: is_absolute(href),
            has_fragment: target.as_ref().is_some_and(|it| it.1),
            url: target.map(|it| it.0),
            source,
        });
    }

    fn add_hreflang(&mut self, code: &str, href: &str, base: &Url, source: TagSource) {
        if self.hreflangs.len() < MAX_LINKS_PER_KIND {
            self.hreflangs.push(Hreflang {
                code: shortened(code.trim(), MAX_NAME).to_owned(),
                raw: shortened(href.trim(), MAX_RAW).to_owned(),
                url: web_url(href, base).map(|it| it.0),
                is_absolute: is_absolute(href),
                source,
            });
        }
    }

    pub fn read_headers(&mut self, headers: &ResponseHeaders, page: &Url) {
        let values = headers.robots_tags.iter();
        self.robots
            .extend(values.map(|it| RobotsDirective::from_header(it)));
        if self.refresh.is_none()
            && let Some(value) = &headers.refresh
        {
            self.refresh = refresh(value, page, TagSource::Header);
        }
        for link in headers.links.iter().flat_map(|it| header_links(it)) {
            if link.is("canonical") {
                self.add_canonical(link.address, page, TagSource::Header);
            }
            if link.is("alternate")
                && !link.parameter("type").is_some_and(is_feed)
                && let Some(code) = link.parameter("hreflang")
            {
                self.add_hreflang(code, link.address, page, TagSource::Header);
            }
            for rel in ["next", "prev"] {
                if link.is(rel) {
                    self.add_page(rel, link.address, page);
                }
            }
        }
    }
}

/// Whether a media type is a feed: an alternate format, not another language.
fn is_feed(media_type: &str) -> bool {
    const FEEDS: [&str; 7] = [
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/xml",
        "text/xml",
        "application/feed+json",
        "application/json",
    ];
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    FEEDS.iter().any(|it| essence.eq_ignore_ascii_case(it))
}

/// The normalized web URL, and whether it had a fragment.
pub fn web_url(written: &str, base: &Url) -> Option<(String, bool)> {
    match target_of(written, base) {
        LinkTarget::Web { url, fragment } => Some((url, fragment.is_some())),
        _ => None,
    }
}

pub fn is_absolute(written: &str) -> bool {
    let written = written.trim_start();
    let scheme = written.split(':').next().unwrap_or_default();
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        && written[scheme.len()..].starts_with("://")
}

/// Parses `5; url=x` by the HTML standard, leniently.
fn refresh(content: &str, base: &Url, source: TagSource) -> Option<Refresh> {
    let content = content.trim();
    let end = content
        .find(|it: char| !it.is_ascii_digit() && it != '.')
        .unwrap_or(content.len());
    let seconds: f64 = content[..end].parse().ok()?;
    let rest = content[end..].trim_start_matches([';', ',', ' ', '\t', '\n']);
    let after_key = match rest.get(..3) {
        Some(key) if key.eq_ignore_ascii_case("url") => rest[3..]
            .trim_start()
            .strip_prefix('=')
            .map_or(rest, str::trim_start),
        _ => rest,
    };
    let address = after_key.trim().trim_matches(['"', '\'']);
    Some(Refresh {
        seconds,
        url: (!address.is_empty())
            .then(|| web_url(address, base))
            .flatten()
            .map(|it| it.0),
        source,
    })
}
