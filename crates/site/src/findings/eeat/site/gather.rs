use super::{FoundPage, SiteSignals, author_key, hash, section};
use crate::findings::eeat::company_ids::company_ids;
use crate::findings::eeat::people;
use crate::findings::eeat::record::Organization;
use crate::findings::eeat::standard_pages::{
    SUPPORTED_LANGUAGES, StandardPage, classify_text, classify_url, covers_shipping_and_payment,
};
use crate::observation::page_content::PageContent;
use crate::observation::structured_data::Item;
use crate::observation::web_site::{LinkTarget, PageLink, Placement};
use crate::text::words::{shortened, words};
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};
use url::Url;

const MAX_PAGES: usize = 1_000_000;
const MAX_AUTHORS: usize = 100_000;
/// Maximum depth of pages for their links to standard pages to count.
const MAX_LINK_SOURCE_DEPTH: u32 = 1;

/// A postal code with a city, or a street with its number.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let city = "[A-ZÀ-ÖØ-ÞĀ-Ž][[:alpha:]À-ž]{2,}";
    let forms = [
        // Praha, Berlin, Paris, Madrid, Roma; Warszawa; Amsterdam.
        format!(r"\b(?:[A-Z]{{1,2}}-)?\d{{3}} ?\d{{2}} +{city}"),
        format!(r"\b\d{{2}}-\d{{3}} +{city}"),
        format!(r"\b\d{{4}} ?[A-Z]{{2}} +{city}"),
        // Budapest, Wien, Bruxelles, Zürich: four digits alone may be a year.
        format!(r"(?:, |\b(?:H|A|B|CH)-)\d{{4}} {city}"),
        // Springfield, London.
        r"\b[A-Z]{2} \d{5}(?:-\d{4})?\b".to_owned(),
        r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b".to_owned(),
        r"\b\d{1,5} [A-Z][[:alpha:]]+ (?:[Ss]treet|St\.|[Aa]venue|Ave\.|[Rr]oad|Rd\.|[Ll]ane|[Dd]rive|[Bb]oulevard|Blvd)".to_owned(),
    ];
    Regex::new(&forms.join("|")).ok()
});

static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b").ok());
static PHONE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\+\d{1,3}[ ()./-]*\d[\d ()./-]{5,16}\d").ok());

/// Whether the page's language has a phrase list, or is unknown.
fn is_listed(page: &PageContent) -> bool {
    page.language_code()
        .is_none_or(|it| SUPPORTED_LANGUAGES.contains(&&*it))
}

impl SiteSignals {
    /// Adds a page; error pages are ignored.
    pub fn add(&mut self, page: &PageContent) {
        if !page.fetched.is_success() {
            return;
        }
        self.pages = self.pages.saturating_add(1);
        if page.depth == 0 && self.start.is_none() {
            self.start = Some(page.url.clone());
        }
        self.listed_pages += u32::from(is_listed(page));
        self.add_security(page);
        let kind = self.add_standard(page);
        self.add_contact(page, kind);
        self.add_organization(page);
        self.add_names(page);
        self.add_authors(page);
        self.add_links(page);
        self.is_shop |= is_product(page);
        if self.words.len() < MAX_PAGES {
            let words = u16::try_from(page.text.counts.words).unwrap_or(u16::MAX);
            self.words.insert(hash(&page.url), words);
        }
    }

    fn add_security(&mut self, page: &PageContent) {
        let is_http = |it: &PageLink| matches!(&it.target, LinkTarget::Web { url, .. } if url.starts_with("http:"));
        let loads = |it: &&PageLink| it.is_subresource() && is_http(it);
        let mixed = page.is_https() && page.links.iter().any(|it| loads(&it));
        self.https_pages += u32::from(page.is_https());
        self.mixed_pages += u32::from(mixed);
        if (mixed || !page.is_https()) && self.insecure_example.is_none() {
            self.insecure_example = Some(page.url.clone());
        }
    }

