//! The words with which class names and ids say what an element is for.

/// What the words of an element's `class` and `id` say together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Said {
    /// Furniture whatever else they say.
    pub furniture: bool,
    /// Furniture, unless they name content too.
    pub perhaps_furniture: bool,
    /// Content.
    pub content: bool,
}

impl Said {
    /// Reads the words of a class or id attribute.
    pub fn by(attributes: [Option<&str>; 2]) -> Self {
        let mut said = Self::default();
        for attribute in attributes.into_iter().flatten() {
            words(attribute, |word| {
                said.furniture |= is_furniture(word);
                said.perhaps_furniture |= is_perhaps_furniture(word);
                said.content |= is_content(word);
            });
        }
        said
    }
}

/// Calls back with each word in lower case: `relatedPosts_2` is `related`, `posts`, `2`.
fn words(attribute: &str, mut tell: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before_lower = false;
    for character in attribute.chars() {
        let ends = !character.is_alphanumeric() || (character.is_uppercase() && before_lower);
        if ends && !word.is_empty() {
            tell(&word);
            word.clear();
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before_lower = character.is_lowercase();
    }
    if !word.is_empty() {
        tell(&word);
    }
}

fn is_furniture(word: &str) -> bool {
    matches!(
        word,
        // Ways around the site.
        "nav" | "navi" | "navbar" | "navigation" | "navbox" | "subnav" | "topnav" | "sidenav" | "menu" | "submenu"
            | "menubar" | "breadcrumb" | "breadcrumbs" | "crumbs" | "sidebar" | "sidebars" | "sphinxsidebar"
            | "topbar" | "toolbar" | "masthead" | "footer" | "navheader" | "navfooter" | "pagination" | "pager"
            | "paging" | "paginator" | "prevnext" | "jumplinks" | "skiplink" | "skiplinks" | "sitemap"
            | "searchform" | "searchbox" | "toplang" | "bottomlang" | "catlinks" | "printfooter" | "editsection"
            | "dropdown"
        // Sharing and letters.
            | "share" | "shares" | "sharing" | "sharebar" | "sharebuttons" | "sharedaddy" | "sharethis" | "social"
            | "socials" | "socialmedia" | "sociable" | "addthis" | "addtoany" | "newsletter" | "newsletters"
            | "subscribe" | "subscription" | "signup" | "login" | "signin" | "whatsapp" | "pinterest"
        // Consent and interruptions.
            | "cookie" | "cookies" | "consent" | "gdpr" | "popup" | "modal" | "overlay" | "lightbox" | "tooltip"
            | "paywall" | "adblock"
        // Advertising.
            | "ad" | "ads" | "advert" | "adverts" | "advertisement" | "advertising" | "adsense" | "adslot" | "dfp"
            | "sponsor" | "sponsored" | "promo" | "promos" | "promotion" | "promobox" | "outbrain" | "taboola"
            | "affiliate" | "werbung" | "anzeige" | "publicidad" | "pub"
        // Other pages.
            | "related" | "relatedposts" | "relatedarticles" | "recommended" | "recommendation"
            | "recommendations" | "similar" | "trending" | "popular" | "mostread" | "teaser" | "teasers"
            | "carousel" | "yarpp" | "crosslinks" | "upnext"
        // Voices of readers.
            | "comment" | "comments" | "commentlist" | "commentform" | "disqus" | "respond" | "replies"
            | "trackback" | "trackbacks" | "pingback" | "rating" | "ratings" | "vote" | "votes" | "likes"
        // About the page.
            | "tags" | "taglist" | "tagcloud" | "authorbox" | "byline" | "copyright" | "postmeta" | "metadata"
            | "timestamp" | "hidden" | "invisible" | "noprint" | "printonly"
    )
}

fn is_perhaps_furniture(word: &str) -> bool {
    matches!(
        word,
        "header" | "banner" | "widget" | "widgets" | "author" | "bio" | "meta" | "legal" | "disclaimer" | "search"
            | "rss" | "print" | "skip" | "toc" | "tabs" | "extra" | "aside" | "tag" | "categories" | "contact"
            | "permalink" | "sticky" | "slider" | "slideshow" | "ticker" | "infobar" | "links" | "next" | "prev"
            | "previous" | "shop" | "cart" | "basket" | "breaking" | "sharer" | "follow" | "facebook" | "twitter"
    )
}

fn is_content(word: &str) -> bool {
    matches!(
        word,
        "article" | "articles" | "content" | "contents" | "main" | "body" | "post" | "posts" | "entry" | "story"
            | "text" | "page" | "blog" | "section" | "single" | "hentry" | "elementor" | "column" | "wrapper"
            | "container" | "layout" | "has" | "no" | "with"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_people_read_them_apart() {
        let mut all = Vec::new();
        words("relatedPosts_2 main-nav  ÜberUns", |it| all.push(it.to_owned()));
        assert_eq!(all, ["related", "posts", "2", "main", "nav", "über", "uns"]);
    }

    #[test]
    fn words_inside_words_say_nothing() {
        let said = Said::by([Some("shadow heading navy"), Some("loading-commentary")]);
        assert_eq!(said, Said::default());
    }
}
