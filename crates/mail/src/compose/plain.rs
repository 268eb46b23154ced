use super::wrap::{COLUMNS, wrap};
use crate::content::Content;
use std::fmt::Write;

/// At most 72 columns, except URLs, which are on lines of their own.
pub fn render(content: &Content) -> String {
    let mut blocks = vec![wrap(&content.subject, "")];
    blocks.extend(content.paragraphs.iter().map(|it| wrap(it, "")));
    let facts = content.facts.iter();
    let facts: Vec<String> = facts
        .map(|it| wrap(&format!("{}: {}", it.0, it.1), "  "))
        .collect();
    if !facts.is_empty() {
        blocks.push(facts.join("\n"));
    }
    if let Some(button) = &content.button {
        let mut block = format!("{}:\n{}", button.label, button.url);
        if let Some(note) = &button.note {
            let _ = write!(block, "\n\n{}", wrap(note, ""));
        }
        blocks.push(block);
    }
    blocks.extend(content.advice.iter().map(|it| wrap(it, "")));
    blocks.push("-".repeat(COLUMNS));
    blocks.extend(content.reason.iter().map(|it| wrap(it, "")));
    if let Some(stop) = &content.stop {
        blocks.push(format!("{}:\n{}", stop.label, stop.url));
    }
    blocks.join("\n\n") + "\n"
}
