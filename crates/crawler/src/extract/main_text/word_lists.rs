use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Site navigation.
    Navigation,
    /// Sharing, newsletters, advertising, other pages.
    Promotion,
    /// Ratings, consent, page metadata.
    PageMeta,
    Comments,
    /// Boilerplate, unless a content word occurs too.
    MaybeBoilerplate,
    Content,
}

const NAVIGATION: &str = "
    nav navi navbar navbox subnav topnav sidenav mainnav leftnav menu submenu mainmenu menubar
    crumbs sidebars sphinxsidebar topbar toolbar masthead navheader navfooter navheading pager
    paging paginator prevnext jumplinks skiplink skiplinks sitemap searchform searchbox toplang
    bottomlang catlinks editsection dropdown offcanvas langswitch
";

const PROMOTION: &str = "
    share shares sharing sharebar sharedaddy sharethis social socials socialmedia sociable
    addthis addtoany signup login signin whatsapp ad ads adsense adslot adbox dfp promo promos
    promotion promobox outbrain taboola affiliate werbung anzeige publicidad publicite reklama
    similar trending popular mostread teaser teasers carousel yarpp crosslinks upnext thumbnails
    interesting upsell crosssell morelinks nextstory readmore
";

const PAGE_META: &str = "
    rating ratings vote votes likes cookie cookies cookiebar cookieconsent consent gdpr popup
    modal overlay lightbox tooltip paywall adblock tags taglist tagcloud authorbox byline
    copyright postmeta entrymeta metadata timestamp printfooter
";

const COMMENTS: &str = "
    comment comments commentlist commentform commentarea disqus respond replies trackback
    trackbacks pingback pingbacks
";

const MAYBE_BOILERPLATE: &str = "
    header banner widget widgets author bio meta legal disclaimer search rss print skip tabs
    extra aside tag categories contact permalink sticky slider slideshow ticker infobar links
    next prev previous cart basket breaking follow gallery
";

const CONTENT: &str = "
    article articles content contents main body post posts entry story text page blog section
    single hentry elementor column wrapper container layout tweet row fusion block
";

/// Class names that many CSS frameworks hide.
const HIDDEN: &str = "
    hidden hide invisible d-none sr-only visually-hidden visuallyhidden screen-reader-text
    element-invisible u-hidden is-hidden noprint print-only
";

/// Beginnings and ends of inflected words.
const PROMOTION_PREFIXES: [&str; 9] = [
    "breadcrumb",
    "newsletter",
    "related",
    "recommend",
    "sponsor",
    "advert",
    "sharebutton",
    "sharetool",
    "subscri",
];
const NAVIGATION_SUFFIXES: [&str; 5] = [
    "footer",
    "sidebar",
    "navigation",
    "breadcrumbs",
    "pagination",
];

static MEANINGS: LazyLock<HashMap<&str, Meaning>> = LazyLock::new(|| {
    let lists = [
        (CONTENT, Meaning::Content),
        (MAYBE_BOILERPLATE, Meaning::MaybeBoilerplate),
        (PAGE_META, Meaning::PageMeta),
        (COMMENTS, Meaning::Comments),
        (PROMOTION, Meaning::Promotion),
        (NAVIGATION, Meaning::Navigation),
    ];
    let words = |(list, meaning): (&'static str, Meaning)| {
        list.split_whitespace().map(move |it| (it, meaning))
    };
    lists.into_iter().flat_map(words).collect()
});

pub fn meaning(word: &str) -> Option<Meaning> {
    let known = MEANINGS.get(word).copied();
    known.or_else(|| {
        let begins = PROMOTION_PREFIXES.iter().any(|it| word.starts_with(it));
        let ends = || NAVIGATION_SUFFIXES.iter().any(|it| word.ends_with(it));
        if begins {
            Some(Meaning::Promotion)
        } else {
            ends().then_some(Meaning::Navigation)
        }
    })
}

static HIDDEN_CLASSES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| HIDDEN.split_whitespace().collect());

pub fn is_hidden_class(name: &str) -> bool {
    HIDDEN_CLASSES.contains(name)
}