    fn add_standard(&mut self, page: &PageContent) -> Option<StandardPage> {
        let heading = page.heading(1).and_then(|it| it.text.as_deref());
        let kind = classify_url(&page.url).or_else(|| classify_text(heading?));
        if let Some(kind) = kind.filter(|_| page.depth > 0) {
            self.add_standard_page(
                kind,
                FoundPage {
                    url: page.url.clone(),
                    text: page.title().map(str::to_owned),
                    selector: None,
                    depth: page.depth,
                    read: true,
                },
            );
            if covers_shipping_and_payment(&page.url)
                || heading.is_some_and(covers_shipping_and_payment)
            {
                self.add_shipping_and_payment(&page.url, page.depth);
            }
        }
        if page.depth > MAX_LINK_SOURCE_DEPTH {
            return kind;
        }
        for link in page.links.iter().filter(|it| it.is_navigable()) {
            let LinkTarget::Web { url, .. } = &link.target else {
                continue;
            };
            let text = link.text.as_deref().unwrap_or_default();
            let named = classify_text(text).or_else(|| {
                (link.placement != Placement::Content)
                    .then(|| classify_url(url))
                    .flatten()
            });
            let Some(linked) = named else {
                continue;
            };
            self.add_standard_page(
                linked,
                FoundPage {
                    url: url.clone(),
                    text: link.text.clone(),
                    selector: Some(link.position.css_path.clone()),
                    depth: page.depth + 1,
                    read: false,
                },
            );
            if covers_shipping_and_payment(text) {
                self.add_shipping_and_payment(url, page.depth + 1);
            }
        }
        kind
    }

    fn add_shipping_and_payment(&mut self, url: &str, depth: u32) {
        for kind in [StandardPage::Shipping, StandardPage::Payment] {
            let found = FoundPage {
                url: url.to_owned(),
                text: None,
                selector: None,
                depth,
                read: false,
            };
            self.add_standard_page(kind, found);
        }
    }

    /// Prefers pages that were read, then those closer to the start.
    fn add_standard_page(&mut self, kind: StandardPage, found: FoundPage) {
        let known = self.standard.get_mut(&kind);
        match known {
            Some(known) if known.url == found.url => {
                known.depth = known.depth.min(found.depth);
                known.read |= found.read;
                if known.selector.is_none() {
                    known.selector = found.selector;
                    known.text = found.text.or(known.text.take());
                }
            }
            Some(known) if (!known.read, known.depth) > (!found.read, found.depth) => {
                *known = found;
            }
            Some(_) => {}
            None => {
                self.standard.insert(kind, found);
            }
        }
    }

    /// Contact means from the contact page; address and company ids also from footers, about and legal pages.
    fn add_contact(&mut self, page: &PageContent, kind: Option<StandardPage>) {
        let main = page.text.main.text();
        if kind == Some(StandardPage::Contact) {
            self.add_contact_means(page, &main);
        }
        let names_owner = matches!(
            kind,
            Some(StandardPage::Contact | StandardPage::About | StandardPage::Legal)
        );
        if names_owner || self.ids.is_empty() || self.address.is_none() {
            let footer = page.text.footer.as_str();
            for text in std::iter::once(footer).chain(names_owner.then_some(main.as_str())) {
                self.add_address(page, text);
                let ids = company_ids(text);
                if !ids.is_empty() && self.ids_at.is_none() {
                    self.ids_at = Some(page.url.clone());
                }
                if self.ids.len() < 10 {
                    self.ids.extend(ids);
                }
            }
        }
    }

    fn add_address(&mut self, page: &PageContent, text: &str) {
        if self.address.is_none()
            && let Some(found) = ADDRESS.as_ref().and_then(|it| it.find(text))
        {
            self.address = Some((page.url.clone(), found.as_str().to_owned()));
        }
    }

