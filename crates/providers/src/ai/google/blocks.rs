use crate::ai::source::ParsedAnswer;
use crate::ai::sources::{CitedPage, Sources};
use analysis::observation::ai_answer::{CitationPart, TextSpan};
use analysis::url_rules::unwrapped;
use domain::ports::ai_answers::Retrieval;

#[derive(Debug, Default)]
pub(super) struct AnswerBuilder {
    text: String,
    cited: Vec<(u64, TextSpan)>,
}

impl AnswerBuilder {
    pub(super) fn add(&mut self, before: &str, words: &str, sources: &[u64]) {
        let words = words.trim();
        if words.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            let is_list = before.starts_with("- ") || before.trim_start().starts_with("- ");
            self.text.push_str(if is_list { "\n" } else { "\n\n" });
        }
        self.text.push_str(before);
        let start = self.text.len();
        self.text.push_str(words);
        let end = self.text.len();
        let span = TextSpan { start, end };
        self.cited.extend(sources.iter().map(|it| (*it, span)));
    }

    /// Lists sources in the order of `references`.
    pub(super) fn into_answer(self, references: &[Reference<'_>]) -> ParsedAnswer {
        let mut sources = Sources::default();
        for it in references {
            let url = unwrapped(it.url);
            let page = CitedPage::new(&url, it.title);
            let places = self.cited.iter().filter(|(number, _)| *number == it.number);
            let mut is_cited = false;
            for (_, span) in places {
                is_cited = true;
                sources.add(page, CitationPart::Inline, Some(*span));
            }
            if !is_cited {
                sources.add(page, CitationPart::SourceList, None);
            }
        }
        ParsedAnswer {
            text: self.text,
            citations: Some(sources.in_order()),
            retrieval: forced_retrieval(),
            ..ParsedAnswer::default()
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Reference<'a> {
    pub number: u64,
    pub url: &'a str,
    pub title: Option<&'a str>,
}

pub(super) const fn forced_retrieval() -> Retrieval {
    Retrieval {
        forced: true,
        used: Some(true),
    }
}
