use crate::{
    ToSchema,
    observation::{page_content::PageContent, structured_data::Item, web_site::LinkTarget},
    text::language::tags::is_locale_segment,
};
use serde::{Deserialize, Serialize};
use url::Url;

/// What a page is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum PageKind {
    /// The start page of the site or of one of its languages.
    Home,
    /// Something written and published at a time.
    Article,
    /// Something to buy.
    Product,
    /// A list that leads to other pages.
    Category,
    /// Who is behind the site.
    About,
    /// How to reach them.
    Contact,
    /// Signing in.
    Login,
    /// Anything else.
    Other,
}

/// Maximum of a list.
const WORDS_PER_LINK: usize = 12;
/// Minimum of a list: internal links in the main text.
const MIN_LINKS: usize = 15;
/// An `article` element with fewer words does not count.
const MIN_WORDS: usize = 200;

/// Path segments, ASCII and lower case: en, de, es, fr, it, nl, cs, sk, pl, hu.
const CONTACT: &str = "\
    contact contact-us contactus kontakt kontakty contacto contatti contatto contactez-nous kapcsolat impressum \
    imprint";
const ABOUT: &str = "\
    about about-us aboutus ueber-uns uber-uns sobre-nosotros quienes-somos a-propos qui-sommes-nous chi-siamo \
    over-ons o-nas rolunk team";
const LOGIN: &str =
    "login log-in signin sign-in anmelden prihlaseni prihlasenie connexion logowanie bejelentkezes";
const PUBLICATIONS: &str =
    "blog news article articles magazine magazin aktuality clanky clanek artikel posts stories";

pub fn page_kind(page: &PageContent) -> PageKind {
    let Ok(url) = Url::parse(&page.url) else {
        return PageKind::Other;
    };
    let segments: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .filter(|it| !it.is_empty())
        .map(|it| it.split('.').next().unwrap_or(it).to_ascii_lowercase())
        .collect();
    if is_home(&segments, &url) {
        return PageKind::Home;
    }
    if let Some(kind) = by_markup(page) {
        return kind;
    }
    let listed = |list: &str, name: &String| list.split(' ').any(|it| it == name);
    let names = |list: &str| segments.last().is_some_and(|it| listed(list, it));
    let short = page.text.counts.words < MIN_WORDS;
    if names(LOGIN) || (short && page.forms.iter().any(|it| it.has_password)) {
        PageKind::Login
    } else if names(CONTACT) {
        PageKind::Contact
    } else if names(ABOUT) {
        PageKind::About
    } else if is_list(page) {
        PageKind::Category
    } else if page.structure.has_article
        && !short
        && segments.iter().any(|it| listed(PUBLICATIONS, it))
    {
        PageKind::Article
    } else {
        PageKind::Other
    }
}

fn is_home(segments: &[String], url: &Url) -> bool {
    let is_index = |it: &String| matches!(it.as_str(), "index" | "default" | "home");
    let is_language = |it: &String| is_locale_segment(it);
    url.query().is_none()
        && match segments {
            [] => true,
            [one] => is_index(one) || is_language(one),
            [one, two] => is_language(one) && is_index(two),
            _ => false,
        }
}

fn by_markup(page: &PageContent) -> Option<PageKind> {
    let data = &page.structured_data;
    let tops = data.top_level().filter_map(|it| data.item(it));
    let mut types: Vec<&str> = tops.flat_map(Item::schema_types).collect();
    let graph_type = data.open_graph.iter().find(|it| it.name == "og:type");
    types.extend(graph_type.map(|it| it.content.as_str()));
    let is = |wanted: &dyn Fn(&str) -> bool| types.iter().any(|it| wanted(it));
    if is(&|it| matches!(it, "Product" | "ProductGroup" | "product")) {
        Some(PageKind::Product)
    } else if is(&|it| {
        it.ends_with("Article") || matches!(it, "BlogPosting" | "LiveBlogPosting" | "article")
    }) {
        Some(PageKind::Article)
    } else if is(&|it| it == "ContactPage") {
        Some(PageKind::Contact)
    } else if is(&|it| it == "AboutPage") {
        Some(PageKind::About)
    } else if is(&|it| matches!(it, "CollectionPage" | "OfferCatalog")) {
        Some(PageKind::Category)
    } else {
        None
    }
}

/// Mostly internal links.
fn is_list(page: &PageContent) -> bool {
    let host = |text: &str| Url::parse(text).ok()?.host_str().map(str::to_owned);
    let own = host(&page.url);
    let links = page.links.iter().filter(|it| {
        it.in_main_text
            && it.element == "a"
            && matches!(&it.target, LinkTarget::Web { url, .. } if *url != page.url && host(url) == own)
    });
    let count = links.count();
    count >= MIN_LINKS && page.text.counts.words <= count * WORDS_PER_LINK
}
