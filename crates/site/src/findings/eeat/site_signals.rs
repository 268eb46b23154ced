use super::outcome::{FACT_CONFIDENCE, GUESS_CONFIDENCE, Outcome, PHRASE_CONFIDENCE, evidence_at};
use super::record::{EeatAuthor, SignalEvidence};
use super::signal::SignalCode;
use super::site::FoundPage;
use super::{SiteSignals, StandardPage};

/// Maximum depth of the contact page.
const MAX_CLICKS: u32 = 2;
/// Links from pages on the same topic for the full value.
const TOPIC_LINKS: f64 = 5.0;
/// Pages of an author for the full value.
const AUTHOR_PAGES: f64 = 3.0;
/// Mentions for the full value: our choice.
const MENTIONS: f64 = 3.0;

/// `None` for signals of a page.
pub fn outcome(
    code: SignalCode,
    site: &SiteSignals,
    third_party_mentions: Option<u32>,
) -> Option<Outcome> {
    let standard = |kind| page_exists(site, kind);
    Some(match code {
        SignalCode::Https => https(site),
        SignalCode::ContactPage => contact(site),
        SignalCode::AddressOrCompanyId => address_or_id(site),
        SignalCode::AboutPage => standard(StandardPage::About),
        SignalCode::PrivacyPolicy => standard(StandardPage::Privacy),
        SignalCode::LegalPages => standard(StandardPage::Legal),
        SignalCode::EditorialPolicy => standard(StandardPage::Editorial),
        SignalCode::ShopInfo => shop(site),
        SignalCode::OrganizationConsistent => organization(site),
        SignalCode::SameAsProfiles => profiles(site),
        SignalCode::ThirdPartyMentions => {
            third_party_mentions.map_or(Outcome::not_applicable(), |it| {
                let value = (f64::from(it) / MENTIONS).min(1.0);
                Outcome::new(value, PHRASE_CONFIDENCE)
            })
        }
        _ => return None,
    })
}

pub fn topical_depth(site: &SiteSignals, url: &str) -> Outcome {
    let links = site.topic_links_to(url);
    let text = format!("{links} pages of the same topic link here");
    Outcome::new((f64::from(links) / TOPIC_LINKS).min(1.0), PHRASE_CONFIDENCE)
        .with_evidence([evidence_at(url, text)])
}

/// By the author with the most pages in the section.
pub fn author_topic_pages(site: &SiteSignals, authors: &[EeatAuthor], url: &str) -> Outcome {
    let counts = authors
        .iter()
        .map(|it| (site.pages_of_author(&it.name, url), it));
    let Some((pages, author)) = counts.max_by_key(|it| it.0) else {
        return Outcome::new(0.0, PHRASE_CONFIDENCE);
    };
    let text = format!("{}: {pages} pages in this section", author.name);
    Outcome::new(
        (f64::from(pages) / AUTHOR_PAGES).min(1.0),
        PHRASE_CONFIDENCE,
    )
    .with_evidence([evidence_at(url, text)])
}

fn page_exists(site: &SiteSignals, kind: StandardPage) -> Outcome {
    site.standard.get(&kind).map_or_else(
        || page_missing(site),
        |it| {
            Outcome::new(
                1.0,
                if it.read {
                    FACT_CONFIDENCE
                } else {
                    PHRASE_CONFIDENCE
                },
            )
            .with_evidence([page_evidence(it)])
        },
    )
}

/// No page has a listed name. Unknown if no page's language has a phrase list.
fn page_missing(site: &SiteSignals) -> Outcome {
    if site.pages > 0 && site.listed_pages == 0 {
        return Outcome::not_applicable();
    }
    Outcome::new(0.0, PHRASE_CONFIDENCE)
}

fn page_evidence(found: &FoundPage) -> SignalEvidence {
    let mut evidence = evidence_at(&found.url, found.text.as_deref().unwrap_or_default());
    evidence.selector.clone_from(&found.selector);
    evidence
}

/// The share of the pages that are https without mixed content.
fn https(site: &SiteSignals) -> Outcome {
    if site.pages == 0 {
        return Outcome::not_applicable();
    }
    let good = site.https_pages.saturating_sub(site.mixed_pages);
    let shown = site
        .insecure_example
        .as_deref()
        .map(|it| evidence_at(it, "not secure"));
    Outcome::new(f64::from(good) / f64::from(site.pages), FACT_CONFIDENCE).with_evidence(shown)
}

