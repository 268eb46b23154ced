//! Prose of an answer: code, URLs and link targets become spaces byte by byte, so that offsets stay valid.

use crate::{observation::ai_answer::TextSpan, url_rules};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    /// Same length as the original in bytes.
    pub text: String,
    /// Sorted.
    pub masked: Vec<TextSpan>,
    /// As written.
    pub links: Vec<TextLink>,
    pub hosts: Vec<TextHost>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLink {
    pub span: TextSpan,
    /// With a scheme.
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextHost {
    pub span: TextSpan,
    /// In lower case.
    pub host: String,
}

/// In bytes.
const MAX_INLINE_BYTES: usize = 2_000;

impl Prose {
    /// `text` is Markdown.
    pub fn of(text: &str) -> Self {
        let mut found = Self {
            text: String::new(),
            masked: Vec::new(),
            links: Vec::new(),
            hosts: Vec::new(),
        };
        found.mask_code_blocks(text);
        found.mask_lines(text);
        found.masked.sort_unstable();
        found.text = masked_text(text, &found.masked);
        found
    }

    fn mask(&mut self, start: usize, end: usize) {
        self.masked.push(TextSpan { start, end });
    }

    /// Fenced blocks (to the end of the text if not closed) and `<pre>`.
    fn mask_code_blocks(&mut self, text: &str) {
        let mut open: Option<(usize, &str)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_start();
            let fence = ["```", "~~~"].into_iter().find(|it| bare.starts_with(it));
            match (open, fence) {
                (None, Some(fence)) if !bare[fence.len()..].contains('`') => {
                    open = Some((at, fence));
                }
                (Some((start, opened)), Some(fence)) if opened == fence => {
                    self.mask(start, at + line.len());
                    open = None;
                }
                _ => {}
            }
            at += line.len();
        }
        if let Some((start, _)) = open {
            self.mask(start, text.len());
        }
        let mut at = 0;
        while let Some(start) = text[at..].find("<pre").map(|it| at + it) {
            let end = text[start..].find("</pre>");
            let end = end.map_or(text.len(), |it| start + it + "</pre>".len());
            self.mask(start, end);
            at = end;
        }
    }

    fn mask_lines(&mut self, text: &str) {
        let mut blocks = self.masked.clone();
        blocks.sort_unstable();
        let mut at = 0;
        for block in blocks {
            if at < block.start {
                self.mask_inline(text, at, block.start);
            }
            at = at.max(block.end);
        }
        if at < text.len() {
            self.mask_inline(text, at, text.len());
        }
    }

    fn mask_inline(&mut self, text: &str, from: usize, to: usize) {
        let bytes = text.as_bytes();
        let mut at = from;
        let mut token = from;
        while at < to {
            let skip = match bytes[at] {
                b'`' => end_of_code(bytes, at, to),
                b']' if bytes[at..to].starts_with(b"](") => {
                    let end = end_of_target(bytes, at + 2, to);
                    if let Some(end) = end {
                        self.add_target(text, at + 2, end - 1);
                    }
                    end
                }
                _ => None,
            };
            if let Some(end) = skip {
                self.add_token(text, token, at);
                self.mask(at, end);
                (at, token) = (end, end);
                continue;
            }
            // Skip an unclosed run of backticks at once, so that the scan stays linear.
            let backticks = bytes[at..to].iter().take_while(|it| **it == b'`').count();
            if backticks > 0 {
                self.add_token(text, token, at);
                at += backticks;
                token = at;
                continue;
            }
            let length = character_length(bytes[at]);
            if is_between_tokens(&text[at..at + length]) {
                self.add_token(text, token, at);
                token = at + length;
            }
            at += length;
        }
        self.add_token(text, token, to);
    }

    fn add_target(&mut self, text: &str, start: usize, end: usize) {
        let target = text[start..end].trim_start();
        let at = end - target.len();
        let url = target.split_whitespace().next().unwrap_or_default();
        let bare = url.trim_matches(['<', '>']);
        if is_web(bare) {
            let span = TextSpan {
                start: at,
                end: at + url.len(),
            };
            self.links.push(TextLink {
                span,
                url: bare.to_owned(),
            });
        }
    }

    fn add_token(&mut self, text: &str, start: usize, end: usize) {
        let whole = &text[start..end];
        if !whole.contains(['.', '@', ':']) {
            return;
        }
        let left = whole.trim_start_matches(is_wrapping);
        let start = end - left.len();
        let bare = left.trim_end_matches(is_wrapping);
        let end = start + bare.len();
        let span = TextSpan { start, end };
        if let Some(scheme) = bare.find("://") {
            self.mask(start, end);
            let url = &bare[scheme_start(bare, scheme)..];
            if is_web(url) {
                self.links.push(TextLink {
                    span,
                    url: url.to_owned(),
                });
            }
            return;
        }
        if is_mail(bare) {
            self.mask(start, end);
            return;
        }
        let Some((host_end, is_page)) = host_in(bare) else {
            return;
        };
        if is_page {
            self.mask(start, end);
            let url = format!("https://{bare}");
            self.links.push(TextLink { span, url });
        } else {
            let span = TextSpan {
                start,
                end: start + host_end,
            };
            self.mask(span.start, span.end);
            let host = bare[..host_end].to_lowercase();
            self.hosts.push(TextHost { span, host });
        }
    }
}

fn masked_text(text: &str, masked: &[TextSpan]) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut at = 0;
    for hole in masked {
        if hole.start > at {
            prose.push_str(&text[at..hole.start]);
            at = hole.start;
        }
        if hole.end > at {
            let gone = text[at..hole.end].bytes();
            prose.extend(gone.map(|it| if it == b'\n' { '\n' } else { ' ' }));
            at = hole.end;
        }
    }
    prose.push_str(&text[at..]);
    prose
}

