//! Signals that a page gives by itself.

use super::{
    EeatInput,
    outcome::{GUESS, Outcome, PHRASE, SURE, at},
    people::{AuthorMarkup, author_markup, is_written_by_organization},
    phrases::{Phrases, phrases},
    record::{EeatAuthor, PageType},
    signal::SignalCode,
};
use crate::{
    observation::{
        page_content::{BlockKind, DateRole, FactSource, PageContent},
        page_url::registrable_domain,
        structured_data::Item,
        web_site::{LinkTarget, PageLink},
    },
    text::words::words,
};
use regex::Regex;
use std::collections::BTreeSet;
use url::Url;

/// Words of a biography.
const BIOGRAPHY_WORDS: u32 = 50;
/// Width or height in px below which an image decorates.
const LEAST_SIZE: u32 = 100;
/// Hosts and parts of names of stock photographs.
const STOCK: [&str; 14] = [
    "shutterstock",
    "istockphoto",
    "gettyimages",
    "unsplash",
    "pexels",
    "pixabay",
    "depositphotos",
    "stock.adobe",
    "adobestock",
    "freepik",
    "dreamstime",
    "123rf",
    "alamy",
    "stockphoto",
];
/// Domains of primary sources: publishers of studies, standards, laws and statistics.
const PRIMARY: [&str; 30] = [
    "doi.org",
    "nih.gov",
    "who.int",
    "europa.eu",
    "un.org",
    "oecd.org",
    "worldbank.org",
    "imf.org",
    "iso.org",
    "ietf.org",
    "rfc-editor.org",
    "w3.org",
    "ieee.org",
    "acm.org",
    "arxiv.org",
    "nature.com",
    "science.org",
    "sciencedirect.com",
    "springer.com",
    "wiley.com",
    "thelancet.com",
    "bmj.com",
    "nejm.org",
    "jamanetwork.com",
    "plos.org",
    "pnas.org",
    "cochrane.org",
    "jstor.org",
    "cell.com",
    "frontiersin.org",
];
/// Query keys of links that pay.
const AFFILIATE_KEYS: [&str; 8] = [
    "tag",
    "aff",
    "affid",
    "affiliate",
    "aff_id",
    "ref_id",
    "irclickid",
    "awc",
];

/// The outcome of a page's own signal; `None` for those of the site.
pub fn outcome(
    code: SignalCode,
    input: &EeatInput<'_>,
    authors: &[EeatAuthor],
    is_ymyl: bool,
) -> Option<Outcome> {
    let page = input.page;
    let is_article = input.page_type == PageType::Article;
    let is_review = matches!(input.page_type, PageType::Article | PageType::Product);
    let known = phrases(page.text.language);
    Some(match code {
        SignalCode::Byline if is_article => byline(page, authors, is_ymyl),
        SignalCode::AuthorPage if is_article => author_page(input, authors),
        SignalCode::Credentials if is_article => credentials(page, authors),
        SignalCode::Reviewer if is_article && is_ymyl => reviewer(page, known),
        SignalCode::AuthorMarkup if is_article => markup(page),
        SignalCode::DateConsistency => dates(page),
        SignalCode::Disclosure => disclosure(page, known),
        SignalCode::FirstPerson if is_review => by_phrase(page, known.map(|it| &it.first_person)),
        SignalCode::OriginalImages => images(page),
        SignalCode::TestMethod if is_review => by_phrase(page, known.map(|it| &it.test_method)),
        SignalCode::OwnData if is_review => own_data(page, known),
        SignalCode::DatedReviews => reviews(page, input.page_type),
        SignalCode::PrimarySources if is_article => primary_sources(page),
        SignalCode::Byline
        | SignalCode::AuthorPage
        | SignalCode::Credentials
        | SignalCode::Reviewer
        | SignalCode::AuthorMarkup
        | SignalCode::FirstPerson
        | SignalCode::TestMethod
        | SignalCode::OwnData
        | SignalCode::PrimarySources => Outcome::not_applicable(),
        _ => return None,
    })
}

/// A name; half where only an organisation is named on a page about money or life.
fn byline(page: &PageContent, authors: &[EeatAuthor], is_ymyl: bool) -> Outcome {
    let Some(author) = authors.first() else {
        return Outcome::new(0.0, PHRASE);
    };
    let by_organization = is_written_by_organization(&page.structured_data);
    let value = if by_organization && is_ymyl { 0.5 } else { 1.0 };
    let text = page
        .metadata
        .byline
        .as_ref()
        .map_or(&author.name, |it| &it.text);
    Outcome::new(value, SURE).shown_by([at(&page.url, text)])
}

