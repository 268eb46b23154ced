use analysis::observation::ai_answer::{AnswerCitation, CitationPart, TextSpan};

#[derive(Debug, Default)]
pub(super) struct Draft {
    pub text: String,
    pub citations: Vec<AnswerCitation>,
}

impl Draft {
    pub(super) fn add_line(&mut self, begin: &str, words: &str) {
        if !self.text.is_empty() {
            self.text
                .push_str(if begin.is_empty() { "\n\n" } else { "\n" });
        }
        self.text.push_str(begin);
        self.text.push_str(words);
    }

    pub(super) fn cite(&mut self, url: &str, host: &str) {
        let start = self.text.len() + 1;
        let link = format!(" ([{host}]({url}))");
        self.text.push_str(&link);
        let span = TextSpan {
            start,
            end: self.text.len(),
        };
        self.add_citation(url, host, CitationPart::Inline, Some(span));
    }

    /// Cites a page for all text since `since`, without a link.
    pub(super) fn cite_lines(&mut self, since: usize, url: &str, host: &str) {
        let span = TextSpan {
            start: since,
            end: self.text.len(),
        };
        self.add_citation(url, host, CitationPart::Inline, Some(span));
    }

    pub(super) fn add_citation(
        &mut self,
        url: &str,
        host: &str,
        part: CitationPart,
        span: Option<TextSpan>,
    ) {
        if let Some(known) = self.citations.iter_mut().find(|it| it.url == url) {
            known.part = known.part.min(part);
            known.spans.extend(span);
            return;
        }
        self.citations.push(AnswerCitation {
            url: url.to_owned(),
            title: Some(format!("Simulated page of {host}")),
            domain: None,
            part,
            spans: span.into_iter().collect(),
        });
    }
}
