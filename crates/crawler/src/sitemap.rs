//! Sitemaps: XML without DTD and entities, indexes, plain lists, gzip.

use quick_xml::{Reader, escape::resolve_predefined_entity, events::Event};
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// What is read of a sitemap after decoding.
pub const MOST_BYTES: usize = 50 * 1024 * 1024;
/// Entries a sitemap may have.
pub const MOST_ENTRIES: usize = 50_000;
/// A longer `loc` is no URL.
const MOST_URL: usize = 2_048;

/// A sitemap's content.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Pages it lists, as written.
    pub pages: Vec<String>,
    /// Sitemaps it lists, as written.
    pub sitemaps: Vec<String>,
    /// What is wrong with it, as a code.
    pub problem: Option<&'static str>,
}

impl Sitemap {
    /// Reads a sitemap; what is wrong ends the reading and keeps what was read.
    pub fn read(bytes: &[u8]) -> Self {
        match unpacked(bytes) {
            Err(problem) => Self {
                problem: Some(problem),
                ..Self::default()
            },
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let text = text.trim_start_matches('\u{feff}').trim_start();
                if text.starts_with('<') {
                    Self::read_xml(text)
                } else {
                    Self::read_list(text)
                }
            }
        }
    }

    fn read_list(text: &str) -> Self {
        let lines = text.lines().map(str::trim);
        let urls = lines.filter(|it| it.starts_with("http") && it.len() <= MOST_URL);
        Self {
            pages: urls.take(MOST_ENTRIES).map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    fn read_xml(text: &str) -> Self {
        let mut sitemap = Self::default();
        let mut reader = Reader::from_str(text);
        let (mut parents, mut loc) = (Vec::new(), None::<String>);
        loop {
            match reader.read_event() {
                Ok(Event::Start(tag)) => {
                    let name = tag.local_name().as_ref().to_owned();
                    loc = (name == "loc").then(String::new);
                    parents.push(name);
                    if parents.len() > 16 {
                        return sitemap.with("tooDeep");
                    }
                }
                Ok(Event::Text(part)) => add(&mut loc, &part),
                Ok(Event::CData(part)) => add(&mut loc, &part),
                Ok(Event::GeneralRef(part)) => match character(&part) {
                    Some(text) => add(&mut loc, &text),
                    None => return sitemap.with("entity"),
                },
                Ok(Event::End(_)) => {
                    parents.pop();
                    let parent = parents.last().map(String::as_str);
                    sitemap.take(loc.take(), parent);
                    if sitemap.pages.len() + sitemap.sitemaps.len() >= MOST_ENTRIES {
                        return sitemap.with("tooManyEntries");
                    }
                }
                Ok(Event::DocType(_)) => return sitemap.with("doctype"),
                Ok(Event::Eof) => return sitemap,
                Ok(_) => {}
                Err(_) => return sitemap.with("notXml"),
            }
        }
    }

    /// Only `url/loc` and `sitemap/loc` count; images and videos have a `loc` of their own.
    fn take(&mut self, loc: Option<String>, parent: Option<&str>) {
        let Some(url) = loc.map(|it| it.trim().to_owned()) else {
            return;
        };
        if url.is_empty() || url.len() > MOST_URL {
            return;
        }
        match parent {
            Some("sitemap") => self.sitemaps.push(url),
            Some("url") => self.pages.push(url),
            _ => {}
        }
    }

    fn with(self, problem: &'static str) -> Self {
        Self {
            problem: Some(problem),
            ..self
        }
    }
}

fn add(loc: &mut Option<String>, text: &str) {
    if let Some(loc) = loc
        && loc.len() <= MOST_URL
    {
        loc.push_str(text);
    }
}

/// The character a reference stands for: one of the five predefined or a number, nothing else.
fn character(reference: &quick_xml::events::BytesRef<'_>) -> Option<String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character.to_string());
    }
    resolve_predefined_entity(reference).map(str::to_owned)
}

/// Undoes gzip where the bytes say it is there, whatever the headers said.
fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes.to_vec());
    }
    let mut out = Vec::new();
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    let read = MultiGzDecoder::new(bytes).take(most + 1).read_to_end(&mut out);
    match read {
        Ok(length) if length > MOST_BYTES => Err("tooLarge"),
        Ok(_) => Ok(out),
        Err(_) => Err("undecodable"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x">
          <url><loc> https://example.com/a?x=1&amp;y=%20 </loc><lastmod>2024-01-01</lastmod></url>
          <url><image:image><image:loc>https://example.com/i.png</image:loc></image:image><loc><![CDATA[https://example.com/b]]>&#x2F;</loc></url>
        </urlset>"#;

    #[test]
    fn pages_are_read_with_references_resolved() {
        let sitemap = Sitemap::read(TWO.as_bytes());
        assert_eq!(sitemap.pages, ["https://example.com/a?x=1&y=%20", "https://example.com/b/"]);
        assert_eq!(sitemap.problem, None);
    }

    #[test]
    fn indexes_gzip_and_plain_lists_are_read() {
        let index = "<sitemapindex><sitemap><loc>https://example.com/s.xml.gz</loc></sitemap></sitemapindex>";
        assert_eq!(Sitemap::read(index.as_bytes()).sitemaps, ["https://example.com/s.xml.gz"]);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(TWO.as_bytes()).unwrap();
        assert_eq!(Sitemap::read(&packed.finish().unwrap()).pages.len(), 2);
        let list = "\u{feff}https://example.com/a\r\nhttps://example.com/b\nnonsense\n";
        assert_eq!(Sitemap::read(list.as_bytes()).pages.len(), 2);
    }

    #[test]
    fn doctypes_entities_and_broken_xml_end_the_reading() {
        let lol = r#"<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>https://example.com/&a;</loc></url></urlset>"#;
        assert_eq!(Sitemap::read(lol.as_bytes()).problem, Some("doctype"));
        let entity = "<urlset><url><loc>https://example.com/&a;</loc></url></urlset>";
        assert_eq!(Sitemap::read(entity.as_bytes()).problem, Some("entity"));
        let broken = "<urlset><url><loc>https://example.com/a</loc></url><url></loc>";
        let sitemap = Sitemap::read(broken.as_bytes());
        assert_eq!((sitemap.pages.len(), sitemap.problem), (1, Some("notXml")));
        let deep = "<a>".repeat(1_000);
        assert_eq!(Sitemap::read(deep.as_bytes()).problem, Some("tooDeep"));
    }

    #[test]
    fn a_gzip_bomb_is_refused() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![b' '; 1024 * 1024];
        for _ in 0..51 {
            packed.write_all(&zeros).unwrap();
        }
        assert_eq!(Sitemap::read(&packed.finish().unwrap()).problem, Some("tooLarge"));
    }
}
