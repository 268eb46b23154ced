use super::{IssueCollector, Subject};
use crate::findings::broken_links::Severity;
use crate::findings::issues::code::IssueCode;
use crate::observation::page_content::{Block, BlockKind, PageContent};
use crate::text::words::words;
use std::{collections::HashSet, sync::LazyLock};

const PASSAGE: &str = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut \
    labore et dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliquip ex \
    ea commodo consequat duis aute irure dolor in reprehenderit in voluptate velit esse cillum dolore eu fugiat nulla \
    pariatur excepteur sint occaecat cupidatat non proident sunt in culpa qui officia deserunt mollit anim id est laborum";

/// Words that generators use after the first sentence of the passage.
const GENERATED: &str = "a ac accumsan adipisicing aenean aliquam aliquet ante aptent arcu at auctor augue bibendum \
    blandit class condimentum congue conubia convallis cras cubilia curabitur curae cursus dapibus diam dictum dictumst \
    dignissim donec dui efficitur egestas eget eleifend elementum erat eros etiam euismod facilisi facilisis fames \
    faucibus felis fermentum feugiat finibus fringilla fusce gravida habitant habitasse hac hendrerit himenaeos iaculis \
    imperdiet inceptos integer interdum justo lacinia lacus laoreet lectus leo libero ligula litora lobortis luctus \
    maecenas malesuada massa mattis mauris maximus metus mi molestie mollis morbi nam nec neque netus nibh nisl nostra \
    nullam nunc odio orci ornare pellentesque per pharetra phasellus placerat platea porta porttitor posuere potenti \
    praesent pretium primis proin pulvinar purus quam quisque rhoncus risus rutrum sagittis sapien scelerisque sem semper \
    senectus sociosqu sodales sollicitudin suscipit suspendisse taciti tellus tempus tincidunt torquent tortor tristique \
    turpis ullamcorper ultrices ultricies urna varius vehicula vel venenatis vestibulum vitae vivamus viverra volutpat \
    vulputate";

/// Consecutive words of the passage that identify it.
const MIN_RUN_WORDS: usize = 5;
/// Minimum words of a placeholder block without such a run.
const MIN_GENERATED_WORDS: usize = 8;
/// Share of the main text from which it is an error, not a warning.
const ERROR_SHARE: f64 = 0.1;

static SEQUENCE: LazyLock<Vec<&str>> = LazyLock::new(|| PASSAGE.split_ascii_whitespace().collect());
static VOCABULARY: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let generated = GENERATED.split_ascii_whitespace();
    SEQUENCE.iter().copied().chain(generated).collect()
});

pub fn find(subject: &Subject<'_>, text: &str, found: &mut IssueCollector) {
    if !text.to_ascii_lowercase().contains("lorem ipsum") {
        return;
    }
    let left = placeholder_words(subject.page);
    if left == 0 {
        return;
    }
    let all = words(text).count().max(left);
    let share = f64::from(saturating_u32(left)) / f64::from(saturating_u32(all));
    if share < 0.5 && is_about_placeholders(subject.page) {
        return;
    }
    let severity = if share < ERROR_SHARE {
        Severity::Warning
    } else {
        Severity::Error
    };
    let detail = format!("{left} of {all} words");
    found.add_with(IssueCode::LoremIpsum, severity, 1, Some(detail));
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

struct BlockStats {
    words: usize,
    has_passage: bool,
    /// Words of the passage or of generators.
    known: usize,
}

impl BlockStats {
    fn of(text: &str) -> Self {
        let words: Vec<String> = words(text).map(str::to_lowercase).collect();
        Self {
            words: words.len(),
            has_passage: has_passage(&words),
            known: { words.iter() }
                .filter(|it| VOCABULARY.contains(it.as_str()))
                .count(),
        }
    }

    fn is_placeholder(&self) -> bool {
        (self.has_passage && 2 * self.known >= self.words)
            || (self.words >= MIN_GENERATED_WORDS && 5 * self.known >= 4 * self.words)
    }
}

fn has_passage(words: &[String]) -> bool {
    let is_in_order = |run: &[String]| SEQUENCE.windows(MIN_RUN_WORDS).any(|it| it == run);
    words.windows(MIN_RUN_WORDS).any(is_in_order)
}

/// Whether a block is shown as an example: code and quotations are.
const fn is_example(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Preformatted | BlockKind::Quote)
}

