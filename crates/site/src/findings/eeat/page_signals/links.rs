use super::find;
use crate::findings::eeat::outcome::{GUESS_CONFIDENCE, Outcome, PHRASE_CONFIDENCE, evidence_at};
use crate::findings::eeat::phrases::Phrases;
use crate::observation::page_content::{Image, PageContent};
use crate::observation::page_url::registrable_domain;
use crate::observation::web_site::{LinkTarget, PageLink};
use crate::text::words::words;
use std::collections::BTreeSet;
use url::Url;

/// Width or height in px below which an image is decorative.
const MIN_SIZE: u32 = 100;
/// Hosts and parts of names of stock photos.
const STOCK: &str = "\
    shutterstock istockphoto gettyimages unsplash pexels pixabay depositphotos stock.adobe adobestock freepik \
    dreamstime 123rf alamy stockphoto";
/// Domains of primary sources: publishers of studies, standards, laws and statistics.
const PRIMARY: &str = "\
    doi.org nih.gov who.int europa.eu un.org oecd.org worldbank.org imf.org iso.org ietf.org rfc-editor.org w3.org \
    ieee.org acm.org arxiv.org nature.com science.org sciencedirect.com springer.com wiley.com thelancet.com \
    bmj.com nejm.org jamanetwork.com plos.org pnas.org cochrane.org jstor.org cell.com frontiersin.org";
/// Query keys of affiliate links.
const AFFILIATE_KEYS: &str = "tag aff affid affiliate aff_id ref_id irclickid awc";

fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|it| it == name)
}

/// Applies only with paid links.
pub fn disclosure(page: &PageContent, known: Option<&Phrases>) -> Outcome {
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
        return Outcome::new(1.0, PHRASE_CONFIDENCE).with_evidence([evidence_at(&page.url, text)]);
    }
    let mut link = evidence_at(&paid.raw, paid.text.as_deref().unwrap_or_default());
    link.selector = Some(paid.position.css_path.clone());
    Outcome::new(0.0, PHRASE_CONFIDENCE).with_evidence([link])
}

fn is_paid(link: &PageLink) -> bool {
    let rel = link.rel.as_deref().unwrap_or_default();
    let marked = rel
        .split_ascii_whitespace()
        .any(|it| it.eq_ignore_ascii_case("sponsored"));
    let LinkTarget::Web { url, .. } = &link.target else {
        return false;
    };
    link.is_navigable()
        && (marked
            || (url.contains('?')
                && link.in_main_text
                && Url::parse(url).is_ok_and(|it| {
                    let host = it.host_str().unwrap_or_default();
                    it.query_pairs().any(|(key, _)| {
                        // `tag` is an affiliate key on Amazon only.
                        listed(AFFILIATE_KEYS, &key) && (key != "tag" || host.contains("amazon."))
                    })
                })))
}

/// Mean over images in the main text: 1 on the site's own domain, half on others, 0 for stock photos.
pub fn images(page: &PageContent) -> Outcome {
    let own = domain(&page.url);
    let decorates = |size: Option<u32>| size.is_some_and(|it| it < MIN_SIZE);
    // Icons and logos mostly have no size, and at most one word of alternative text.
    let is_described = |image: &Image| {
        let alt = image.alt.as_deref().unwrap_or_default();
        image.width.or(image.height).is_some() || words(alt).nth(1).is_some()
    };
    let mut seen = BTreeSet::new();
    let mut sum = 0.0;
    for image in &page.images {
        let is_content = image.in_main_text
            && !decorates(image.width)
            && !decorates(image.height)
            && is_described(image);
        let Some(url) = image.url.as_deref().filter(|_| is_content) else {
            continue;
        };
        if seen.insert(url) {
            let lower = url.to_lowercase();
            sum += match () {
                () if STOCK.split(' ').any(|it| lower.contains(it)) => 0.0,
                () if domain(url) == own => 1.0,
                () => 0.5,
            };
        }
    }
    let Ok(count @ 1..) = u32::try_from(seen.len()) else {
        return Outcome::not_applicable();
    };
    let shown = seen.iter().map(|it| evidence_at(it, ""));
    Outcome::new(sum / f64::from(count), GUESS_CONFIDENCE).with_evidence(shown)
}

fn domain(url: &str) -> Option<String> {
    Some(registrable_domain(Url::parse(url).ok()?.host_str()?))
}

/// 1 for two of them, half for one.
pub fn primary_sources(page: &PageContent) -> Outcome {
    let own = domain(&page.url);
    let mut found: Vec<&str> = Vec::new();
    for link in page
        .links
        .iter()
        .filter(|it| it.in_main_text && it.is_navigable())
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
    Outcome::new(value, PHRASE_CONFIDENCE).with_evidence(found.iter().map(|it| evidence_at(it, "")))
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
    labels.iter().any(|it| is_public(it)) || listed(PRIMARY, &registrable_domain(&host))
}
