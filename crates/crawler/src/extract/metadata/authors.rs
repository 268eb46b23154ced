use super::names::{MAX_LINE, clean_name, name_line, without_date};
use super::{Author, FactSource, MetadataInput, SourcedText};
use crate::extract::{dom::NodeId, json::Json, json_ld::is_article, text::text_of};

const MAX_AUTHORS: usize = 20;
/// `meta` names of authors, most trusted first.
const METAS: &[&str] = &[
    "dc:creator",
    "dc.creator",
    "dcterm:creator",
    "dcterms:creator",
    "dcterms.creator",
    "author",
    "weibo:article:author",
    "parsely-author",
    "sailthru.author",
    "article:author",
    "og:article:author",
    "article.author",
    "citation_author",
    "byl",
    "creator",
];

/// Authors and byline of the most trusted source that has any.
pub fn authors(source: &MetadataInput) -> (Vec<Author>, Option<SourcedText>) {
    let found = from_json_ld(source)
        .or_else(|| from_metas(source))
        .or_else(|| from_elements(source));
    let Some((mut authors, byline)) = found else {
        return (Vec::new(), None);
    };
    authors.truncate(MAX_AUTHORS);
    add_profile_urls(source, &mut authors);
    (authors, Some(byline))
}

type Found = (Vec<Author>, SourcedText);

fn from_json_ld(source: &MetadataInput) -> Option<Found> {
    let objects = source.json_ld.objects();
    objects
        .iter()
        .filter(|(_, it)| is_article(it))
        .find_map(|(_, article)| {
            let named = [&article["author"], &article["creator"]]
                .into_iter()
                .find(|it| !it.is_null())?;
            let named = match named {
                Json::List(all) => all.iter().take(MAX_AUTHORS).collect(),
                one => vec![one],
            };
            let mut authors: Vec<Author> = Vec::new();
            for author in named
                .into_iter()
                .filter_map(|it| from_value(source, &objects, it))
            {
                if authors.iter().all(|it| it.name != author.name) {
                    authors.push(author);
                }
            }
            let all: Vec<&str> = authors.iter().map(|it| it.name.as_str()).collect();
            let line = SourcedText {
                text: all.join(", "),
                source: FactSource::JsonLd,
            };
            (!authors.is_empty()).then_some((authors, line))
        })
}

/// From a name, an object with a name, or the `@id` of such an object.
fn from_value(source: &MetadataInput, objects: &[(NodeId, &Json)], value: &Json) -> Option<Author> {
    let name_of = |it: &Json| match &it["name"] {
        Json::List(all) => all.first().and_then(Json::as_str).map(str::to_owned),
        one => one.as_str().map(str::to_owned),
    };
    let elsewhere = || {
        let id = value["@id"].as_str()?;
        objects
            .iter()
            .map(|it| it.1)
            .find(|it| it["@id"].as_str() == Some(id) && !it["name"].is_null())
    };
    let object = if name_of(value).is_some() {
        value
    } else {
        elsewhere().unwrap_or(value)
    };
    let name = value
        .as_str()
        .map(str::to_owned)
        .or_else(|| name_of(object))?;
    let page = object["url"]
        .as_str()
        .and_then(|it| source.url.join(it).ok());
    Some(Author {
        name: clean_name(&name)?,
        url: page.map(String::from),
        source: FactSource::JsonLd,
    })
}

fn from_metas(source: &MetadataInput) -> Option<Found> {
    let metas: Vec<_> = source.metas().collect();
    METAS.iter().find_map(|wanted| {
        let of_key = metas
            .iter()
            .filter(|(key, _)| key.split_ascii_whitespace().any(|it| it == *wanted));
        let mut lines: Vec<String> = Vec::new();
        for line in of_key.take(MAX_AUTHORS).filter_map(|(_, it)| name_line(it)) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let authors: Vec<Author> = lines
            .iter()
            .filter_map(|it| author(it, FactSource::Meta))
            .collect();
        let byline = SourcedText {
            text: lines.join(", "),
            source: FactSource::Meta,
        };
        (!authors.is_empty()).then_some((authors, byline))
    })
}

fn author(text: &str, source: FactSource) -> Option<Author> {
    clean_name(text).map(|name| Author {
        name,
        url: None,
        source,
    })
}