/// Words of the blocks that are placeholder text; 0 if none has the passage.
fn placeholder_words(page: &PageContent) -> usize {
    let quoted = |it: &Block| {
        page.text
            .inline_quotations
            .iter()
            .any(|q| it.text.contains(q.as_str()))
    };
    let read: Vec<BlockStats> = { page.text.main.blocks.iter() }
        .filter(|it| !is_example(it) && !quoted(it))
        .map(|it| BlockStats::of(&it.text))
        .filter(BlockStats::is_placeholder)
        .collect();
    if read.iter().any(|it| it.has_passage) {
        read.iter().map(|it| it.words).sum()
    } else {
        0
    }
}

/// Whether a page is about placeholder text: its title, code or a real sentence names it.
fn is_about_placeholders(page: &PageContent) -> bool {
    let names_it = |text: &str| words(text).any(|it| it.eq_ignore_ascii_case("lorem"));
    let speaks = |it: &Block| is_example(it) || !BlockStats::of(&it.text).is_placeholder();
    page.title().is_some_and(names_it) || { page.text.main.blocks.iter() }
        .any(|it| names_it(&it.text) && speaks(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::PageContext;
    use crate::findings::sample_pages::{page, set_title};
    use crate::observation::web_site::CrawlScope;
    use crate::page_kind::PageKind;
    use BlockKind::{Heading, ListItem, Paragraph, Preformatted, Quote};

    const CLASSICAL: &str =
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.";
    const GENERATED_NEXT: &str =
        "Donec vitae ligula at justo dapibus tempor. Vestibulum ante ipsum primis in faucibus.";
    const HONEST: &str = "Our potters have tried all of these glazes for years and say here which of them last longest.";

    fn severity(title: &str, blocks: &[(BlockKind, &str)]) -> Option<Severity> {
        let mut page = page("https://example.com/page", blocks);
        set_title(&mut page, title);
        let context = PageContext {
            kind: PageKind::Other,
            scope: &CrawlScope::from_host("example.com"),
            schema: None,
            vitals: &[],
            keywords: &[],
            has_traffic: None,
        };
        let subject = Subject {
            page: &page,
            context: &context,
            url: None,
            is_loopback: false,
        };
        let mut found = IssueCollector::default();
        find(&subject, &page.text.main.text(), &mut found);
        found.finished().first().map(|it| it.severity)
    }

    #[test]
    fn placeholder_text_as_content_is_an_error() {
        for blocks in [
            vec![(Paragraph, CLASSICAL)],
            vec![
                (Paragraph, HONEST),
                (Paragraph, CLASSICAL),
                (Paragraph, GENERATED_NEXT),
            ],
            vec![
                (Heading(2), "Lorem ipsum dolor sit amet"),
                (Paragraph, HONEST),
            ],
        ] {
            assert_eq!(
                severity("Glaze", &blocks),
                Some(Severity::Error),
                "{blocks:?}"
            );
        }
    }

    #[test]
    fn a_little_placeholder_text_is_a_warning() {
        let long = [HONEST; 6].join(" ");
        let blocks = [
            (Paragraph, long.as_str()),
            (ListItem, "Lorem ipsum dolor sit amet"),
        ];
        assert_eq!(severity("Glaze", &blocks), Some(Severity::Warning));
    }

    #[test]
    fn pages_about_placeholder_text_have_no_issue() {
        for blocks in [
            vec![(Paragraph, HONEST), (Preformatted, CLASSICAL)],
            vec![(Paragraph, HONEST), (Quote, CLASSICAL)],
            vec![
                (Paragraph, HONEST),
                (Paragraph, "The tag {% lorem %} writes lorem ipsum."),
            ],
            vec![
                (Paragraph, "The tag lorem writes this text:"),
                (Paragraph, CLASSICAL),
                (Paragraph, HONEST),
            ],
            vec![(
                Paragraph,
                "Designers begin with “lorem ipsum dolor sit amet” and often leave it there for months.",
            )],
        ] {
            assert_eq!(severity("Glaze", &blocks), None, "{blocks:?}");
        }
        let blocks = [(Paragraph, HONEST), (Paragraph, CLASSICAL)];
        assert_eq!(severity("Where lorem ipsum comes from", &blocks), None);
        let latin = [(
            Paragraph,
            "Neque porro quisquam est qui dolorem ipsum quia dolor sit amet, consectetur, adipisci velit. Lorem ipsum.",
        )];
        assert_eq!(severity("Cicero", &latin), None);
    }

    #[test]
    fn inline_quotations_are_not_placeholder_text() {
        let mut page = page(
            "https://example.com/page",
            &[(Paragraph, CLASSICAL), (Paragraph, HONEST)],
        );
        page.text.inline_quotations =
            vec!["Lorem ipsum dolor sit amet, consectetur adipiscing elit".to_owned()];
        assert_eq!(placeholder_words(&page), 0);
    }
}
