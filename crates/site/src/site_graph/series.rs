//! Paginated series: a list and its pages 2, 3, 4. `rel=prev` alone makes no series: documentation and blogs use it
//! for the previous article.

use super::{PageNode, SiteGraph, UrlId};
use crate::keyword_text::normalized;

/// Query parameters with the number of a page, or of its first entry.
const PARAMETERS: &str = "\
    page paged p pg pagenum page_num pagenumber page_number pageno cpage seite pagina strona strana oldal start \
    offset skip from";

/// Words for "page" in addresses and titles.
const PAGE_WORDS: &str = "\
    page pages pg p seite página pagina pág pag pagine páginas strona strana str oldal страница стр сторінка sida \
    side sivu sayfa ページ 页 頁";

/// Between the page number and the number of pages.
const OF_WORDS: &str = "of von de di van z ze sur из з av af out";

/// Longer numbers are identifiers.
const MAX_DIGITS: usize = 5;

impl SiteGraph {
    /// Whether a page that it names as previous has the same URL with a smaller page number (`/page/2`, `?page=2`,
    /// `/list-2`) and, if read, the same title except for the number. A number without a page word (`/list-2`,
    /// `/list/2`) counts only if the URL without it is the first page: chapters and days are numbered too.
    pub fn continues_a_series(&self, node: &PageNode) -> bool {
        let mut previous = node.previous_pages.iter();
        !node.previous_pages.is_empty()
            && PageNumber::of(self.urls.text(node.url))
                .is_some_and(|own| previous.any(|it| self.is_before(node, &own, *it)))
    }

    fn is_before(&self, node: &PageNode, own: &PageNumber, previous: UrlId) -> bool {
        let is_first = |url: &str| without_slash(url) == own.series;
        let address = self.urls.text(previous);
        let is_smaller = match PageNumber::of(address) {
            Some(it) if it.series == own.series => it.number < own.number,
            _ => is_first(address),
        };
        let has_first = || {
            let with_slash = format!("{}/", own.series);
            let known = [own.series.as_str(), with_slash.as_str()];
            let mut known = known.iter().filter_map(|it| self.urls.known(it));
            known.any(|it| self.final_page(it).is_some())
        };
        let has_same_title = || {
            let read = self.final_page(previous);
            read.is_none_or(|(_, it)| it.series_title == node.series_title)
        };
        is_smaller && (own.is_marked || has_first()) && has_same_title()
    }
}

#[derive(Debug, PartialEq, Eq)]
struct PageNumber {
    /// URL without the number and a trailing slash.
    series: String,
    number: u32,
    /// By a parameter or a word.
    is_marked: bool,
}

impl PageNumber {
    /// `url` is normalized.
    fn of(url: &str) -> Option<Self> {
        let (path, query) = url
            .split_once('?')
            .map_or((url, None), |it| (it.0, Some(it.1)));
        query
            .and_then(|query| Self::of_query(path, query))
            .or_else(|| Self::of_path(path, query))
    }

    fn of_query(path: &str, query: &str) -> Option<Self> {
        let number = query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let is_known = PARAMETERS
                .split(' ')
                .any(|it| name.eq_ignore_ascii_case(it));
            Some((pair, digits(value).filter(|_| is_known)?))
        });
        let (numbered, number) = number?;
        let others: Vec<&str> = query.split('&').filter(|it| *it != numbered).collect();
        Some(Self {
            series: joined(without_slash(path), &others.join("&")),
            number,
            is_marked: true,
        })
    }

    fn of_path(path: &str, query: Option<&str>) -> Option<Self> {
        let (before, last) = without_slash(path).rsplit_once('/')?;
        // `https://example.com`
        if before.ends_with('/') {
            return None;
        }
        let (stem, extension) = last.split_once('.').map_or((last, ""), |it| (it.0, it.1));
        let name = stem.trim_end_matches(|it: char| it.is_ascii_digit());
        let number = digits(&stem[name.len()..])?;
        let name = name.trim_end_matches(['-', '_']);
        let (series, is_marked) = if name.is_empty() {
            match before.rsplit_once('/') {
                Some((parent, word)) if is_page_word(word) && !parent.ends_with('/') => {
                    (parent.to_owned(), true)
                }
                _ => (before.to_owned(), false),
            }
        } else if is_page_word(name) {
            (before.to_owned(), true)
        } else if extension.is_empty() {
            (format!("{before}/{name}"), false)
        } else {
            (format!("{before}/{name}.{extension}"), false)
        };
        Some(Self {
            series: joined(&series, query.unwrap_or_default()),
            number,
            is_marked,
        })
    }
}

