//! Attributed quotations: `blockquote`, `q`, and five or more words in quotation marks near a name or reporting verb.

use super::cue_words::cue_words;
use crate::observation::page_content::{Block, BlockKind, PageContent};
use crate::text::words::{shortened, words};

/// Fewer words are a term.
const MIN_WORDS: usize = 5;
/// More words mean a missed closing mark.
const MAX_WORDS: usize = 200;
/// Characters of a quotation and marks of a block: bounds the time for a text of nothing but marks.
const MAX_CHARACTERS: usize = 3_000;
const MAX_MARKS: usize = 1_000;
/// Characters around a quotation that may name its speaker.
const SPEAKER_CONTEXT: usize = 120;

pub fn quotations(page: &PageContent) -> Vec<String> {
    let blocks = &page.text.main.blocks;
    let mut found = block_quotations(blocks);
    let inline = page.text.inline_quotations.iter();
    found.extend(inline.filter(|it| has_enough(it)).cloned());
    let reporting = cue_words(page.text.language).map(|it| &it.reporting);
    for block in blocks {
        if matches!(block.kind, BlockKind::Quote | BlockKind::Preformatted) {
            continue;
        }
        for (quoted, before, after) in quoted_passages(&block.text) {
            let (before, after) = (last(before), shortened(after, SPEAKER_CONTEXT));
            let speaks =
                |it: &str| reporting.is_some_and(|verbs| verbs.is_match(it)) || has_person_name(it);
            if has_enough(quoted) && (speaks(before) || speaks(after)) {
                found.push(quoted.to_owned());
            }
        }
    }
    found
}

/// Adjacent quotation blocks are one.
fn block_quotations(blocks: &[Block]) -> Vec<String> {
    let runs = blocks
        .chunk_by(|one, other| one.kind == BlockKind::Quote && other.kind == BlockKind::Quote);
    let quoted = runs.filter(|run| run[0].kind == BlockKind::Quote);
    quoted
        .map(|run| {
            let texts: Vec<&str> = run.iter().map(|it| it.text.as_str()).collect();
            texts.join(" ")
        })
        .filter(|it| words(it).count() >= MIN_WORDS)
        .collect()
}

fn has_enough(text: &str) -> bool {
    (MIN_WORDS..=MAX_WORDS).contains(&words(text).take(MAX_WORDS + 1).count())
}

fn last(text: &str) -> &str {
    let at = text.char_indices().rev().nth(SPEAKER_CONTEXT - 1);
    at.map_or(text, |(at, _)| &text[at..])
}

/// Whether two capitalized words follow each other.
fn has_person_name(text: &str) -> bool {
    let is_name = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase)
    };
    // Punctuation between two words separates them.
    let mut previous: Option<&str> = None;
    for piece in text.split(' ') {
        let word = piece.trim_matches(|it: char| !it.is_alphanumeric());
        let joined = previous.is_some_and(|it| it.ends_with(char::is_alphanumeric));
        if is_name(&word)
            && joined
            && previous
                .map(|it| it.trim_matches(|it: char| !it.is_alphanumeric()))
                .as_ref()
                .is_some_and(is_name)
        {
            return true;
        }
        previous = Some(piece);
    }
    false
}

/// Text in quotation marks, with the text before and after it.
fn quoted_passages(text: &str) -> Vec<(&str, &str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..MAX_MARKS {
        let Some((open, mark)) = next_mark(text, at) else {
            break;
        };
        let begin = open + mark.len_utf8();
        let closing: &[char] = match mark {
            '„' => &['“', '”', '"'],
            '“' => &['”'],
            '«' => &['»'],
            '»' => &['«'],
            _ => &['"'],
        };
        let Some(length) = shortened(&text[begin..], MAX_CHARACTERS).find(closing) else {
            at = begin;
            continue;
        };
        let end = begin + length;
        let after = end + text[end..].chars().next().map_or(0, char::len_utf8);
        found.push((&text[begin..end], &text[..open], &text[after..]));
        at = after;
    }
    found
}

fn next_mark(text: &str, from: usize) -> Option<(usize, char)> {
    let found = text[from..].find(['„', '“', '«', '»', '"'])? + from;
    Some((found, text[found..].chars().next()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::sample_pages::{page, paragraphs};

    #[test]
    fn quotations_need_a_speaker() {
        for (text, count) in [
            ("“We have never seen anything like it,” said the mayor.", 1),
            ("Jane Doe: \"We have never seen anything like it.\"", 1),
            (
                "The sign read “we have never seen anything like it” in red.",
                0,
            ),
            ("He said “yes” and “no” and “perhaps”.", 0),
            ("„Das haben wir noch nie gesehen“, so Erika Mustermann.", 1),
            (
                "According to him, «we have never seen anything like it».",
                1,
            ),
            ("An open “mark that nobody ever closes again, she said.", 0),
            ("A 5\" disk and a 3\" one", 0),
        ] {
            let found = quotations(&paragraphs(&[text]));
            assert_eq!(found.len(), count, "{text}: {found:?}");
        }
    }

    #[test]
    fn quote_elements_need_no_marks_and_code_is_ignored() {
        let mut blocks = page(
            "https://example.com/",
            &[
                (
                    BlockKind::Quote,
                    "The first paragraph of a longer quotation.",
                ),
                (BlockKind::Quote, "And the second one."),
                (BlockKind::Paragraph, "Between."),
                (BlockKind::Quote, "Too short."),
                (
                    BlockKind::Preformatted,
                    "print(\"one two three four five six\") # said",
                ),
            ],
        );
        assert_eq!(quotations(&blocks).len(), 1);
        blocks.text.inline_quotations =
            vec!["one two three four five".to_owned(), "one".to_owned()];
        assert_eq!(quotations(&blocks).len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "[„“”«»\"A-Za-zé ,.]{0,80}") {
            quotations(&paragraphs(&[&text]));
        }
    }
}
