use super::{IssueCollector, Subject};
use crate::{
    findings::issues::code::IssueCode, observation::web_site::LinkTarget,
    text::error_phrases::is_error_title, url_rules::TRACKING_KEYS,
};
use url::Url;

/// Milliseconds (`SEOnaut`; web.dev's threshold for a good TTFB).
const SLOW_TTFB_MS: u32 = 800;
/// Similarity to the response for a nonexistent URL, and words of a page that names an error: as in broken-links.
const PROBE_SIMILARITY: f64 = 0.9;
const ERROR_PAGE_WORDS: usize = 150;
/// Characters (Screaming Frog).
const LONG_URL: usize = 115;

const SESSION: [&str; 8] = [
    "sid",
    "sessionid",
    "session_id",
    "phpsessid",
    "jsessionid",
    "aspsessionid",
    "cfid",
    "zenid",
];

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    let page = subject.page;
    let slow = page.response.ttfb_ms.filter(|it| *it > SLOW_TTFB_MS);
    if let Some(taken) = slow {
        found.add(IssueCode::SlowTtfb, format!("{taken} ms"));
    }
    // `FormOnHttp` is more specific.
    let has_forms = !page.forms.is_empty();
    found.add_if(subject.is_insecure() && !has_forms, IssueCode::HttpPage);
    if let Some(to) = page.refresh.as_ref().and_then(|it| it.url.as_deref())
        && to != page.url
    {
        found.add(IssueCode::MetaRefreshRedirect, to.to_owned());
    }
    let like_the_probe = page
        .probe_similarity
        .is_some_and(|it| it >= PROBE_SIMILARITY);
    let heading = page.heading(1).and_then(|it| it.text.as_deref());
    let mut names = [page.title(), heading].into_iter().flatten();
    let has_error_title = page.text.counts.words < ERROR_PAGE_WORDS && names.any(is_error_title);
    found.add_if(like_the_probe || has_error_title, IssueCode::SoftNotFound);
    if let Some(url) = &subject.url {
        url_issues(url, found);
    }
    tracking(subject, found);
}

fn url_issues(url: &Url, found: &mut IssueCollector) {
    let path = url.path();
    let last = path.rsplit('/').next().unwrap_or_default();
    if let Some(ending) = non_html_extension(last) {
        found.add(IssueCode::WrongMediaType, format!(".{ending} as text/html"));
    }
    found.add_if(path.contains('_'), IssueCode::Underscore);
    let escapes = escaped_bytes(path);
    let has_capitals = {
        let without_escapes = path.split('%').enumerate().map(|(at, it)| {
            if at == 0 {
                it
            } else {
                it.get(2..).unwrap_or_default()
            }
        });
        let mut parts = without_escapes;
        parts.any(|it| it.bytes().any(|it| it.is_ascii_uppercase()))
    };
    found.add_if(has_capitals, IssueCode::Uppercase);
    found.add_if(
        escapes.contains(&b' ') || path.contains('+'),
        IssueCode::Space,
    );
    found.add_if(path.contains("//"), IssueCode::DoubleSlash);
    let is_international = url.host_str().is_some_and(|it| it.contains("xn--"));
    found.add_if(
        escapes.iter().any(|it| *it >= 0x80) || is_international,
        IssueCode::NonAscii,
    );
    let length = url.as_str().chars().count();
    if length > LONG_URL {
        found.add(IssueCode::TooLong, format!("{length} characters"));
    }
    found.add_if(repeats(path), IssueCode::RepetitivePath);
    let has_session = url
        .query_pairs()
        .any(|(key, _)| SESSION.contains(&key.to_ascii_lowercase().as_str()));
    let in_path = path.to_ascii_lowercase().contains(";jsessionid=");
    found.add_if(has_session || in_path, IssueCode::SessionId);
}

fn escaped_bytes(path: &str) -> Vec<u8> {
    let parts = path.split('%').skip(1);
    parts
        .filter_map(|it| u8::from_str_radix(it.get(..2)?, 16).ok())
        .collect()
}

/// Whether a path segment occurs twice in a row, or three times.
fn repeats(path: &str) -> bool {
    // Numbers may repeat: `/2026/11/11/notes`.
    let is_word = |it: &&str| !it.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = path.split('/').filter(is_word).collect();
    let in_a_row = parts.windows(2).any(|it| it[0] == it[1]);
    in_a_row
        || parts
            .iter()
            .any(|one| parts.iter().filter(|it| *it == one).count() > 2)
}

/// The file extension, if HTML would not have it.
fn non_html_extension(name: &str) -> Option<&str> {
    let (before, ending) = name.rsplit_once('.')?;
    let of_files = [
        "css", "js", "mjs", "json", "png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico",
        "pdf", "zip", "gz", "mp3", "mp4", "webm", "woff", "woff2", "ttf", "txt", "csv",
    ];
    (!before.is_empty() && of_files.iter().any(|it| it.eq_ignore_ascii_case(ending)))
        .then_some(ending)
}

fn tracking(subject: &Subject<'_>, found: &mut IssueCollector) {
    let tracked = subject.page.links.iter().filter_map(|it| match &it.target {
        LinkTarget::Web { url, .. }
            if it.is_navigable()
                && url.contains('?')
                && subject.is_internal(url)
                && has_tracking(url) =>
        {
            Some(url.as_str())
        }
        _ => None,
    });
    found.add_each(IssueCode::TrackingParams, tracked);
}

fn has_tracking(url: &str) -> bool {
    Url::parse(url).is_ok_and(|it| {
        it.query_pairs()
            .any(|(key, _)| key.starts_with("utm_") || TRACKING_KEYS.contains(&key.as_ref()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_path_may_repeat_and_words_may_not() {
        assert!(repeats("/a/b/b/c"));
        assert!(repeats("/a/b/a/c/a"));
        assert!(!repeats("/2026/11/11/notes"));
        assert!(!repeats("/a/1/b/1/c/1"));
    }
}
