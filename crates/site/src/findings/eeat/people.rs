use super::company_ids::company_ids;
use super::phrases::CREDENTIALS;
use super::record::{EeatAuthor, Organization};
use crate::observation::page_content::PageContent;
use crate::observation::structured_data::{Item, PageStructuredData, Value};
use crate::text::words::shortened;
use std::collections::BTreeMap;

/// Values of one kind.
const MAX_VALUES: usize = 10;
/// Characters of a value.
const VALUE_CHARACTERS: usize = 300;
const CREDENTIAL_PROPERTIES: [&str; 5] = [
    "jobTitle",
    "honorificPrefix",
    "honorificSuffix",
    "alumniOf",
    "hasCredential",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuthorMarkup {
    /// Not at all, or as plain text.
    None,
    /// A person or organization without a URL.
    Named,
    /// With `url` or `sameAs`.
    Linked,
}

/// Items checked as authors or organizations: bounds the cost of a hostile page.
const MAX_ITEMS: usize = 100;

pub struct ItemIndex<'a> {
    data: &'a PageStructuredData,
    ids: BTreeMap<&'a str, &'a Item>,
}

impl<'a> ItemIndex<'a> {
    pub fn of(data: &'a PageStructuredData) -> Self {
        let mut ids = BTreeMap::new();
        for item in data.items.iter().filter(|it| !it.properties.is_empty()) {
            if let Some(id) = &item.id {
                ids.entry(id.as_str()).or_insert(item);
            }
        }
        Self { data, ids }
    }

    fn target(&self, value: &Value) -> Option<&'a Item> {
        match value {
            Value::Item(number) => self.data.item(*number),
            Value::Reference(id) | Value::Url(id) => self.ids.get(id.as_str()).copied(),
            _ => None,
        }
    }

    /// The texts of a property; of items their names.
    fn texts(&self, item: &Item, name: &str) -> Vec<String> {
        let values = item.values(name).take(MAX_VALUES);
        values
            .filter_map(|it| match self.target(it) {
                Some(inner) => inner.values("name").find_map(Value::text),
                None => it.text(),
            })
            .map(|it| shortened(it.trim(), VALUE_CHARACTERS).to_owned())
            .filter(|it| !it.is_empty())
            .collect()
    }

    /// Items that another item names as its author.
    fn authors(&self) -> Vec<&'a Item> {
        let items = self.data.items.iter();
        items
            .flat_map(|it| it.values("author").chain(it.values("creator")))
            .filter_map(|it| self.target(it))
            .filter(|it| is_person(it) || is_organization(it))
            .take(MAX_ITEMS)
            .collect()
    }
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

pub fn author_markup(data: &PageStructuredData) -> AuthorMarkup {
    let rank = |it: &Item| {
        let linked = it.values("url").chain(it.values("sameAs")).next().is_some();
        if linked {
            AuthorMarkup::Linked
        } else {
            AuthorMarkup::Named
        }
    };
    ItemIndex::of(data)
        .authors()
        .into_iter()
        .map(rank)
        .max()
        .unwrap_or(AuthorMarkup::None)
}

/// The authors named on a page, with details from markup.
pub fn authors(page: &PageContent) -> Vec<EeatAuthor> {
    let items = ItemIndex::of(&page.structured_data);
    let described = items.authors();
    let named = page.metadata.authors.iter().take(MAX_VALUES);
    named
        .map(|author| {
            let same = |it: &&Item| {
                items
                    .texts(it, "name")
                    .iter()
                    .any(|it| same_name(it, &author.name))
            };
            let item = described.iter().copied().find(same);
            let mut credentials: Vec<String> = item
                .into_iter()
                .flat_map(|it| {
                    CREDENTIAL_PROPERTIES
                        .iter()
                        .flat_map(|name| items.texts(it, name))
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
            let urls = item.map(|it| items.texts(it, "url")).unwrap_or_default();
            EeatAuthor {
                name: author.name.clone(),
                url: author.url.clone().or_else(|| urls.into_iter().next()),
                credentials,
                same_as: item.map(|it| items.texts(it, "sameAs")).unwrap_or_default(),
            }
        })
        .collect()
}

pub fn is_written_by_organization(data: &PageStructuredData) -> bool {
    let mut any = false;
    for item in ItemIndex::of(data).authors() {
        if is_person(item) {
            return false;
        }
        any = true;
    }
    any
}

fn same_name(one: &str, other: &str) -> bool {
    let folded = |it: &str| crate::keyword_text::normalized(it);
    folded(one) == folded(other)
}

/// The organization of a page with the most properties; a publisher counts as one.
pub fn organization(page: &PageContent) -> Option<Organization> {
    let data = &page.structured_data;
    let items = ItemIndex::of(data);
    let all = data.items.iter().filter(|it| is_organization(it));
    // Authors and brands of products are other organizations.
    let own = all.take(MAX_ITEMS).filter(|it| {
        !is_value_of(
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
    let first = |name: &str| items.texts(item, name).into_iter().next();
    let mut contacts = items.texts(item, "email");
    contacts.extend(items.texts(item, "telephone"));
    for point in item
        .values("contactPoint")
        .filter_map(|it| items.target(it))
    {
        contacts.extend(items.texts(point, "email"));
        contacts.extend(items.texts(point, "telephone"));
    }
    let mut ids = Vec::new();
    for (name, label) in [
        ("vatID", ""),
        ("taxID", "IČO: "),
        ("leiCode", ""),
        ("identifier", "IČO: "),
    ] {
        for id in items.texts(item, name) {
            let mut found = company_ids(&id);
            found.extend(company_ids(&format!("{label}{id}")));
            ids.extend(found);
        }
    }
    for (name, kind) in [("duns", "duns"), ("iso6523Code", "iso6523")] {
        ids.extend(
            items
                .texts(item, name)
                .into_iter()
                .map(|it| format!("{kind}:{it}")),
        );
    }
    ids.sort_unstable();
    ids.dedup();
    contacts.truncate(MAX_VALUES);
    Some(Organization {
        name: first("name"),
        legal_name: first("legalName"),
        ids,
        address: address(&items, item),
        contacts,
        same_as: items.texts(item, "sameAs"),
    })
}

fn is_value_of(data: &PageStructuredData, item: &Item, names: &[&str]) -> bool {
    let Some(parent) = item.parent.and_then(|it| data.item(it)) else {
        return false;
    };
    let holds = |value: &Value| {
        let child = if let Value::Item(number) = value {
            data.item(*number)
        } else {
            None
        };
        child.is_some_and(|it| std::ptr::eq(it, item))
    };
    let mut properties = parent.properties.iter();
    properties.any(|it| names.contains(&it.name.as_str()) && holds(&it.value))
}

fn address(items: &ItemIndex<'_>, item: &Item) -> Option<String> {
    let value = item.values("address").next()?;
    let Some(address) = items.target(value) else {
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
        .flat_map(|it| items.texts(address, it))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
