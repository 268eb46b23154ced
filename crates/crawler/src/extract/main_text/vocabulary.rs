use super::word_lists::{Meaning, hides, meaning};
use std::collections::HashMap;

/// Signals of the words in an element's `class` and `id`.
#[expect(clippy::struct_excessive_bools, reason = "a name may say all of it")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Said {
    /// Boilerplate regardless of other words.
    pub furniture: bool,
    /// Boilerplate, unless a content word occurs too.
    pub perhaps_furniture: bool,
    pub content: bool,
    pub comments: bool,
    /// Boilerplate that links to other pages.
    pub elsewhere: bool,
}

impl Said {
    pub fn by(attribute: &str) -> Self {
        let mut said = Self::default();
        for name in attribute.split_ascii_whitespace() {
            said.furniture |= hides(name);
            // After two hyphens, a name describes a variant of the element (BEM).
            let name = name.split("--").next().unwrap_or(name);
            let (mut of_another, mut author) = (false, false);
            words(name, |word| {
                said.furniture |= author && is_about_an_author(word);
                author |= word == "author";
                if !of_another || meaning(word) == Some(Meaning::Content) {
                    said.hear(word);
                }
                of_another = says_that_the_next_is_of_another(word);
            });
        }
        said
    }

    /// Ids of many words are made from headings and describe the topic, so they are ignored.
    pub fn by_id(id: &str) -> Self {
        let mut count = 0;
        words(id, |_| count += 1);
        if count > 3 {
            Self::default()
        } else {
            Self::by(id)
        }
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            furniture: self.furniture || other.furniture,
            perhaps_furniture: self.perhaps_furniture || other.perhaps_furniture,
            content: self.content || other.content,
            comments: self.comments || other.comments,
            elsewhere: self.elsewhere || other.elsewhere,
        }
    }

    fn hear(&mut self, word: &str) {
        match meaning(word) {
            Some(Meaning::Around | Meaning::Away) => {
                self.furniture = true;
                // An article's footer often holds its date and author.
                self.elsewhere |= !word.ends_with("footer");
            }
            Some(Meaning::OfThePage) => self.furniture = true,
            Some(Meaning::Comments) => self.comments = true,
            Some(Meaning::Perhaps) => self.perhaps_furniture = true,
            Some(Meaning::Content) => self.content = true,
            None => {}
        }
    }
}

/// Signals by attribute value, computed once per page: highlighted code repeats a few classes thousands of times.
#[derive(Default)]
pub struct Heard<'a>(HashMap<&'a str, Said>);

impl<'a> Heard<'a> {
    pub fn by(&mut self, attribute: &'a str) -> Said {
        let said = self.0.entry(attribute);
        *said.or_insert_with(|| Said::by(attribute))
    }
}

/// `author-box` and similar follow an article.
fn is_about_an_author(word: &str) -> bool {
    matches!(
        word,
        "box" | "bio" | "info" | "card" | "profile" | "about" | "area"
    )
}

/// `has-sidebar` is not a sidebar.
fn says_that_the_next_is_of_another(word: &str) -> bool {
    matches!(
        word,
        "has" | "no" | "with" | "without" | "enable" | "category" | "tag"
    )
}

/// Whether a name marks article text by two words: `entry-content`, `articleBody`, `post_text`.
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
        // `post-content-footer` is not article text.
        found && (last || name.len() < 24)
    })
}

/// Calls `tell` with each word in lower case: `relatedPosts_2` is `related`, `posts`, `2`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_people_read_them_apart() {
        let mut all = Vec::new();
        words("relatedPosts_2-main-nav.ÜberUns", |it| {
            all.push(it.to_owned());
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
