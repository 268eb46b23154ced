use super::word_lists::{Meaning, is_hidden_class, meaning};
use std::collections::HashMap;

/// Signals of the words in an element's `class` and `id`.
#[expect(clippy::struct_excessive_bools, reason = "a name may say all of it")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NameSignals {
    /// Boilerplate regardless of other words.
    pub boilerplate: bool,
    /// Boilerplate, unless a content word occurs too.
    pub maybe_boilerplate: bool,
    pub content: bool,
    pub comments: bool,
    /// Boilerplate that links to other pages.
    pub navigational: bool,
}

impl NameSignals {
    pub fn from_attribute(attribute: &str) -> Self {
        let mut signals = Self::default();
        for name in attribute.split_ascii_whitespace() {
            signals.boilerplate |= is_hidden_class(name);
            // After two hyphens, a name describes a variant of the element (BEM).
            let name = name.split("--").next().unwrap_or(name);
            let (mut of_another, mut author) = (false, false);
            for_each_word(name, |word| {
                signals.boilerplate |= author && is_author_box_word(word);
                author |= word == "author";
                if !of_another || meaning(word) == Some(Meaning::Content) {
                    signals.add_word(word);
                }
                of_another = qualifies_next_word(word);
            });
        }
        signals
    }

    /// Ids of many words are made from headings and describe the topic, so they are ignored.
    pub fn from_id(id: &str) -> Self {
        let mut count = 0;
        for_each_word(id, |_| count += 1);
        if count > 3 {
            Self::default()
        } else {
            Self::from_attribute(id)
        }
    }

    pub fn merge(self, other: Self) -> Self {
        Self {
            boilerplate: self.boilerplate || other.boilerplate,
            maybe_boilerplate: self.maybe_boilerplate || other.maybe_boilerplate,
            content: self.content || other.content,
            comments: self.comments || other.comments,
            navigational: self.navigational || other.navigational,
        }
    }

    fn add_word(&mut self, word: &str) {
        match meaning(word) {
            Some(Meaning::Navigation | Meaning::Promotion) => {
                self.boilerplate = true;
                // An article's footer often holds its date and author.
                self.navigational |= !word.ends_with("footer");
            }
            Some(Meaning::PageMeta) => self.boilerplate = true,
            Some(Meaning::Comments) => self.comments = true,
            Some(Meaning::MaybeBoilerplate) => self.maybe_boilerplate = true,
            Some(Meaning::Content) => self.content = true,
            None => {}
        }
    }
}

/// Signals by attribute value, computed once per page: highlighted code repeats a few classes thousands of times.
#[derive(Default)]
pub struct NameSignalCache<'a>(HashMap<&'a str, NameSignals>);

impl<'a> NameSignalCache<'a> {
    pub fn get(&mut self, attribute: &'a str) -> NameSignals {
        let entry = self.0.entry(attribute);
        *entry.or_insert_with(|| NameSignals::from_attribute(attribute))
    }
}

/// `author-box` and similar follow an article.
fn is_author_box_word(word: &str) -> bool {
    matches!(
        word,
        "box" | "bio" | "info" | "card" | "profile" | "about" | "area"
    )
}

/// `has-sidebar` is not a sidebar.
fn qualifies_next_word(word: &str) -> bool {
    matches!(
        word,
        "has" | "no" | "with" | "without" | "enable" | "category" | "tag"
    )
}

/// Whether a name marks article text by two words: `entry-content`, `articleBody`, `post_text`.
pub fn names_article_text(attribute: &str) -> bool {
    attribute.split_ascii_whitespace().any(|name| {
        let (mut is_article_word, mut found) = (false, false);
        let name = name.split("--").next().unwrap_or(name);
        let mut last = false;
        for_each_word(name, |word| {
            last = matches!(
                word,
                "body" | "content" | "contents" | "text" | "copy" | "fulltext" | "bodytext"
            );
            found |= is_article_word && last;
            is_article_word = matches!(
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
fn for_each_word(name: &str, mut visit: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before_lower = false;
    for character in name.chars() {
        let ends = !character.is_alphanumeric() || (character.is_uppercase() && before_lower);
        if ends && !word.is_empty() {
            visit(&word);
            word.clear();
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before_lower = character.is_lowercase();
    }
    if !word.is_empty() {
        visit(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_case_digits_and_punctuation() {
        let mut all = Vec::new();
        for_each_word("relatedPosts_2-main-nav.ÜberUns", |it| {
            all.push(it.to_owned());
        });
        assert_eq!(all, ["related", "posts", "2", "main", "nav", "über", "uns"]);
    }

    #[test]
    fn words_inside_words_have_no_signal() {
        assert_eq!(
            NameSignals::from_attribute("shadow heading navy commentary"),
            NameSignals::default()
        );
    }

    #[test]
    fn qualified_names_are_not_boilerplate() {
        for name in [
            "section--ads",
            "has-sidebar",
            "no-sidebar",
            "field--label-hidden",
            "category-related",
        ] {
            assert!(!NameSignals::from_attribute(name).boilerplate, "{name}");
        }
        for name in [
            "left-sidebar",
            "entryfooter",
            "sr-only",
            "cookie-banner",
            "relatedPosts",
        ] {
            assert!(NameSignals::from_attribute(name).boilerplate, "{name}");
        }
    }

    #[test]
    fn article_text_names_need_two_words() {
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
