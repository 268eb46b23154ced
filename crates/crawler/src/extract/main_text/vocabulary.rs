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
    /// Readers' comments.
    pub comments: bool,
    /// Furniture that leads to other pages.
    pub elsewhere: bool,
}

impl Said {
    /// Reads the words of a class or id attribute.
    pub fn by(attribute: &str) -> Self {
        let mut said = Self::default();
        for name in attribute.split_ascii_whitespace() {
            said.hidden(name);
            // What follows two hyphens says how an element looks or what it has, not what it is.
            let name = name.split("--").next().unwrap_or(name);
            let (mut of_another, mut author) = (false, false);
            words(name, |word| {
                said.furniture |= author
                    && matches!(
                        word,
                        "box" | "bio" | "info" | "card" | "profile" | "about" | "area"
                    );
                author |= word == "author";
                said.furniture |= is_furniture(word) && !of_another;
                said.perhaps_furniture |= is_perhaps_furniture(word) && !of_another;
                said.content |= is_content(word);
                said.elsewhere |= leads_elsewhere(word) && !of_another;
                said.comments |= is_of_comments(word) && !of_another;
                of_another = matches!(
                    word,
                    "has" | "no" | "with" | "without" | "enable" | "category" | "tag"
                );
            });
        }
        said
    }

    /// Reads the words of an id. One of many words is made of a heading, and says what the text is
    /// about.
    pub fn by_id(id: &str) -> Self {
        let mut count = 0;
        words(id, |_| count += 1);
        if count > 3 {
            Self::default()
        } else {
            Self::by(id)
        }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            furniture: self.furniture || other.furniture,
            perhaps_furniture: self.perhaps_furniture || other.perhaps_furniture,
            content: self.content || other.content,
            comments: self.comments || other.comments,
            elsewhere: self.elsewhere || other.elsewhere,
        }
    }

    /// Names that style sheets of many frameworks hide.
    fn hidden(&mut self, name: &str) {
        self.furniture |= matches!(
            name,
            "hidden"
                | "hide"
                | "invisible"
                | "d-none"
                | "sr-only"
                | "visually-hidden"
                | "visuallyhidden"
                | "screen-reader-text"
                | "element-invisible"
                | "u-hidden"
                | "is-hidden"
                | "noprint"
                | "print-only"
        );
    }
}

/// Whether a name says that the element holds an article's text: two words of it, like
/// `entry-content`, `articleBody` or `post_text`.
pub fn names_article_text(attribute: &str) -> bool {
    attribute.split_ascii_whitespace().any(|name| {
        let (mut whose, mut found) = (false, false);
        let name = name.split("--").next().unwrap_or(name);
        let mut last = false;
        words(name, |word| {
            last = matches!(
                word,
                "body" | "content" | "contents" | "text" | "copy" | "fulltext" | "bodytext"
            );
            found |= whose && last;
            whose = matches!(
                word,
                "article"
                    | "post"
                    | "entry"
                    | "story"
                    | "blog"
                    | "news"
                    | "artikel"
                    | "articolo"
                    | "single"
            );
            found |= matches!(
                word,
                "articlebody"
                    | "articletext"
                    | "articlecontent"
                    | "storybody"
                    | "postbody"
                    | "postcontent"
                    | "posttext"
                    | "entrycontent"
                    | "bodytext"
                    | "fulltext"
                    | "storytext"
            );
        });
        // `post-content-footer` is something else again.
        found && (last || name.len() < 24)
    })
}

