//! An answer's text with its marks, for terminals and browsers. The text is untrusted and is escaped.

use crate::terminal::escape_controls;
use analysis::ai_answers::{AnswerMark, MarkKind};
use domain::use_cases::answers::MarkedAnswer;
use std::collections::BTreeSet;

struct Piece<'a> {
    text: String,
    marks: Vec<&'a AnswerMark>,
}

pub fn marked_text(text: &str, marks: &[AnswerMark]) -> String {
    let mut shown = String::new();
    for piece in split_at_marks(text, marks) {
        let (before, behind) = mark_signs(&piece.marks);
        shown.push_str(before);
        shown.push_str(&piece.text);
        shown.push_str(behind);
    }
    shown
}

fn mark_signs(marks: &[&AnswerMark]) -> (&'static str, &'static str) {
    let name = { marks.iter() }.find(|it| it.kind != MarkKind::Citation);
    match name {
        Some(it) if it.kind == MarkKind::AmbiguousMention => ("‹?", "›"),
        Some(it) if it.is_own => ("«", "»"),
        Some(_) => ("‹", "›"),
        None if marks.is_empty() => ("", ""),
        None => ("⌜", "⌝"),
    }
}

pub fn html_page(answer: &MarkedAnswer) -> String {
    let it = &answer.kept.answer;
    let mut body = String::new();
    for piece in split_at_marks(&it.text, &answer.evaluation.marks) {
        let text = escape_html(&piece.text);
        if piece.marks.is_empty() {
            body.push_str(&text);
        } else {
            let (class, title) = (classes(&piece.marks), titles(&piece.marks));
            let title = escape_html(&title);
            body.extend([
                "<mark class=\"",
                &class,
                "\" title=\"",
                &title,
                "\">",
                &text,
                "</mark>",
            ]);
        }
    }
    let pages = answer.evaluation.citations.iter().flatten();
    let pages: Vec<String> = pages
        .map(|it| format!("<li>{}</li>\n", escape_html(&it.url)))
        .collect();
    let pages = pages.concat();
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <style>main{{white-space:pre-wrap;max-width:45em;margin:2em auto;font:1em/1.5 sans-serif}}\
         mark{{background:#eee}}.own{{background:#bfb}}.other{{background:#fdb}}.ambiguousMention{{background:#ffb}}\
         .citation{{border-bottom:2px solid #88f}}</style>\n</head>\n\
         <body>\n<main><h1>{}</h1>\n<p>{}, {}, {}</p>\n{body}\n<ol>\n{pages}</ol>\n</main>\n</body>\n</html>",
        escape_html(&it.prompt.language),
        escape_html(&it.engine),
        escape_html(&it.prompt.text),
        escape_html(&it.engine),
        escape_html(it.served_model.as_deref().unwrap_or("model not reported")),
        it.provenance.name(),
    )
}

fn classes(marks: &[&AnswerMark]) -> String {
    let mut classes: BTreeSet<&str> = BTreeSet::new();
    for mark in marks {
        classes.insert(match mark.kind {
            MarkKind::Mention => "mention",
            MarkKind::Domain => "domain",
            MarkKind::AmbiguousMention => "ambiguousMention",
            MarkKind::Citation => "citation",
        });
        classes.insert(if mark.is_own { "own" } else { "other" });
    }
    classes.into_iter().collect::<Vec<_>>().join(" ")
}

fn titles(marks: &[&AnswerMark]) -> String {
    let titles = marks
        .iter()
        .filter_map(|it| it.url.as_ref().or(it.brand.as_ref()));
    titles.cloned().collect::<Vec<_>>().join(", ")
}

/// Escapes HTML and control characters.
fn escape_html(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in escape_controls(text).chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            letter => shown.push(letter),
        }
    }
    shown
}

/// The text split at the bounds of marks.
fn split_at_marks<'a>(text: &str, marks: &'a [AnswerMark]) -> Vec<Piece<'a>> {
    let letters: Vec<char> = text.chars().collect();
    let cuts = marks
        .iter()
        .flat_map(|it| [it.start as usize, it.end as usize]);
    let mut cuts: BTreeSet<usize> = cuts.map(|it| it.min(letters.len())).collect();
    cuts.extend([0, letters.len()]);
    let cuts: Vec<usize> = cuts.into_iter().collect();
    let between = cuts.windows(2).map(|pair| {
        let (from, to) = (pair[0], pair[1]);
        let covers = |it: &&AnswerMark| it.start as usize <= from && to <= it.end as usize;
        Piece {
            text: letters[from..to].iter().collect(),
            marks: marks.iter().filter(covers).collect(),
        }
    });
    between.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(start: u32, end: u32, kind: MarkKind, is_own: bool) -> AnswerMark {
        AnswerMark {
            start,
            end,
            kind,
            is_own,
            brand: Some("Acme \"<b>".to_owned()),
            url: None,
        }
    }

    #[test]
    fn marks_may_overlap() {
        let marks = [
            mark(3, 11, MarkKind::Citation, false),
            mark(6, 10, MarkKind::Mention, true),
            mark(11, 99, MarkKind::AmbiguousMention, false),
        ];
        assert_eq!(
            marked_text("Žü 12 Acme. Anker", &marks),
            "Žü ⌜12 ⌝«Acme»⌜.⌝‹? Anker›"
        );
        assert_eq!(marked_text("", &[]), "");
    }

    #[test]
    fn answer_text_is_escaped_in_html() {
        let shown = escape_html("<script>alert('x')</script>\u{202e}\u{1b}[2J & \"");
        assert_eq!(
            shown,
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\\u{202e}\\u{1b}[2J &amp; &quot;"
        );
        let marks = [mark(0, 4, MarkKind::Mention, true)];
        let marks: Vec<&AnswerMark> = marks.iter().collect();
        assert_eq!(
            (classes(&marks), titles(&marks)),
            ("mention own".into(), "Acme \"<b>".into())
        );
    }
}
