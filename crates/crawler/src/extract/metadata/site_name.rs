use super::{FactSource, MetadataInput, SourcedText};
use crate::extract::json_ld::{is_article, types};
use crate::extract::text::text_of;
use analysis::text::words::{collapsed, shortened};

const MAX_CHARACTERS: usize = 120;
/// `meta` names of the site name, most trusted first.
const METAS: &[&str] = &[
    "og:site_name",
    "application-name",
    "dc.publisher",
    "dcterms.publisher",
    "copyright:name",
    "apple-mobile-web-app-title",
];

/// From `meta`, JSON-LD or the end of the title.
pub fn site_name(source: &MetadataInput) -> Option<SourcedText> {
    from_metas(source)
        .or_else(|| from_json_ld(source))
        .or_else(|| from_title(source))
}

fn sourced_text(text: &str, source: FactSource) -> Option<SourcedText> {
    let text = shortened(&collapsed(text), MAX_CHARACTERS).to_owned();
    (!text.is_empty() && !text.starts_with("http")).then_some(SourcedText { text, source })
}

fn from_metas(source: &MetadataInput) -> Option<SourcedText> {
    let metas: Vec<_> = source.metas().collect();
    METAS.iter().find_map(|wanted| {
        let (_, content) = metas
            .iter()
            .find(|(key, _)| key.split_ascii_whitespace().any(|it| it == *wanted))?;
        sourced_text(content, FactSource::Meta)
    })
}

fn from_json_ld(source: &MetadataInput) -> Option<SourcedText> {
    let objects = source.json_ld.objects();
    let publisher = objects
        .iter()
        .filter(|(_, it)| is_article(it))
        .find_map(|(_, it)| it["publisher"]["name"].as_str());
    let site = || {
        objects
            .iter()
            .filter(|(_, it)| types(it).any(|it| it == "WebSite"))
            .find_map(|(_, it)| it["name"].as_str())
    };
    sourced_text(publisher.or_else(site)?, FactSource::JsonLd)
}

fn from_title(source: &MetadataInput) -> Option<SourcedText> {
    let title = source
        .dom
        .order
        .iter()
        .copied()
        .find(|it| source.dom.is_html(*it, "title"))?;
    let title = text_of(source.dom, title)?;
    let (_, last) = [" | ", " – ", " — ", " - ", " :: ", " « ", " » "]
        .iter()
        .filter_map(|it| title.rsplit_once(it))
        .min_by_key(|it| it.1.len())?;
    let is_short = last.chars().count() * 2 <= title.chars().count();
    is_short
        .then(|| sourced_text(last, FactSource::Title))
        .flatten()
}