/// On the same line and within [`MAX_INLINE_BYTES`].
fn end_of_code(bytes: &[u8], at: usize, to: usize) -> Option<usize> {
    let run = |from: usize| bytes[from..to].iter().take_while(|it| **it == b'`').count();
    let open = run(at);
    let mut look = at + open;
    let farthest = to.min(look + MAX_INLINE_BYTES);
    while look < farthest && bytes[look] != b'\n' {
        if bytes[look] == b'`' {
            let length = run(look);
            if length == open {
                return Some(look + length);
            }
            look += length;
        } else {
            look += 1;
        }
    }
    // Unclosed backticks start no code.
    None
}

fn end_of_target(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let mut depth = 1;
    for (at, byte) in bytes[..to.min(from + MAX_INLINE_BYTES)]
        .iter()
        .enumerate()
        .skip(from)
    {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

const fn character_length(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

fn is_between_tokens(character: &str) -> bool {
    character.starts_with(|it: char| {
        it.is_whitespace()
            || matches!(
                it,
                '<' | '>'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '|'
                    | '"'
                    | '`'
                    | ','
                    | ';'
                    | '\''
                    | '’'
                    | '“'
                    | '”'
                    | '„'
                    | '«'
                    | '»'
                    | '–'
                    | '—'
                    | '…'
                    | '\u{200b}'
            )
    })
}

fn is_wrapping(letter: char) -> bool {
    matches!(letter, '.' | ':' | '!' | '?' | '*' | '_' | '~' | '#' | '/')
}

fn scheme_start(token: &str, at: usize) -> usize {
    let letters = token[..at].bytes().rev();
    at - letters.take_while(u8::is_ascii_alphabetic).count()
}

fn is_web(url: &str) -> bool {
    let begins = |it: &str| {
        url.get(..it.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(it))
    };
    begins("https://") || begins("http://")
}

fn is_mail(token: &str) -> bool {
    token
        .rsplit_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
        || token.starts_with("mailto:")
}

/// End of the host, and whether a path, query, fragment or port follows.
fn host_in(token: &str) -> Option<(usize, bool)> {
    let end = token.find(['/', '?', '#', ':']).unwrap_or(token.len());
    let host = &token[..end];
    let last = host.rfind('.')? + 1;
    // Hungarian appends endings to hosts with a hyphen: "nordika.com-on".
    let tail = host[last..].find('-').map_or(host.len(), |it| last + it);
    let (host, suffix) = (&host[..tail], &host[last..tail]);
    let labels_are_well = host.split('.').all(|label| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.chars().all(|it| it.is_alphanumeric() || it == '-')
    });
    let is_written_small =
        !suffix.chars().any(char::is_uppercase) || !host.chars().any(char::is_lowercase);
    let is_suffix = suffix.len() >= 2 && suffix.chars().all(char::is_alphabetic);
    if !(labels_are_well && is_written_small && is_suffix) {
        return None;
    }
    let lower = host.to_lowercase();
    let is_known = url_rules::has_known_suffix(&lower);
    let is_name = is_known && url_rules::registrable_domain(&lower).is_some();
    let is_page = token.len() > end + 1 && tail == end;
    is_name.then_some((tail, is_page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prose(text: &str) -> String {
        Prose::of(text)
            .text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn code_and_urls_are_masked() {
        assert_eq!(prose("Run `acme sync` and ``a ` b`` now"), "Run and now");
        assert_eq!(prose("a\n```rust\nuse acme;\n```\nb"), "a b");
        assert_eq!(prose("a\n~~~\nacme"), "a");
        assert_eq!(
            prose("see [the test](https://x.org/acme_(shop)) here"),
            "see [the test here"
        );
        assert_eq!(prose("mail to info@acme.com, please"), "mail to , please");
        assert_eq!(prose("at https://acme.com/a?b=c."), "at .");
        assert_eq!(prose("(acme.com/sofas)"), "( )");
        assert_eq!(prose("an open ` only"), "an open ` only");
        assert_eq!(
            prose("Node.js and e.g. this.The 3.5 z.B. end"),
            "Node.js and e.g. this.The 3.5 z.B. end"
        );
    }

    #[test]
    fn links_and_hosts_are_distinguished() {
        let found = Prose::of(
            "[A](https://acme.com/x \"t\") www.acme.co.uk/y, shop.acme.de. fixlo.com-on ACME.COM",
        );
        let urls: Vec<&str> = found.links.iter().map(|it| it.url.as_str()).collect();
        assert_eq!(urls, ["https://acme.com/x", "https://www.acme.co.uk/y"]);
        let hosts: Vec<&str> = found.hosts.iter().map(|it| it.host.as_str()).collect();
        assert_eq!(hosts, ["shop.acme.de", "fixlo.com", "acme.com"]);
    }

    proptest! {
        #[test]
        fn masking_keeps_byte_offsets(text in "([a-z.ěß]{1,6}|[ `*_()\\[\\]:/@.\n]|https://|```|www\\.){0,60}") {
            let found = Prose::of(&text);
            prop_assert_eq!(found.text.len(), text.len());
            for hole in &found.masked {
                prop_assert!(hole.start <= hole.end && hole.end <= text.len());
            }
            for host in &found.hosts {
                prop_assert_eq!(text[host.span.start..host.span.end].to_lowercase(), host.host.clone());
            }
        }
    }
}
