use super::IssueCollector;
use crate::findings::issues::code::IssueCode;
use crate::observation::page_content::{Image, PageContent};

/// Characters (`SEOnaut`, Screaming Frog).
const LONG_ALT: usize = 100;

pub fn find(page: &PageContent, found: &mut IssueCollector) {
    let named = |it: &Image| {
        it.url
            .clone()
            .unwrap_or_else(|| format!("line {}", it.line))
    };
    let all = || page.images.iter();
    let unnamed = all().filter(|it| it.alt.is_none() && !it.is_named_otherwise);
    found.add_each(IssueCode::AltMissing, unnamed.map(named));
    let long = all().filter(|it| {
        it.alt
            .as_deref()
            .is_some_and(|it| it.chars().count() > LONG_ALT)
    });
    found.add_each(IssueCode::AltLong, long.map(named));
    let unsized_ones = all().filter(|it| !it.has_size && it.url.is_some());
    found.add_each(IssueCode::ImageNoSize, unsized_ones.map(named));
    let without = page.structure.pictures_without_image;
    if without > 0 {
        found.add(IssueCode::PictureWithoutImg, format!("{without}"));
    }
}
