//! Facts of a page as compared: without noise and insignificant differences.

use crate::observation::page_content::{GOOGLEBOT, PageContent, RobotsEffect};
use crate::observation::structured_data::{Item, Value};
use crate::observation::web_site::{CrawlScope, LinkTarget};
use crate::text::noise::{without_content_hash, without_noise};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use url::Url;

/// Members of a list: the compared form with the reported form.
pub type Members = BTreeMap<String, String>;

/// Values of structured data that are compared.
const MAX_VALUES: usize = 5_000;
/// Characters of a value that are compared.
const VALUE_CHARACTERS: usize = 500;

/// The nonce of a content security policy, new with every response.
static NONCE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"'nonce-[^']*'").ok());

/// Effective rules for all robots, Googlebot and Bingbot, wherever they are set. Rules that allow the
/// default are left out.
pub fn robots(page: &PageContent) -> Vec<String> {
    let for_all = rules(&page.robots_for(""));
    let mut all = for_all.clone();
    for agent in [GOOGLEBOT, "bingbot"] {
        let own = rules(&page.robots_for(agent));
        let more = own.into_iter().filter(|it| !for_all.contains(it));
        all.extend(more.map(|it| format!("{agent}: {it}")));
    }
    all
}

/// Whether two versions are indexable: rendered if both were rendered, else as sent, so that rendering
/// alone is not a change.
pub fn indexable(one: &PageContent, other: &PageContent) -> (bool, bool) {
    if one.rendered_words().is_some() && other.rendered_words().is_some() {
        (one.is_indexable(), other.is_indexable())
    } else {
        (one.is_indexable_as_sent(), other.is_indexable_as_sent())
    }
}

fn rules(effect: &RobotsEffect) -> Vec<String> {
    let flags = [
        (effect.noindex, "noindex"),
        (effect.nofollow, "nofollow"),
        (effect.nosnippet, "nosnippet"),
        (effect.noimageindex, "noimageindex"),
        (effect.noarchive, "noarchive"),
        (effect.notranslate, "notranslate"),
        (effect.indexifembedded, "indexifembedded"),
    ];
    let mut rules: Vec<String> = Vec::new();
    rules.extend(flags.iter().filter(|it| it.0).map(|it| it.1.to_owned()));
    let limits = [
        ("max-snippet", effect.max_snippet),
        ("max-video-preview", effect.max_video_preview),
    ];
    for (name, limit) in limits {
        rules.extend(limit.map(|it| format!("{name}:{it}")));
    }
    // `large` restricts nothing.
    let preview = effect.max_image_preview.as_deref();
    rules.extend(
        preview
            .filter(|it| *it != "large")
            .map(|it| format!("max-image-preview:{it}")),
    );
    let until = effect.unavailable_after.as_deref();
    rules.extend(until.map(|it| format!("unavailable_after:{it}")));
    rules
}

/// Canonical URLs other than the page itself.
pub fn canonical(page: &PageContent) -> Vec<String> {
    let named = page.canonicals.iter().filter(|it| it.is_effective());
    let others: BTreeSet<&str> = named
        .filter_map(|it| it.url.as_deref())
        .filter(|it| *it != page.url)
        .collect();
    others.into_iter().map(str::to_owned).collect()
}

pub fn hreflangs(page: &PageContent) -> Members {
    let all = page.hreflangs.iter();
    all.map(|it| {
        let target = it.url.as_ref().unwrap_or(&it.raw);
        let named = format!("{} {target}", it.code.to_ascii_lowercase());
        (named.clone(), named)
    })
    .collect()
}

pub fn first_headings(page: &PageContent) -> Option<String> {
    let firsts = page.headings.iter().filter(|it| it.level == 1);
    let texts: Vec<&str> = firsts.filter_map(|it| it.text.as_deref()).collect();
    (!texts.is_empty()).then(|| texts.join(" | "))
}

/// All headings below `h1` with their levels.
pub fn outline(page: &PageContent) -> Members {
    let others = page.headings.iter().filter(|it| it.level > 1);
    others
        .filter_map(|it| {
            let text = it.text.as_deref()?;
            let described = |text: &str| format!("h{} {text}", it.level);
            Some((described(&without_noise(text)), described(text)))
        })
        .collect()
}

pub fn structured_data(page: &PageContent) -> Members {
    let items = &page.structured_data.items;
    let mut all = Members::new();
    for item in items {
        let name = type_of(item);
        all.insert(name.clone(), name.clone());
        for property in &item.properties {
            if all.len() >= MAX_VALUES {
                return all;
            }
            let value = match &property.value {
                Value::Item(number) => page.structured_data.item(*number).map(type_of),
                // Blank node ids differ with every response.
                Value::Reference(id) if id.starts_with("_:") => None,
                other => other.text(),
            };
            let value = value.unwrap_or_default();
            let value = crate::text::words::shortened(&value, VALUE_CHARACTERS);
            let described = |value: &str| format!("{name}.{} = {value}", property.name);
            all.insert(described(&without_noise(value)), described(value));
        }
    }
    all
}

fn type_of(item: &Item) -> String {
    let types: Vec<&str> = item
        .types
        .iter()
        .map(|it| it.rsplit('/').next().unwrap_or(it))
        .collect();
    types.join("+")
}

/// Links that readers can follow: internal, external.
pub fn links(page: &PageContent, scope: &CrawlScope) -> (Members, Members) {
    let (mut own, mut other) = (Members::new(), Members::new());
    for link in page.links.iter().filter(|it| it.is_navigable()) {
        let LinkTarget::Web { url, .. } = &link.target else {
            continue;
        };
        let is_own = Url::parse(url).is_ok_and(|it| scope.contains(&it));
        let list = if is_own { &mut own } else { &mut other };
        list.insert(without_content_hash(url), url.clone());
    }
    (own, other)
}

pub fn images(page: &PageContent) -> Members {
    let all = page.images.iter();
    all.filter_map(|it| {
        let url = it.url.as_deref()?;
        let described = |url: &str| match &it.alt {
            Some(alt) => format!("{url} “{alt}”"),
            None => url.to_owned(),
        };
        Some((described(&without_content_hash(url)), described(url)))
    })
    .collect()
}

/// Open Graph and Twitter Card properties.
pub fn social_cards(page: &PageContent) -> Members {
    let data = &page.structured_data;
    let all = data.open_graph.iter().chain(&data.twitter);
    all.map(|it| {
        let described = |content: &str| format!("{} = {content}", it.name.to_ascii_lowercase());
        (
            described(&without_noise(&it.content)),
            described(&it.content),
        )
    })
    .collect()
}

pub fn headers(page: &PageContent) -> Members {
    let given = &page.response.headers;
    let all = [
        ("content-security-policy", &given.content_security_policy),
        (
            "strict-transport-security",
            &given.strict_transport_security,
        ),
        ("x-content-type-options", &given.content_type_options),
        ("x-frame-options", &given.frame_options),
        ("referrer-policy", &given.referrer_policy),
        ("cache-control", &given.cache_control),
    ];
    let present = all
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)));
    present
        .map(|(name, value)| {
            let clean = without_noise(value);
            let clean = NONCE.as_ref().map_or(clean.clone(), |it| {
                it.replace_all(&clean, "'nonce'").into_owned()
            });
            (format!("{name}: {clean}"), format!("{name}: {value}"))
        })
        .collect()
}
