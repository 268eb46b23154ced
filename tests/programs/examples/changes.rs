//! Compares page versions for `tests/oracles/content_changes.py`: JSON lines in, JSON lines out. `do` selects the
//! operation.

use analysis::{
    findings::content_changes::{
        ChangeContext, ChangeSource, PageHistory, PageOwner, PageState, SiteFacts, compare,
        compared_text, rate_per_interval,
    },
    observation::{
        page_content::{Block, BlockKind, PageContent, PlacedText, TagSource},
        web_site::CrawlScope,
    },
};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Version {
    title: String,
    blocks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Question {
    /// Consecutive versions of a page; returns a record for each but the first.
    Visits {
        versions: Vec<Version>,
    },
    Rate {
        intervals: u32,
        changed: u32,
    },
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(it)))
}

fn answer(question: Question) -> Value {
    match question {
        Question::Visits { versions } => {
            visits(&versions.into_iter().map(page).collect::<Vec<_>>())
        }
        Question::Rate { intervals, changed } => json!(rate_per_interval(intervals, changed)),
    }
}

fn visits(pages: &[PageContent]) -> Value {
    let context = ChangeContext {
        project_id: 1,
        scope: CrawlScope::from_host("example.com"),
        source: ChangeSource::Scheduled,
        owner: PageOwner::Own,
    };
    let Some(first) = pages.first() else {
        return Value::Null;
    };
    let mut history = PageHistory::new(first.fetched.at);
    let mut answers = Vec::new();
    for pair in pages.windows(2) {
        let state = |at: usize| PageState {
            page: &pair[at],
            site: SiteFacts::default(),
        };
        let found = compare(&state(0), &state(1), &history, &context);
        answers.push(json!({
            "record": found.record,
            "before": compared_text(&pair[0]),
            "after": compared_text(&pair[1]),
            "historyBytes": json!(found.history).to_string().len(),
        }));
        history = found.history;
    }
    answers.into()
}

fn page(version: Version) -> PageContent {
    let mut page = PageContent::blank("https://example.com/page");
    page.titles.push(PlacedText {
        text: version.title,
        source: TagSource::Head,
    });
    let blocks = version.blocks.into_iter().map(|text| Block {
        kind: BlockKind::Paragraph,
        text,
    });
    page.text.main.blocks = blocks.collect();
    page
}
