//! Bounds an answer and removes invisible characters, adjusting offsets.

use super::source::{Outcome, ParsedAnswer};
use analysis::observation::ai_answer::{AnswerCitation, TextSpan};

/// In bytes: ten times what engines write.
const MAX_TEXT_LENGTH: usize = 200_000;
const MAX_CITATIONS: usize = 300;
const MAX_SPANS: usize = 100;
/// In characters.
const MAX_TITLE_LENGTH: usize = 500;
const MAX_QUERIES: usize = 50;
const TEXT_CUT: &str = "textCut";

pub(super) fn sanitize_answer(mut answer: ParsedAnswer) -> ParsedAnswer {
    let (text, moved) = strip_hidden(&answer.text);
    if text.len() > MAX_TEXT_LENGTH {
        answer.warnings.push(TEXT_CUT);
        if answer.state == Outcome::Complete {
            answer.state = Outcome::CutShort;
        }
    }
    answer.text = first_bytes(text, MAX_TEXT_LENGTH);
    let length = answer.text.len();
    if let Some(citations) = &mut answer.citations {
        citations.truncate(MAX_CITATIONS);
        for it in citations {
            sanitize_citation(it, &moved, length);
        }
    }
    answer.queries.truncate(MAX_QUERIES);
    for query in &mut answer.queries {
        *query = line(query);
    }
    answer.served_model = answer.served_model.map(|it| line(&it));
    answer
}

fn sanitize_citation(citation: &mut AnswerCitation, moved: &OffsetMap, length: usize) {
    citation.title = { citation.title.take() }
        .map(|it| line(&it))
        .filter(|it| !it.is_empty());
    citation.domain = citation.domain.take().map(|it| line(&it));
    citation.spans.truncate(MAX_SPANS);
    for span in &mut citation.spans {
        *span = TextSpan {
            start: moved.map(span.start).min(length),
            end: moved.map(span.end).min(length),
        };
    }
    citation.spans.retain(|it| it.start < it.end);
}

fn line(text: &str) -> String {
    let (text, _) = strip_hidden(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MAX_TITLE_LENGTH).collect()
}

fn first_bytes(mut text: String, max_bytes: usize) -> String {
    let end = (0..=max_bytes.min(text.len()))
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
struct OffsetMap {
    gaps: Vec<(usize, usize)>,
}

impl OffsetMap {
    fn map(&self, place: usize) -> usize {
        let before = self.gaps.partition_point(|(behind, _)| *behind <= place);
        let left_out = before.checked_sub(1).map_or(0, |last| self.gaps[last].1);
        place.saturating_sub(left_out)
    }
}

fn strip_hidden(text: &str) -> (String, OffsetMap) {
    let mut moved = OffsetMap::default();
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
    fn hidden_characters_are_removed_and_spans_adjusted() {
        let text = "Gr\u{0}üße \u{202e}vom 🦊\r\n[1] Ende";
        let start = text.find("[1]").unwrap();
        let sanitized = sanitize_answer(ParsedAnswer {
            text: text.to_owned(),
            citations: Some(citing(&[(start, start + 3), (0, text.len())])),
            ..ParsedAnswer::default()
        });
        assert_eq!(sanitized.text, "Grüße vom 🦊\n[1] Ende");
        let citation = &sanitized.citations.unwrap()[0];
        let slices: Vec<&str> = { citation.spans.iter() }
            .map(|it| &sanitized.text[it.start..it.end])
            .collect();
        assert_eq!(slices, ["[1]", sanitized.text.as_str()]);
        assert_eq!(citation.title.as_deref(), Some("A title"));
    }

    #[test]
    fn overlong_text_is_truncated_with_a_warning() {
        let sanitized = sanitize_answer(ParsedAnswer {
            text: "ä".repeat(MAX_TEXT_LENGTH),
            citations: Some(citing(&[
                (10, 12),
                (MAX_TEXT_LENGTH + 2, MAX_TEXT_LENGTH + 4),
            ])),
            ..ParsedAnswer::default()
        });
        assert_eq!(sanitized.text.len(), MAX_TEXT_LENGTH);
        assert_eq!(
            (sanitized.state, sanitized.warnings),
            (Outcome::CutShort, vec![TEXT_CUT])
        );
        assert_eq!(sanitized.citations.unwrap()[0].spans.len(), 1);
    }
}