/// A page of fifty words; half for one that says less or was not read, or is a profile elsewhere. The
/// page about a site that one person writes is theirs.
fn author_page(input: &EeatInput<'_>, authors: &[EeatAuthor]) -> Outcome {
    let about = input.site.standard.get(&super::StandardPage::About);
    let own = about
        .filter(|_| input.site.has_one_author())
        .map(|it| it.url.clone());
    let addresses = authors.iter().filter_map(|it| it.url.clone()).chain(own);
    let mut best = Outcome::new(0.0, PHRASE);
    for url in addresses {
        let (value, confidence) = match input.site.words_of(&without_fragment(&url)) {
            Some(words) if words >= BIOGRAPHY_WORDS => (1.0, SURE),
            Some(_) => (0.5, SURE),
            None => (0.5, GUESS),
        };
        if best.value.is_none_or(|it| value > it) {
            best = Outcome::new(value, confidence).shown_by([at(&url, "")]);
        }
    }
    best
}

fn without_fragment(url: &str) -> String {
    crate::observation::page_url::normalised(url).unwrap_or_else(|| url.to_owned())
}

fn credentials(page: &PageContent, authors: &[EeatAuthor]) -> Outcome {
    let found = authors.iter().flat_map(|it| &it.credentials).next();
    found.map_or(Outcome::new(0.0, PHRASE), |it| {
        Outcome::new(1.0, SURE).shown_by([at(&page.url, it)])
    })
}

fn reviewer(page: &PageContent, known: Option<&Phrases>) -> Outcome {
    let items = &page.structured_data.items;
    let marked = items
        .iter()
        .any(|it| it.values("reviewedBy").next().is_some());
    if marked {
        return Outcome::new(1.0, SURE).shown_by([at(&page.url, "reviewedBy")]);
    }
    by_phrase(page, known.map(|it| &it.reviewed))
}

fn markup(page: &PageContent) -> Outcome {
    let (value, text) = match author_markup(&page.structured_data) {
        AuthorMarkup::None => return Outcome::new(0.0, SURE),
        AuthorMarkup::Named => (0.5, "author without url and sameAs"),
        AuthorMarkup::Linked => (1.0, "author with url or sameAs"),
    };
    Outcome::new(value, SURE).shown_by([at(&page.url, text)])
}

/// Dates that readers see and dates that machines read, where there are both; time zones may make a
/// day of difference.
fn dates(page: &PageContent) -> Outcome {
    let dates = &page.metadata.dates;
    let visible = dates
        .iter()
        .filter(|it| matches!(it.source, FactSource::VisibleText | FactSource::TimeElement));
    let machine: Vec<_> = dates
        .iter()
        .filter(|it| {
            matches!(
                it.source,
                FactSource::JsonLd | FactSource::Meta | FactSource::Microdata
            ) && it.role != DateRole::Unspecified
        })
        .collect();
    let visible: Vec<_> = visible.collect();
    let (Some(first), Some(other)) = (visible.first(), machine.first()) else {
        return Outcome::not_applicable();
    };
    let near = |days: i64| days.abs() <= 1;
    let agree = visible
        .iter()
        .any(|one| machine.iter().any(|it| near((one.day - it.day).num_days())));
    let text = format!("visible {}, machine-readable {}", first.day, other.day);
    Outcome::new(f64::from(u8::from(agree)), SURE).shown_by([at(&page.url, text)])
}

/// Only where links pay.
fn disclosure(page: &PageContent, known: Option<&Phrases>) -> Outcome {
    let Some(paid) = page.links.iter().find(|it| is_paid(it)) else {
        return Outcome::not_applicable();
    };
    let Some(known) = known else {
        return Outcome::not_applicable();
    };
    let mut found = find(page, &known.disclosure);
    if found.is_none() {
        found = known
            .disclosure
            .find(&page.text.footer)
            .map(|it| it.as_str().to_owned());
    }
    if let Some(text) = found {
        return Outcome::new(1.0, PHRASE).shown_by([at(&page.url, text)]);
    }
    let mut link = at(&paid.raw, paid.text.as_deref().unwrap_or_default());
    link.selector = Some(paid.position.css_path.clone());
    Outcome::new(0.0, PHRASE).shown_by([link])
}

fn is_paid(link: &PageLink) -> bool {
    let rel = link.rel.as_deref().unwrap_or_default();
    let marked = rel
        .split_ascii_whitespace()
        .any(|it| it.eq_ignore_ascii_case("sponsored"));
    let LinkTarget::Web { url, .. } = &link.target else {
        return false;
    };
    link.is_followed_by_readers()
        && (marked
            || (url.contains('?')
                && link.in_main_text
                && Url::parse(url).is_ok_and(|it| {
                    let host = it.host_str().unwrap_or_default();
                    it.query_pairs().any(|(key, _)| {
                        // `tag` is Amazon's; elsewhere it is a tag.
                        AFFILIATE_KEYS.contains(&key.as_ref())
                            && (key != "tag" || host.contains("amazon."))
                    })
                })))
}

fn by_phrase(page: &PageContent, phrase: Option<&Regex>) -> Outcome {
    let Some(phrase) = phrase else {
        return Outcome::not_applicable();
    };
    find(page, phrase).map_or(Outcome::new(0.0, PHRASE), |it| {
        Outcome::new(1.0, PHRASE).shown_by([at(&page.url, it)])
    })
}