fn joined(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

fn without_slash(url: &str) -> &str {
    url.strip_suffix('/').unwrap_or(url)
}

fn digits(text: &str) -> Option<u32> {
    let is_number =
        (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn is_page_word(word: &str) -> bool {
    PAGE_WORDS
        .split(' ')
        .any(|it| word.eq_ignore_ascii_case(it))
}

/// Title without its page number: `Page 2 of 7`, `(2)`, `2. oldal`.
pub(super) fn series_title(title: &str) -> String {
    let folded = normalized(title);
    let words: Vec<&str> = { folded.split(|it: char| !it.is_alphanumeric()) }
        .filter(|it| !it.is_empty())
        .collect();
    let is_number = |at: Option<usize>| {
        at.and_then(|at| words.get(at))
            .is_some_and(|it| digits(it).is_some())
    };
    let numbers_a_page = |at: usize| {
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        is_number(Some(at))
            || (is_page_word(words[at]) && (is_number(before) || is_number(after)))
            || (OF_WORDS.split(' ').any(|it| it == words[at])
                && is_number(before)
                && is_number(after))
    };
    let kept = (0..words.len()).filter(|at| !numbers_a_page(*at));
    kept.map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::page_content::{PageContent, PlacedText, TagSource};
    use crate::observation::web_site::CrawlScope;

    const SITE: &str = "https://example.com";

    /// Whether the last of the pages, given by path and title, continues the one before.
    fn continues(pages: &[(&str, &str)]) -> bool {
        let mut site = SiteGraph::new(SITE, CrawlScope::from_host("example.com"));
        let mut before: Option<String> = None;
        for (path, title) in pages {
            let mut page = PageContent::blank(&format!("{SITE}{path}"));
            page.titles = vec![PlacedText {
                text: (*title).to_owned(),
                source: TagSource::Head,
            }];
            page.previous_pages = before.replace(page.url.clone()).into_iter().collect();
            site.add_page(&page);
        }
        site.continues_a_series(site.nodes.last().unwrap())
    }

    #[test]
    fn numbered_pages_of_one_list_are_a_series() {
        for pages in [
            [("/list", "Cups"), ("/list/page/2", "Cups – Page 2 of 7")],
            [("/list/page/2", "Cups (2)"), ("/list/page/3", "Cups (3)")],
            [("/list/", "Cups | Shop"), ("/list?page=2", "Cups | Shop")],
            [("/list?a=1&p=2", "Cups"), ("/list?a=1&p=3", "Cups")],
            [("/list?start=20", "Cups"), ("/list?start=40", "Cups")],
            [("/list", "Cups"), ("/list-2", "Cups, 2. oldal")],
            [("/list.html", "Cups"), ("/list-2.html", "Cups - Seite 2")],
            [("/list", "Cups"), ("/list/seite-2", "Cups")],
            [("/", "Blog"), ("/page/2/", "Blog - Page 2")],
            [("/list", "Cups"), ("/list/2", "Cups")],
        ] {
            assert!(continues(&pages), "{pages:?}");
        }
    }

    #[test]
    fn an_article_after_another_is_no_series() {
        for pages in [
            [("/guide/install", "Guide"), ("/guide/configure", "Guide")],
            [("/list", "Cups"), ("/list/page/2", "Plates - Page 2")],
            [("/other", "Cups"), ("/list/page/2", "Cups")],
            [("/list/page/3", "Cups"), ("/list/page/2", "Cups")],
            [("/list?a=1&p=2", "Cups"), ("/list?a=2&p=3", "Cups")],
            // Chapters, without a page at `/chapter`.
            [("/chapter-1", "Guide"), ("/chapter-2", "Guide")],
            [("/2024/05", "Archive"), ("/2024/06", "Archive")],
            // Identifiers.
            [("/?p=1234567", "Post"), ("/?p=1234568", "Post")],
        ] {
            assert!(!continues(&pages), "{pages:?}");
        }
        assert!(!continues(&[("/list/page/2", "Cups")]));
    }

    #[test]
    fn page_numbers_are_left_out_of_titles() {
        for title in [
            "Cups",
            "Cups – page 2",
            "Cups: Seite 2 von 10",
            "Cups 2/10",
            "[2] Cups",
            "Cups, 2. oldal",
        ] {
            assert_eq!(series_title(title), "cups", "{title}");
        }
        assert_eq!(series_title("Page design of cups"), "page design of cups");
    }
}
