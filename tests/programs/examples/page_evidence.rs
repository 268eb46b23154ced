//! Evidence of geo-score and eeat, for `tests/oracles/geo_counts.py` and `tests/oracles/company_ids.py`: JSON lines in,
//! JSON lines out. `do` selects the operation.

use analysis::{
    findings::{
        eeat::CompanyIdKind,
        geo_score::{numeric_facts, quotations},
    },
    observation::page_content::{Block, BlockKind, PageContent},
    text::language::Language,
};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Question {
    Facts {
        text: String,
    },
    Quotations {
        text: String,
        language: String,
    },
    /// Whether the check digit is valid.
    CompanyId {
        kind: CompanyIdKind,
        number: String,
    },
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(it)))
}

fn answer(question: Question) -> Value {
    match question {
        Question::Facts { text } => json!(numeric_facts(&text)),
        Question::Quotations { text, language } => {
            let mut page = PageContent::blank("https://example.com/");
            page.text.language = Language::from_tag(&language);
            page.text.main.blocks.push(Block {
                kind: BlockKind::Paragraph,
                text,
            });
            json!(quotations(&page))
        }
        Question::CompanyId { kind, number } => json!(kind.is_valid(&number)),
    }
}