/// 1 within two clicks and with contact means; half if one is missing or the page was not read.
fn contact(site: &SiteSignals) -> Outcome {
    let Some(found) = site.standard.get(&StandardPage::Contact) else {
        return page_missing(site);
    };
    let has_means = !site.contact_means.is_empty();
    let value = match (found.read, has_means && found.depth <= MAX_CLICKS) {
        (true, true) => 1.0,
        _ => 0.5,
    };
    let confidence = if found.read {
        FACT_CONFIDENCE
    } else {
        GUESS_CONFIDENCE
    };
    let means = site
        .contact_means
        .iter()
        .map(|it| evidence_at(&found.url, it));
    Outcome::new(value, confidence)
        .with_evidence(std::iter::once(page_evidence(found)).chain(means))
}

fn address_or_id(site: &SiteSignals) -> Outcome {
    let organization = site.organization.as_ref();
    let mut shown = Vec::new();
    let mut confidence = FACT_CONFIDENCE;
    if let (Some(address), Some(url)) = (
        organization.and_then(|it| it.address.as_ref()),
        &site.organization_at,
    ) {
        shown.push(evidence_at(url, address));
    }
    let marked = organization
        .map(|it| it.ids.join(", "))
        .filter(|it| !it.is_empty());
    if let (Some(ids), Some(url)) = (marked, &site.organization_at) {
        shown.push(evidence_at(url, ids));
    }
    if let (Some(id), Some(url)) = (site.ids.first(), &site.ids_at) {
        shown.push(evidence_at(url, id));
    }
    if let (true, Some((url, address))) = (shown.is_empty(), &site.address) {
        confidence = PHRASE_CONFIDENCE;
        shown.push(evidence_at(url, address));
    }
    if shown.is_empty() {
        return Outcome::new(0.0, PHRASE_CONFIDENCE);
    }
    Outcome::new(1.0, confidence).with_evidence(shown)
}

/// A third each; applies to shops only.
fn shop(site: &SiteSignals) -> Outcome {
    if !site.is_shop {
        return Outcome::not_applicable();
    }
    let kinds = [
        StandardPage::Returns,
        StandardPage::Shipping,
        StandardPage::Payment,
    ];
    let found: Vec<&FoundPage> = kinds
        .iter()
        .filter_map(|it| site.standard.get(it))
        .collect();
    let count = u32::try_from(found.len()).unwrap_or_default();
    Outcome::new(f64::from(count) / 3.0, PHRASE_CONFIDENCE)
        .with_evidence(found.into_iter().map(page_evidence))
}

/// Whether the name in structured data is one that readers see.
fn organization(site: &SiteSignals) -> Outcome {
    let Some(organization) = &site.organization else {
        return Outcome::not_applicable();
    };
    let names = [&organization.name, &organization.legal_name];
    let names: Vec<&String> = names.into_iter().flatten().collect();
    if names.is_empty() || site.visible_names.is_empty() {
        return Outcome::not_applicable();
    }
    let seen = |name: &&&String| {
        let name = name.to_lowercase();
        site.visible_names.iter().any(|it| it.contains(&name))
    };
    let consistent = names.iter().any(|it| seen(&it));
    let url = site.organization_at.as_deref().unwrap_or_default();
    let value = f64::from(u8::from(consistent));
    Outcome::new(value, PHRASE_CONFIDENCE).with_evidence([evidence_at(url, names[0])])
}

/// 1 for two profiles, half for one. They are not fetched.
fn profiles(site: &SiteSignals) -> Outcome {
    let organization = site.organization.as_ref();
    let mut all: Vec<&String> = organization
        .map(|it| it.same_as.iter().collect())
        .unwrap_or_default();
    all.sort_unstable();
    all.dedup();
    let value = match all.len() {
        0 => 0.0,
        1 => 0.5,
        _ => 1.0,
    };
    Outcome::new(value, PHRASE_CONFIDENCE)
        .with_evidence(all.into_iter().map(|it| evidence_at(it, "")))
}
