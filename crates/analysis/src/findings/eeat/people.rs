//! Persons and organisations as a page's structured data describes them.

use super::{
    company_ids::company_ids,
    phrases::CREDENTIALS,
    record::{EeatAuthor, Organization},
};
use crate::{
    observation::{
        page_content::PageContent,
        structured_data::{Item, PageStructuredData, Value},
    },
    text::words::shortened,
};

/// Values of one kind that are kept.
const MOST_VALUES: usize = 10;
/// Characters of a value.
const VALUE_CHARACTERS: usize = 300;
/// Properties that say what a person has learned or is.
const CREDENTIAL_PROPERTIES: [&str; 5] = [
    "jobTitle",
    "honorificPrefix",
    "honorificSuffix",
    "alumniOf",
    "hasCredential",
];

/// How an author is described by markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuthorMarkup {
    /// Not at all, or as plain text.
    None,
    /// A person or organisation without an address.
    Named,
    /// With `url` or `sameAs`.
    Linked,
}

/// The item that a value leads to.
fn target<'a>(data: &'a PageStructuredData, value: &Value) -> Option<&'a Item> {
    match value {
        Value::Item(number) => data.item(*number),
        Value::Reference(id) | Value::Url(id) => data
            .items
            .iter()
            .find(|it| it.id.as_ref() == Some(id) && !it.properties.is_empty()),
        _ => None,
    }
}

/// The texts of a property; of things their names.
fn texts(data: &PageStructuredData, item: &Item, name: &str) -> Vec<String> {
    let values = item.values(name).take(MOST_VALUES);
    values
        .filter_map(|it| match target(data, it) {
            Some(thing) => thing.values("name").find_map(Value::text),
            None => it.text(),
        })
        .map(|it| shortened(it.trim(), VALUE_CHARACTERS).to_owned())
        .filter(|it| !it.is_empty())
        .collect()
}

fn is_organization(item: &Item) -> bool {
    item.schema_types().any(|it| {
        it.ends_with("Organization")
            || it.ends_with("Business")
            || matches!(
                it,
                "Corporation" | "Store" | "OnlineStore" | "NGO" | "Airline"
            )
    })
}

fn is_person(item: &Item) -> bool {
    item.schema_types()
        .any(|it| it == "Person" || it == "Physician")
}

/// All things that some item names as its author.
fn author_items(data: &PageStructuredData) -> impl Iterator<Item = &Item> {
    data.items
        .iter()
        .flat_map(|it| it.values("author").chain(it.values("creator")))
        .filter_map(|it| target(data, it))
        .filter(|it| is_person(it) || is_organization(it))
}

/// How the page's authors are described at best.
pub fn author_markup(data: &PageStructuredData) -> AuthorMarkup {
    let rank = |it: &Item| {
        let linked = it.values("url").chain(it.values("sameAs")).next().is_some();
        if linked {
            AuthorMarkup::Linked
        } else {
            AuthorMarkup::Named
        }
    };
    author_items(data)
        .map(rank)
        .max()
        .unwrap_or(AuthorMarkup::None)
}

/// Who wrote a page: the names that were read, with what markup says of them.
pub fn authors(page: &PageContent) -> Vec<EeatAuthor> {
    let data = &page.structured_data;
    let named = page.metadata.authors.iter().take(MOST_VALUES);
    named
        .map(|author| {
            let same = |it: &&Item| {
                texts(data, it, "name")
                    .iter()
                    .any(|it| same_name(it, &author.name))
            };
            let item = author_items(data).find(same);
            let mut credentials: Vec<String> = item
                .into_iter()
                .flat_map(|it| {
                    CREDENTIAL_PROPERTIES
                        .iter()
                        .flat_map(|name| texts(data, it, name))
                })
                .collect();
            let byline = page.metadata.byline.iter().map(|it| it.text.as_str());
            for text in byline.chain([author.name.as_str()]) {
                if let Some(found) = CREDENTIALS.as_ref().and_then(|it| it.find(text)) {
                    let degree = found.as_str().trim_end_matches([' ', ',', ')']).to_owned();
                    if !credentials.contains(&degree) {
                        credentials.push(degree);
                    }
                }
            }
            let urls = item.map(|it| texts(data, it, "url")).unwrap_or_default();
            EeatAuthor {
                name: author.name.clone(),
                url: author.url.clone().or_else(|| urls.into_iter().next()),
                credentials,
                same_as: item.map(|it| texts(data, it, "sameAs")).unwrap_or_default(),
            }
        })
        .collect()
}

/// Whether authors are an organisation only.
pub fn is_written_by_organization(data: &PageStructuredData) -> bool {
    let mut any = false;
    for item in author_items(data) {
        if is_person(item) {
            return false;
        }
        any = true;
    }
    any
}

fn same_name(one: &str, other: &str) -> bool {
    let folded = |it: &str| crate::keyword_text::normalised(it);
    folded(one) == folded(other)
}

/// The organisation of a page with the most properties; a publisher counts as one.
pub fn organization(page: &PageContent) -> Option<Organization> {
    let data = &page.structured_data;
    let all = data.items.iter().filter(|it| is_organization(it));
    // Authors and brands of products are other organisations.
    let own = all.filter(|it| {
        !is_held_as(
            data,
            it,
            &[
                "author",
                "brand",
                "manufacturer",
                "itemReviewed",
                "memberOf",
                "worksFor",
                "alumniOf",
                "hiringOrganization",
            ],
        )
    });
    let item = own.max_by_key(|it| it.properties.len())?;
    let first = |name: &str| texts(data, item, name).into_iter().next();
    let mut contacts = texts(data, item, "email");
    contacts.extend(texts(data, item, "telephone"));
    for point in item
        .values("contactPoint")
        .filter_map(|it| target(data, it))
    {
        contacts.extend(texts(data, point, "email"));
        contacts.extend(texts(data, point, "telephone"));
    }
    let mut ids = Vec::new();
    for (name, label) in [
        ("vatID", ""),
        ("taxID", "IČO: "),
        ("leiCode", ""),
        ("identifier", "IČO: "),
    ] {
        for id in texts(data, item, name) {
            let mut found = company_ids(&id);
            found.extend(company_ids(&format!("{label}{id}")));
            ids.extend(found);
        }
    }
    for (name, kind) in [("duns", "duns"), ("iso6523Code", "iso6523")] {
        ids.extend(
            texts(data, item, name)
                .into_iter()
                .map(|it| format!("{kind}:{it}")),
        );
    }
    ids.sort_unstable();
    ids.dedup();
    contacts.truncate(MOST_VALUES);
    Some(Organization {
        name: first("name"),
        legal_name: first("legalName"),
        ids,
        address: address(data, item),
        contacts,
        same_as: texts(data, item, "sameAs"),
    })
}

fn is_held_as(data: &PageStructuredData, item: &Item, names: &[&str]) -> bool {
    let Some(parent) = item.parent.and_then(|it| data.item(it)) else {
        return false;
    };
    let holds = |value: &Value| target(data, value).is_some_and(|it| std::ptr::eq(it, item));
    let mut properties = parent.properties.iter();
    properties.any(|it| names.contains(&it.name.as_str()) && holds(&it.value))
}

fn address(data: &PageStructuredData, item: &Item) -> Option<String> {
    let value = item.values("address").next()?;
    let Some(address) = target(data, value) else {
        return value.text();
    };
    let parts = [
        "streetAddress",
        "postalCode",
        "addressLocality",
        "addressRegion",
        "addressCountry",
    ];
    let parts: Vec<String> = parts
        .iter()
        .flat_map(|it| texts(data, address, it))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