/// The first place in the main text, with some words around it.
fn find(page: &PageContent, phrase: &Regex) -> Option<String> {
    let blocks = page.text.main.blocks.iter();
    let mut prose = blocks.filter(|it| it.kind != BlockKind::Preformatted);
    prose.find_map(|block| {
        let found = phrase.find(&block.text)?;
        let begin = block.text[..found.start()]
            .char_indices()
            .rev()
            .nth(40)
            .map_or(0, |it| it.0);
        Some(block.text[begin..].to_owned())
    })
}

/// The share of the main text's images that are the site's own; half for other hosts, which may
/// deliver for it, none for stock photographs.
fn images(page: &PageContent) -> Outcome {
    let own = domain(&page.url);
    let decorates = |size: Option<u32>| size.is_some_and(|it| it < LEAST_SIZE);
    let mut seen = BTreeSet::new();
    let mut sum = 0.0;
    for image in &page.images {
        let is_content = image.in_main_text && !decorates(image.width) && !decorates(image.height);
        let Some(url) = image.url.as_deref().filter(|_| is_content) else {
            continue;
        };
        if seen.insert(url) {
            let lower = url.to_lowercase();
            sum += match () {
                () if STOCK.iter().any(|it| lower.contains(it)) => 0.0,
                () if domain(url) == own => 1.0,
                () => 0.5,
            };
        }
    }
    let Ok(count @ 1..) = u32::try_from(seen.len()) else {
        return Outcome::not_applicable();
    };
    let shown = seen.iter().map(|it| at(it, ""));
    Outcome::new(sum / f64::from(count), GUESS).shown_by(shown)
}

fn domain(url: &str) -> Option<String> {
    Some(registrable_domain(Url::parse(url).ok()?.host_str()?))
}

/// A table of numbers, a data set, or words of an own study.
fn own_data(page: &PageContent, known: Option<&Phrases>) -> Outcome {
    let blocks = page.text.main.blocks.iter();
    let numbers = |text: &str| {
        words(text)
            .filter(|it| {
                it.bytes()
                    .all(|it| it.is_ascii_digit() || matches!(it, b'.' | b','))
            })
            .count()
    };
    let rows: Vec<_> = blocks
        .filter(|it| it.kind == BlockKind::TableRow && numbers(&it.text) >= 2)
        .collect();
    if rows.len() >= 2 {
        return Outcome::new(1.0, PHRASE).shown_by([at(&page.url, &rows[0].text)]);
    }
    let mut types = page
        .structured_data
        .items
        .iter()
        .flat_map(Item::schema_types);
    if types.any(|it| it == "Dataset") {
        return Outcome::new(1.0, SURE).shown_by([at(&page.url, "Dataset")]);
    }
    by_phrase(page, known.map(|it| &it.own_data))
}

/// The share of the reviews that have author and date, where there are reviews or products.
fn reviews(page: &PageContent, page_type: PageType) -> Outcome {
    let items = &page.structured_data.items;
    let is = |wanted: &'static str| {
        move |it: &&Item| {
            it.schema_types()
                .any(|it| it == wanted || (wanted == "Review" && it == "UserReview"))
        }
    };
    let all: Vec<&Item> = items.iter().filter(is("Review")).collect();
    let Ok(count @ 1..) = u32::try_from(all.len()) else {
        let rated = items.iter().any(|it| is("AggregateRating")(&it));
        let expected = rated || page_type == PageType::Product;
        return if expected {
            Outcome::new(0.0, SURE)
        } else {
            Outcome::not_applicable()
        };
    };
    let has = |it: &Item, name: &str| it.values(name).next().is_some();
    let full = all
        .iter()
        .filter(|it| has(it, "author") && has(it, "datePublished"));
    let full = u32::try_from(full.count()).unwrap_or(count);
    let text = format!("{full} of {count} reviews with author and date");
    Outcome::new(f64::from(full) / f64::from(count), SURE).shown_by([at(&page.url, text)])
}

/// Two of them are enough, one is half.
fn primary_sources(page: &PageContent) -> Outcome {
    let own = domain(&page.url);
    let mut found: Vec<&str> = Vec::new();
    for link in page
        .links
        .iter()
        .filter(|it| it.in_main_text && it.is_followed_by_readers())
    {
        if let LinkTarget::Web { url, .. } = &link.target
            && domain(url) != own
            && is_primary(url)
            && !found.contains(&url.as_str())
        {
            found.push(url);
        }
    }
    let value = match found.len() {
        0 => 0.0,
        1 => 0.5,
        _ => 1.0,
    };
    Outcome::new(value, PHRASE).shown_by(found.iter().map(|it| at(it, "")))
}

fn is_primary(url: &str) -> bool {
    let Some(host) = Url::parse(url)
        .ok()
        .and_then(|it| it.host_str().map(str::to_owned))
    else {
        return false;
    };
    let labels: Vec<&str> = host.split('.').rev().take(2).collect();
    let is_public = |label: &str| {
        matches!(
            label,
            "gov" | "edu" | "mil" | "int" | "gouv" | "gob" | "govt" | "ac"
        )
    };
    labels.iter().any(|it| is_public(it)) || PRIMARY.contains(&registrable_domain(&host).as_str())
}