fn from_elements(source: &MetadataInput) -> Option<Found> {
    source
        .tree
        .order
        .iter()
        .copied()
        .filter(|it| source.is_line_sized[*it] && !source.is_other_content[*it])
        .find_map(|id| {
            let kind = author_element(source, id)?;
            if source.tree.text_length[id] as usize > MAX_LINE {
                return None;
            }
            let text = name_line(&text_of(
                source.dom,
                name_element(source, id).unwrap_or(id),
            )?)?;
            let text = without_date(&text, source.order)?;
            let link = author_link(source, id);
            let name = link
                .and_then(|it| text_of(source.dom, it))
                .and_then(|it| clean_name(&it))
                .or_else(|| clean_name(&text))?;
            let url = link_of(source, link.unwrap_or(id));
            Some((
                vec![Author {
                    name,
                    url,
                    source: kind,
                }],
                SourcedText { text, source: kind },
            ))
        })
}

/// The only link in an author element that is an author element too.
fn author_link(source: &MetadataInput, id: NodeId) -> Option<NodeId> {
    let inside = source
        .dom
        .walk(id, |_| true)
        .into_iter()
        .filter(|it| source.dom.is_html(*it, "a"));
    let is_of_author = |it: &NodeId| {
        let leads_there = source
            .dom
            .attribute(*it, "href")
            .is_some_and(|it| it.contains("/author"));
        (leads_there || author_element(source, *it).is_some()) && text_of(source.dom, *it).is_some()
    };
    let mut links = inside.filter(is_of_author);
    let only = links.next()?;
    links.next().is_none().then_some(only)
}

fn author_element(source: &MetadataInput, id: NodeId) -> Option<FactSource> {
    if !source.dom.has_attributes(id) {
        return None;
    }
    let name = source.dom.name(id)?;
    if matches!(
        name,
        "html" | "body" | "head" | "link" | "meta" | "main" | "img"
    ) {
        return None;
    }
    let of = |name| source.dom.short_attribute(id, name).to_ascii_lowercase();
    if of("rel").split_ascii_whitespace().any(|it| it == "author") {
        return Some(FactSource::AuthorLink);
    }
    if of("itemprop")
        .split_ascii_whitespace()
        .any(|it| it == "author" || it == "creator")
    {
        return Some(FactSource::Microdata);
    }
    let class_and_id = format!("{} {}", of("class"), of("id"));
    let names_one = [
        "byline",
        "author",
        "dateline",
        "writtenby",
        "autor",
        "auteur",
        "schrijver",
        "szerzo",
    ]
    .iter()
    .any(|it| class_and_id.contains(it));
    names_one.then_some(FactSource::VisibleText)
}

fn name_element(source: &MetadataInput, id: NodeId) -> Option<NodeId> {
    let inside = source.dom.walk(id, |_| true).into_iter().skip(1);
    inside.into_iter().find(|it| {
        source
            .dom
            .attribute(*it, "itemprop")
            .is_some_and(|it| it.split_ascii_whitespace().any(|it| it == "name"))
    })
}

/// URL of the element itself or of the first link in it.
fn link_of(source: &MetadataInput, id: NodeId) -> Option<String> {
    let mut inside = source.dom.walk(id, |_| true).into_iter();
    let href = inside.find_map(|it| {
        source
            .dom
            .attribute(it, "href")
            .filter(|_| source.dom.is_html(it, "a"))
    })?;
    source
        .url
        .join(href.trim())
        .ok()
        .filter(|it| matches!(it.scheme(), "http" | "https"))
        .map(String::from)
}

/// Adds missing URLs of authors from author links with the same name.
fn add_profile_urls(source: &MetadataInput, authors: &mut [Author]) {
    if authors.iter().all(|it| it.url.is_some()) {
        return;
    }
    for &id in &source.tree.order {
        let is_link = source.dom.is_html(id, "a") && source.dom.attribute(id, "href").is_some();
        if !is_link || !source.is_line_sized[id] {
            continue;
        }
        let chain = std::iter::once(id).chain(source.dom.ancestors(id)).take(3);
        if chain
            .into_iter()
            .all(|it| author_element(source, it).is_none())
        {
            continue;
        }
        let Some(name) = text_of(source.dom, id).and_then(|it| clean_name(&it)) else {
            continue;
        };
        let same = authors
            .iter_mut()
            .find(|it| it.url.is_none() && it.name.to_lowercase() == name.to_lowercase());
        if let Some(author) = same {
            author.url = link_of(source, id);
        }
    }
}
