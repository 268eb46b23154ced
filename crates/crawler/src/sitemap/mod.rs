//! Sitemaps: XML without DTD and entities, indexes, plain lists, feeds, gzip.

mod decoding;
mod last_modified;

pub use last_modified::LastModified;

use analysis::text::words::shortened;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::borrow::Cow;

/// Decoded bytes read of a sitemap, of 50 MiB allowed (sitemaps.org); the rest is ignored.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Entries per sitemap (sitemaps.org).
pub const MAX_ENTRIES: usize = 50_000;
/// A longer `loc` is ignored (sitemaps.org).
const MAX_URL: usize = 2_048;
/// Bytes of all URLs kept of a sitemap: 50,000 of more than 300 each.
const MAX_URL_BYTES: usize = 16 * 1024 * 1024;
const MAX_DEPTH: usize = 16;
/// Root elements of sitemaps, by sitemaps.org and by Google; they may be empty.
const ROOTS: [&str; 5] = ["urlset", "sitemapindex", "rss", "RDF", "feed"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitemapEntry {
    /// As written.
    pub url: String,
    /// `None` if missing or malformed.
    pub last_modified: Option<LastModified>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    pub pages: Vec<SitemapEntry>,
    pub sitemaps: Vec<SitemapEntry>,
    /// Error code.
    pub problem: Option<&'static str>,
}

impl Sitemap {
    /// An error ends the parse; entries read so far are kept.
    pub fn read(bytes: &[u8]) -> Self {
        let (bytes, gzip_problem) = decoding::gunzip(bytes);
        let (text, encoding) = decoding::text(&bytes);
        let text = text.trim_start();
        let read = if text.starts_with('<') {
            Self::read_xml(text)
        } else {
            Self::read_list(text)
        };
        Self {
            problem: gzip_problem.or(encoding).or(read.problem),
            ..read
        }
    }

    fn read_list(text: &str) -> Self {
        let lines = text.lines().map(str::trim);
        let urls = lines.filter(|it| it.starts_with("http") && it.len() <= MAX_URL);
        let mut pages: Vec<_> = urls
            .take(MAX_ENTRIES + 1)
            .map(|it| SitemapEntry {
                url: it.to_owned(),
                last_modified: None,
            })
            .collect();
        let problem = match pages.len() {
            0 => Some("notSitemap"),
            1..=MAX_ENTRIES => None,
            _ => Some("tooManyEntries"),
        };
        pages.truncate(MAX_ENTRIES);
        Self {
            pages,
            sitemaps: Vec::new(),
            problem,
        }
    }

    fn read_xml(text: &str) -> Self {
        let mut reading = SitemapParser::default();
        let mut reader = Reader::from_str(text);
        loop {
            let problem = match reader.read_event() {
                Ok(Event::Start(tag)) => reading.open(&tag),
                Ok(Event::Empty(tag)) => {
                    reading.read_empty_element(&tag);
                    None
                }
                Ok(Event::Text(part)) => {
                    reading.add(&part);
                    None
                }
                Ok(Event::CData(part)) => {
                    reading.add(&part);
                    None
                }
                Ok(Event::GeneralRef(part)) => reading.add_reference(&part),
                Ok(Event::End(_)) => reading.close(),
                // A DOCTYPE without declarations is harmless.
                Ok(Event::DocType(part)) if part.contains('[') => Some("doctype"),
                Ok(Event::DocType(part)) if names_html(&part) => Some("html"),
                Ok(Event::Eof) => return reading.finish(),
                Ok(_) => None,
                Err(_) => Some("notXml"),
            };
            if problem.is_some() {
                return Self {
                    problem,
                    ..reading.sitemap
                };
            }
        }
    }
}

fn names_html(text: &str) -> bool {
    let start = text.trim_start().get(..4);
    start.is_some_and(|it| it.eq_ignore_ascii_case("html"))
}

#[derive(Default)]
struct SitemapParser {
    sitemap: Sitemap,
    has_root: bool,
    parents: Vec<String>,
    text: String,
    entry: SitemapEntry,
    url_bytes: usize,
}

impl SitemapParser {
    fn open(&mut self, tag: &BytesStart) -> Option<&'static str> {
        let name = tag.local_name().as_ref().to_owned();
        self.text.clear();
        if matches!(name.as_str(), "url" | "sitemap" | "item" | "entry") {
            self.entry = SitemapEntry::default();
        }
        self.link(tag);
        if self.parents.is_empty() {
            if name.eq_ignore_ascii_case("html") {
                return Some("html");
            }
            self.has_root |= ROOTS.contains(&name.as_str());
        }
        self.parents.push(name);
        (self.parents.len() > MAX_DEPTH).then_some("tooDeep")
    }

    /// An empty-element tag.
    fn read_empty_element(&mut self, tag: &BytesStart) {
        let is_root = self.parents.is_empty();
        self.has_root |= is_root && ROOTS.contains(&tag.local_name().as_ref());
        self.link(tag);
    }

    /// At the end of the text, all elements must be closed.
    fn finish(self) -> Sitemap {
        let is_empty = self.sitemap.pages.is_empty() && self.sitemap.sitemaps.is_empty();
        let problem = if !self.parents.is_empty() {
            Some("cutOff")
        } else if is_empty && !self.has_root {
            Some("notSitemap")
        } else {
            None
        };
        Sitemap {
            problem,
            ..self.sitemap
        }
    }

    /// In Atom, the URL is an attribute of `link`.
    fn link(&mut self, tag: &BytesStart) {
        let of = |name: &str| {
            let value = tag.try_get_attribute(name).ok().flatten()?;
            value
                .normalized_value(XmlVersion::Implicit1_0)
                .ok()
                .map(Cow::into_owned)
        };
        let is_link = tag.local_name().as_ref() == "link"
            && self.parents.last().is_some_and(|it| it == "entry");
        if is_link && of("rel").is_none_or(|it| it == "alternate") && self.entry.url.is_empty() {
            self.entry.url = of("href").unwrap_or_default();
        }
    }

    fn add(&mut self, text: &str) {
        if self.text.len() <= MAX_URL {
            // Enough to detect that it is too long.
            self.text.push_str(shortened(text, MAX_URL + 1));
        }
    }

    fn add_reference(&mut self, reference: &BytesRef) -> Option<&'static str> {
        let Some(text) = decoding::character(reference) else {
            return Some("entity");
        };
        self.add(&text);
        None
    }

    /// Only children of the entry count; images and videos have a separate `loc`.
    fn close(&mut self) -> Option<&'static str> {
        let name = self.parents.pop().unwrap_or_default();
        let text = std::mem::take(&mut self.text);
        let parent = self.parents.last().map_or("", String::as_str);
        match (parent, name.as_str()) {
            ("url" | "sitemap", "loc") | ("item", "link") => {
                text.trim().clone_into(&mut self.entry.url);
            }
            ("url" | "sitemap", "lastmod") | ("entry", "updated") => {
                self.entry.last_modified = LastModified::read(&text);
            }
            ("item", "pubDate") => self.entry.last_modified = LastModified::read_rfc_2822(&text),
            (_, "url" | "item" | "entry") => return self.add_entry(false),
            (_, "sitemap") => return self.add_entry(true),
            _ => {}
        }
        None
    }

    fn add_entry(&mut self, is_sitemap: bool) -> Option<&'static str> {
        let entry = std::mem::take(&mut self.entry);
        if entry.url.is_empty() || entry.url.len() > MAX_URL {
            return None;
        }
        if self.sitemap.pages.len() + self.sitemap.sitemaps.len() >= MAX_ENTRIES {
            return Some("tooManyEntries");
        }
        self.url_bytes += entry.url.len();
        if self.url_bytes > MAX_URL_BYTES {
            return Some("tooLarge");
        }
        if is_sitemap {
            self.sitemap.sitemaps.push(entry);
        } else {
            self.sitemap.pages.push(entry);
        }
        None
    }
}

#[cfg(test)]
mod tests;
