use super::IssueCollector;
use crate::findings::issues::code::IssueCode;
use crate::keyword_text::normalized;
use crate::observation::page_content::{PageContent, TagSource};
use crate::text::pixel_width::{DESCRIPTION, TITLE};

/// Characters and pixels of a title (`SEOnaut`, Screaming Frog).
const TITLE_CHARACTERS: (usize, usize) = (20, 60);
const TITLE_PIXELS: (f64, f64) = (200.0, 561.0);
/// Characters and pixels of a description (Screaming Frog; `SEOnaut` for the longest).
const DESCRIPTION_CHARACTERS: (usize, usize) = (70, 160);
const DESCRIPTION_PIXELS: (f64, f64) = (400.0, 985.0);

pub fn find(page: &PageContent, found: &mut IssueCollector) {
    title(page, found);
    description(page, found);
}

fn title(page: &PageContent, found: &mut IssueCollector) {
    let in_head = page.titles.iter().filter(|it| it.source == TagSource::Head);
    let outside = page.titles.len() - in_head.clone().count();
    found.add_if(outside > 0, IssueCode::TitleOutsideHead);
    if in_head.clone().count() > 1 {
        found.add_each(IssueCode::TitleMultiple, in_head.map(|it| &it.text));
    }
    let Some(title) = page.title() else {
        found.add(IssueCode::TitleMissing, None);
        return;
    };
    let width = TITLE.width(title);
    let lengths = [IssueCode::TitleShort, IssueCode::TitleLong];
    length(title, width, TITLE_CHARACTERS, TITLE_PIXELS, lengths, found);
    let heading = page.heading(1).and_then(|it| it.text.as_deref());
    if heading.is_some_and(|it| normalized(it) == normalized(title)) {
        found.add(IssueCode::TitleSameAsH1, None);
    }
}

fn description(page: &PageContent, found: &mut IssueCollector) {
    let (inside, outside): (Vec<_>, Vec<_>) = page
        .descriptions()
        .partition(|it| it.source == TagSource::Head);
    found.add_if(!outside.is_empty(), IssueCode::DescOutsideHead);
    if inside.len() > 1 {
        found.add_each(IssueCode::DescMultiple, inside.iter().map(|it| &it.content));
    }
    let Some(text) = page.description() else {
        found.add(IssueCode::DescMissing, None);
        return;
    };
    let width = DESCRIPTION.width(text);
    let lengths = [IssueCode::DescShort, IssueCode::DescLong];
    length(
        text,
        width,
        DESCRIPTION_CHARACTERS,
        DESCRIPTION_PIXELS,
        lengths,
        found,
    );
}

fn length(
    text: &str,
    width: f64,
    characters: (usize, usize),
    pixels: (f64, f64),
    [short, long]: [IssueCode; 2],
    found: &mut IssueCollector,
) {
    let count = text.chars().count();
    let detail = || format!("{count} characters, {width:.0} px");
    if count < characters.0 || width < pixels.0 {
        found.add(short, detail());
    } else if count > characters.1 || width > pixels.1 {
        found.add(long, detail());
    }
}
