//! Bounds an answer and removes invisible characters, adjusting offsets.

use super::source::{Outcome, Told};
use analysis::observation::ai_answer::{AnswerCitation, TextSpan};

/// In bytes: ten times what engines write.
const LONGEST_TEXT: usize = 200_000;
const MOST_CITATIONS: usize = 300;
const MOST_SPANS: usize = 100;
/// In characters.
const LONGEST_TITLE: usize = 500;
const MOST_QUERIES: usize = 50;
const TEXT_CUT: &str = "textCut";

pub(super) fn tidied(mut told: Told) -> Told {
    let (text, moved) = visible(&told.text);
    if text.len() > LONGEST_TEXT {
        told.warnings.push(TEXT_CUT);
        if told.state == Outcome::Complete {
            told.state = Outcome::CutShort;
        }
    }
    told.text = first_bytes(text, LONGEST_TEXT);
    let length = told.text.len();
    if let Some(citations) = &mut told.citations {
        citations.truncate(MOST_CITATIONS);
        for it in citations {
            tidy(it, &moved, length);
        }
    }
    told.queries.truncate(MOST_QUERIES);
    for query in &mut told.queries {
        *query = line(query);
    }
    told.served_model = told.served_model.map(|it| line(&it));
    told
}

fn tidy(citation: &mut AnswerCitation, moved: &Moved, length: usize) {
    citation.title = { citation.title.take() }
        .map(|it| line(&it))
        .filter(|it| !it.is_empty());
    citation.domain = citation.domain.take().map(|it| line(&it));
    citation.spans.truncate(MOST_SPANS);
    for span in &mut citation.spans {
        *span = TextSpan {
            start: moved.to(span.start).min(length),
            end: moved.to(span.end).min(length),
        };
    }
    citation.spans.retain(|it| it.start < it.end);
}

fn line(text: &str) -> String {
    let (text, _) = visible(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_TITLE).collect()
}

fn first_bytes(mut text: String, most: usize) -> String {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|it| text.is_char_boundary(*it));
    text.truncate(end.unwrap_or(0));
    text
}

/// Control characters and bidirectional overrides; neither pages nor databases should hold them.
fn is_hidden(it: char) -> bool {
    match it {
        '\n' | '\t' => false,
        '\u{200e}'
        | '\u{200f}'
        | '\u{061c}'
        | '\u{feff}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => it.is_control(),
    }
}

/// Maps offsets across removed bytes.
#[derive(Debug, Default)]
struct Moved {
    gaps: Vec<(usize, usize)>,
}

impl Moved {
    fn to(&self, place: usize) -> usize {
        let before = self.gaps.partition_point(|(behind, _)| *behind <= place);
        let left_out = before.checked_sub(1).map_or(0, |last| self.gaps[last].1);
        place.saturating_sub(left_out)
    }
}

fn visible(text: &str) -> (String, Moved) {
    let mut moved = Moved::default();
    if !text.chars().any(is_hidden) {
        return (text.to_owned(), moved);
    }
    let mut kept = String::with_capacity(text.len());
    for (place, it) in text.char_indices() {
        if is_hidden(it) {
            let behind = place + it.len_utf8();
            moved.gaps.push((behind, behind - kept.len()));
        } else {
            kept.push(it);
        }
    }
    (kept, moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::observation::ai_answer::CitationPart;

    fn citing(spans: &[(usize, usize)]) -> Vec<AnswerCitation> {
        let spans = spans.iter().map(|(start, end)| TextSpan {
            start: *start,
            end: *end,
        });
        vec![AnswerCitation {
            url: "https://a.test/".to_owned(),
            title: Some("A\u{202e}\u{0}\n title".to_owned()),
            domain: None,
            part: CitationPart::Inline,
            spans: spans.collect(),
        }]
    }

    #[test]
    fn hidden_characters_go_and_places_move_along() {
        let text = "Gr\u{0}üße \u{202e}vom 🦊\r\n[1] Ende";
        let start = text.find("[1]").unwrap();
        let told = tidied(Told {
            text: text.to_owned(),
            citations: Some(citing(&[(start, start + 3), (0, text.len())])),
            ..Told::default()
        });
        assert_eq!(told.text, "Grüße vom 🦊\n[1] Ende");
        let citation = &told.citations.unwrap()[0];
        let slices: Vec<&str> = { citation.spans.iter() }
            .map(|it| &told.text[it.start..it.end])
            .collect();
        assert_eq!(slices, ["[1]", told.text.as_str()]);
        assert_eq!(citation.title.as_deref(), Some("A title"));
    }

    #[test]
    fn an_endless_text_is_cut_and_says_so() {
        let told = tidied(Told {
            text: "ä".repeat(LONGEST_TEXT),
            citations: Some(citing(&[(10, 12), (LONGEST_TEXT + 2, LONGEST_TEXT + 4)])),
            ..Told::default()
        });
        assert_eq!(told.text.len(), LONGEST_TEXT);
        assert_eq!(
            (told.state, told.warnings),
            (Outcome::CutShort, vec![TEXT_CUT])
        );
        assert_eq!(told.citations.unwrap()[0].spans.len(), 1);
    }
}