/// Calls back with each word in lower case: `relatedPosts_2` is `related`, `posts`, `2`.
fn words(name: &str, mut tell: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before_lower = false;
    for character in name.chars() {
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
    leads_around(word) || leads_away(word) || leads_by_its_end(word) || speaks_of_the_page(word)
}

/// An article's own footer holds its date and author as often as not.
fn leads_elsewhere(word: &str) -> bool {
    !word.ends_with("footer") && (leads_around(word) || leads_away(word) || leads_by_its_end(word))
}

/// Words of many forms.
fn leads_by_its_end(word: &str) -> bool {
    const ENDS: [&str; 5] = [
        "footer",
        "sidebar",
        "navigation",
        "breadcrumbs",
        "pagination",
    ];
    const BEGINS: [&str; 9] = [
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
    ENDS.iter().any(|it| word.ends_with(it)) || BEGINS.iter().any(|it| word.starts_with(it))
}

/// Ways around the site.
fn leads_around(word: &str) -> bool {
    matches!(
        word,
        "nav"
            | "navi"
            | "navbar"
            | "navbox"
            | "subnav"
            | "topnav"
            | "sidenav"
            | "mainnav"
            | "leftnav"
            | "menu"
            | "submenu"
            | "mainmenu"
            | "menubar"
            | "crumbs"
            | "sidebars"
            | "sphinxsidebar"
            | "topbar"
            | "toolbar"
            | "masthead"
            | "navheader"
            | "navfooter"
            | "navheading"
            | "pager"
            | "paging"
            | "paginator"
            | "prevnext"
            | "jumplinks"
            | "skiplink"
            | "skiplinks"
            | "sitemap"
            | "searchform"
            | "searchbox"
            | "toplang"
            | "bottomlang"
            | "catlinks"
            | "editsection"
            | "dropdown"
            | "offcanvas"
            | "langswitch"
    )
}

/// Sharing, letters, advertising, other pages.
fn leads_away(word: &str) -> bool {
    matches!(
        word,
        "share"
            | "shares"
            | "sharing"
            | "sharebar"
            | "sharedaddy"
            | "sharethis"
            | "social"
            | "socials"
            | "socialmedia"
            | "sociable"
            | "addthis"
            | "addtoany"
            | "signup"
            | "login"
            | "signin"
            | "whatsapp"
            | "ad"
            | "ads"
            | "adsense"
            | "adslot"
            | "adbox"
            | "dfp"
            | "promo"
            | "promos"
            | "promotion"
            | "promobox"
            | "outbrain"
            | "taboola"
            | "affiliate"
            | "werbung"
            | "anzeige"
            | "publicidad"
            | "publicite"
            | "reklama"
            | "similar"
            | "trending"
            | "popular"
            | "mostread"
            | "teaser"
            | "teasers"
            | "carousel"
            | "yarpp"
            | "crosslinks"
            | "upnext"
            | "thumbnails"
            | "interesting"
            | "upsell"
            | "crosssell"
            | "morelinks"
            | "nextstory"
            | "readmore"
    )
}

fn is_of_comments(word: &str) -> bool {
    matches!(
        word,
        "comment"
            | "comments"
            | "commentlist"
            | "commentform"
            | "commentarea"
            | "disqus"
            | "respond"
            | "replies"
            | "trackback"
            | "trackbacks"
            | "pingback"
            | "pingbacks"
    )
}

/// Ratings, consent, and what is said about the page itself.
fn speaks_of_the_page(word: &str) -> bool {
    matches!(
        word,
        "rating"
            | "ratings"
            | "vote"
            | "votes"
            | "likes"
            | "cookie"
            | "cookies"
            | "cookiebar"
            | "cookieconsent"
            | "consent"
            | "gdpr"
            | "popup"
            | "modal"
            | "overlay"
            | "lightbox"
            | "tooltip"
            | "paywall"
            | "adblock"
            | "tags"
            | "taglist"
            | "tagcloud"
            | "authorbox"
            | "byline"
            | "copyright"
            | "postmeta"
            | "entrymeta"
            | "metadata"
            | "timestamp"
            | "printfooter"
    )
}

fn is_perhaps_furniture(word: &str) -> bool {
    matches!(
        word,
        "header"
            | "banner"
            | "widget"
            | "widgets"
            | "author"
            | "bio"
            | "meta"
            | "legal"
            | "disclaimer"
            | "search"
            | "rss"
            | "print"
            | "skip"
            | "tabs"
            | "extra"
            | "aside"
            | "tag"
            | "categories"
            | "contact"
            | "permalink"
            | "sticky"
            | "slider"
            | "slideshow"
            | "ticker"
            | "infobar"
            | "links"
            | "next"
            | "prev"
            | "previous"
            | "cart"
            | "basket"
            | "breaking"
            | "follow"
            | "gallery"
    )
}

fn is_content(word: &str) -> bool {
    matches!(
        word,
        "article"
            | "articles"
            | "content"
            | "contents"
            | "main"
            | "body"
            | "post"
            | "posts"
            | "entry"
            | "story"
            | "text"
            | "page"
            | "blog"
            | "section"
            | "single"
            | "hentry"
            | "elementor"
            | "column"
            | "wrapper"
            | "container"
            | "layout"
            | "tweet"
            | "row"
            | "fusion"
            | "block"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_people_read_them_apart() {
        let mut all = Vec::new();
        words("relatedPosts_2-main-nav.ÜberUns", |it| {
            all.push(it.to_owned())
        });
        assert_eq!(all, ["related", "posts", "2", "main", "nav", "über", "uns"]);
    }

    #[test]
    fn words_inside_words_say_nothing() {
        assert_eq!(Said::by("shadow heading navy commentary"), Said::default());
    }

    #[test]
    fn what_an_element_has_is_not_what_it_is() {
        for name in [
            "section--ads",
            "has-sidebar",
            "no-sidebar",
            "field--label-hidden",
            "category-related",
        ] {
            assert!(!Said::by(name).furniture, "{name}");
        }
        for name in [
            "left-sidebar",
            "entryfooter",
            "sr-only",
            "cookie-banner",
            "relatedPosts",
        ] {
            assert!(Said::by(name).furniture, "{name}");
        }
    }

    #[test]
    fn article_text_is_named_by_two_words() {
        for name in [
            "entry-content",
            "x articleBody",
            "td-post-content",
            "post_text",
            "story-body",
        ] {
            assert!(names_article_text(name), "{name}");
        }
        for name in [
            "content",
            "article",
            "post-content-and-related-footer",
            "body",
        ] {
            assert!(!names_article_text(name), "{name}");
        }
    }
}
