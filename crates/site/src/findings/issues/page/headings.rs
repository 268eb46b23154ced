use super::IssueCollector;
use crate::{findings::issues::code::IssueCode, observation::page_content::PageContent};

/// Characters (Screaming Frog).
const LONG_H1: usize = 70;

pub fn find(page: &PageContent, found: &mut IssueCollector) {
    let firsts: Vec<_> = page.headings.iter().filter(|it| it.level == 1).collect();
    match firsts.iter().find(|it| it.text.is_some()) {
        None if firsts.is_empty() => found.add(IssueCode::H1Missing, None),
        None => {}
        Some(first) => {
            found.add_if(first.is_image_alt, IssueCode::H1OnlyImageAlt);
            let length = first.text.as_deref().map_or(0, |it| it.chars().count());
            if length > LONG_H1 {
                found.add(IssueCode::H1Long, format!("{length} characters"));
            }
        }
    }
    if firsts.len() > 1 {
        let texts = firsts
            .iter()
            .map(|it| it.text.as_deref().unwrap_or_default());
        found.add_each(IssueCode::H1Multiple, texts);
    }
    let steps = page.headings.windows(2);
    let skipped = steps.filter(|it| it[1].level > it[0].level + 1);
    let details = skipped.map(|it| {
        let text = it[1].text.as_deref().unwrap_or_default();
        format!("h{} after h{}: {text}", it[1].level, it[0].level)
    });
    found.add_each(IssueCode::HeadingOrder, details);
    let empty = page.headings.iter().filter(|it| it.text.is_none());
    found.add_each(
        IssueCode::HeadingEmpty,
        empty.map(|it| format!("h{} in line {}", it.level, it.line)),
    );
}