    fn add_contact_means(&mut self, page: &PageContent, main: &str) {
        let mut means: Vec<String> = Vec::new();
        for link in &page.links {
            match &link.target {
                LinkTarget::Mail(it) => means.push(it.split('?').next().unwrap_or(it).to_owned()),
                LinkTarget::Phone(it) => means.push(it.clone()),
                _ => {}
            }
        }
        for pattern in [&EMAIL, &PHONE] {
            let found = pattern.as_ref().and_then(|it| it.find(main));
            means.extend(found.map(|it| it.as_str().to_owned()));
        }
        if page.forms.iter().any(|it| it.has_message) {
            means.push("form".to_owned());
        }
        for it in means {
            if self.contact_means.len() < 10 && !self.contact_means.contains(&it) {
                self.contact_means.push(shortened(&it, 200).to_owned());
            }
        }
    }

    /// Keeps the most detailed organization.
    fn add_organization(&mut self, page: &PageContent) {
        let size = |it: &Organization| {
            [&it.name, &it.legal_name, &it.address]
                .iter()
                .filter(|it| it.is_some())
                .count()
                + it.ids.len()
                + it.contacts.len()
                + it.same_as.len()
        };
        if let Some(found) = people::organization(page)
            && self
                .organization
                .as_ref()
                .is_none_or(|it| size(&found) > size(it))
        {
            self.organization = Some(found);
            self.organization_at = Some(page.url.clone());
        }
    }

    fn add_names(&mut self, page: &PageContent) {
        const MAX_NAMES: usize = 50;
        let site_name = page.metadata.site_name.iter().map(|it| it.text.as_str());
        let is_shallow = page.depth <= MAX_LINK_SOURCE_DEPTH;
        let footer = is_shallow.then_some(page.text.footer.as_str());
        let title = page.title().filter(|_| is_shallow);
        for name in site_name.chain(footer).chain(title) {
            if self.visible_names.len() < MAX_NAMES {
                self.visible_names
                    .insert(shortened(name, 500).to_lowercase());
            }
        }
    }

    fn add_authors(&mut self, page: &PageContent) {
        let section = section(&page.url);
        for author in &page.metadata.authors {
            let name = crate::keyword_text::normalized(&author.name);
            if self.author_names.len() < MAX_AUTHORS {
                self.author_names.insert(hash(&name));
            }
            let key = author_key(&name, &section);
            if self.authors.len() < MAX_AUTHORS || self.authors.contains_key(&key) {
                let count = self.authors.entry(key).or_default();
                *count = count.saturating_add(1);
            }
        }
    }

    /// Counts links of the text to pages on the same topic: the same section, or link text with a title word.
    fn add_links(&mut self, page: &PageContent) {
        let own = section(&page.url);
        let title = page.title().unwrap_or_default().to_lowercase();
        let title: BTreeSet<&str> = words(&title).filter(|it| it.chars().count() >= 5).collect();
        let mut seen = BTreeSet::new();
        for link in page.links.iter().filter(|it| it.in_main_text) {
            let LinkTarget::Web { url, .. } = &link.target else {
                continue;
            };
            let is_own = Url::parse(url).is_ok_and(|it| self.scope.contains(&it));
            if *url == page.url || !link.is_navigable() || !is_own {
                continue;
            }
            let text = link.text.as_deref().unwrap_or_default().to_lowercase();
            let related = (!own.is_empty() && section(url) == own)
                || words(&text).any(|it| title.contains(it));
            if related && seen.insert(hash(url)) {
                let key = hash(url);
                if self.topic_links.len() < MAX_PAGES || self.topic_links.contains_key(&key) {
                    let count = self.topic_links.entry(key).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
    }
}

fn is_product(page: &PageContent) -> bool {
    let mut types = page
        .structured_data
        .items
        .iter()
        .flat_map(Item::schema_types);
    types.any(|it| matches!(it, "Product" | "ProductGroup" | "Offer" | "AggregateOffer"))
}
