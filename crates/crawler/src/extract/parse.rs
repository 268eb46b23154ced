//! Parsing with positions: html5ever does not report where a tag begins, so the source is fed in pieces that begin at
//! `<`, and a tag begins at the first piece that no earlier token consumed.

use super::dom::{Dom, Handle, MAX_ATTRIBUTES, NodeId, Pending, Sink, SourcePosition};
use html5ever::interface::TreeSink;
use html5ever::tendril::{SliceExt, StrTendril};
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{QualName, TokenizerResult, ns};
use std::cell::{Cell, RefCell};

/// Beyond this many nodes or this depth, a page is read without structure; its links still count.
const MAX_NODES: usize = 80_000;
const MAX_DEPTH: u32 = 512;
/// Elements read without structure.
const MAX_FLAT_ELEMENTS: usize = 20_000;
/// Attributes per page; beyond it, elements without structure are dropped too.
const MAX_PAGE_ATTRIBUTES: usize = 250_000;
/// Bytes of text, without scripts and style sheets: about 350,000 words.
const MAX_TEXT: usize = 2 << 20;

pub struct Parsed {
    pub dom: Dom,
    pub limited: bool,
    /// Whether elements without structure were dropped, which may have been links.
    pub links_left_out: bool,
    /// `None` without a tag that was meant to end the head.
    pub head_end: Option<HeadEnd>,
}

/// The tag that was meant to end the head: `</head>`, or else `<body>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadEnd {
    pub position: SourcePosition,
    pub ended_early_by: Option<HeadEndCause>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadEndCause {
    Content,
    /// Content inside `noscript`, which parsers with scripting ignore.
    Noscript,
}

pub fn parse(source: &str) -> Parsed {
    parse_source(&source.to_tendril())
}

/// Parses without copying: text nodes share the tendril's buffer.
pub fn parse_source(source: &StrTendril) -> Parsed {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let sink = PositionSink {
        builder: TreeBuilder::new(Sink::new(), options),
        source: source.clone(),
        starts: RefCell::default(),
        taken: Cell::new(0),
        is_raw: Cell::new(false),
        text: Cell::new(0),
        attributes: Cell::new(0),
        flat_elements: Cell::new(0),
        limited: Cell::new(false),
        left_out: Cell::new(false),
        frozen: Cell::new(None),
        open_link: Cell::new(None),
        noscript: Cell::new(Noscript::None),
        head_end: Cell::new(None),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut pieces = Pieces::of(source);
    while let Some(piece) = pieces.next() {
        let is_tag = tokenizer.sink.is_between_tokens();
        tokenizer
            .sink
            .begin_piece(piece.position, piece.from as usize);
        let tag = &source[piece.from as usize..];
        if let Some(overlong) = is_tag.then(|| overlong_tag(tag)).flatten() {
            // The parser compares each attribute with all others of its tag.
            queue.push_back(source.subtendril(piece.from, overlong.cut));
            pieces.resume_at(&piece, overlong.end);
            tokenizer.sink.limited.set(true);
        } else {
            queue.push_back(source.subtendril(piece.from, piece.length));
        }
        while let TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) =
            tokenizer.feed(&queue)
        {}
    }
    tokenizer.end();
    let limited = tokenizer.sink.frozen.get().is_some() || tokenizer.sink.limited.get();
    let links_left_out = tokenizer.sink.left_out.get();
    let head_end = tokenizer.sink.head_end.get();
    Parsed {
        dom: tokenizer.sink.builder.sink.finish(),
        limited,
        links_left_out,
        head_end,
    }
}

struct Pieces<'a> {
    source: &'a str,
    at: usize,
    position: SourcePosition,
}

struct Piece {
    from: u32,
    length: u32,
    position: SourcePosition,
}

impl<'a> Pieces<'a> {
    fn of(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            position: SourcePosition { line: 1, column: 1 },
        }
    }

    fn resume_at(&mut self, piece: &Piece, behind: u32) {
        let (from, behind) = (piece.from as usize, behind as usize);
        self.position = piece.position;
        self.advance(&self.source[from..from + behind]);
        self.at = from + behind;
    }

    fn advance(&mut self, text: &str) {
        match text.rsplit_once('\n') {
            Some((before, last)) => {
                self.position.line += 1 + to_u32(before.matches('\n').count());
                self.position.column = 1 + to_u32(last.chars().count());
            }
            None => self.position.column += to_u32(text.chars().count()),
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let rest = &self.source[self.at..];
        let first = rest.chars().next()?;
        let after_first = first.len_utf8();
        let length = rest[after_first..]
            .find('<')
            .map_or(rest.len(), |it| it + after_first);
        let piece = Piece {
            from: to_u32(self.at),
            length: to_u32(length),
            position: self.position,
        };
        self.advance(&rest[..length]);
        self.at += length;
        Some(piece)
    }
}

struct OverlongTag {
    /// Offset of the first excess attribute.
    cut: u32,
    /// Offset of the tag's `>`, or of the dashes before it if it ends a comment.
    end: u32,
}

/// The tag at the beginning of a text, if it has too many attributes (HTML, 13.2.5.32 to 13.2.5.40).
fn overlong_tag(text: &str) -> Option<OverlongTag> {
    let bytes = text.as_bytes();
    let name = bytes.get(1).filter(|it| **it != b'/').or(bytes.get(2))?;
    if !name.is_ascii_alphabetic() {
        return None;
    }
    let is_blank = |it: u8| it.is_ascii_whitespace() || it == b'/';
    let find = |from: usize, predicate: &dyn Fn(u8) -> bool| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter()
            .position(|it| predicate(*it))
            .map_or(bytes.len(), |it| from + it)
    };
    let mut at = find(1, &|it| it == b'>' || it.is_ascii_whitespace());
    let (mut count, mut cut) = (0, None);
    loop {
        at = find(at, &|it| !is_blank(it));
        if at >= bytes.len() || bytes[at] == b'>' {
            break;
        }
        count += 1;
        if count > MAX_ATTRIBUTES && cut.is_none() {
            cut = Some(at);
        }
        at = find(at + 1, &|it| is_blank(it) || matches!(it, b'>' | b'='));
        let value = find(at, &|it| !it.is_ascii_whitespace());
        if bytes.get(value) != Some(&b'=') {
            continue;
        }
        at = find(value + 1, &|it| !it.is_ascii_whitespace());
        at = match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => find(at + 1, &|it| it == *quote) + 1,
            _ => find(at, &|it| it.is_ascii_whitespace() || it == b'>'),
        };
    }
    let cut = cut?;
    let end = at.min(bytes.len());
    let end = if bytes[..end].ends_with(b"--") {
        end - 2
    } else {
        end
    };
    Some(OverlongTag {
        cut: to_u32(cut),
        end: to_u32(end.max(cut)),
    })
}

/// Bodies end at 10 MiB, long before this saturates.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Position after the first `>` outside quoted values.
fn end_of_tag(text: &str, begins: SourcePosition) -> SourcePosition {
    let SourcePosition {
        mut line,
        mut column,
    } = begins;
    let (mut quote, mut after_equals) = (None, false);
    for it in text.chars() {
        if it == '\n' {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
        match (quote, it) {
            (None, '>') => break,
            (None, '"' | '\'') if after_equals => quote = Some(it),
            (Some(open), _) if open == it => quote = None,
            _ => {}
        }
        after_equals = quote.is_none() && (it == '=' || after_equals && it.is_ascii_whitespace());
    }
    SourcePosition { line, column }
}

/// The last character boundary within `max_bytes`.
fn cut_at(text: &str, max_bytes: usize) -> usize {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

struct PositionSink {
    builder: TreeBuilder<Handle, Sink>,
    source: StrTendril,
    /// Position and source offset of each piece.
    starts: RefCell<Vec<(SourcePosition, usize)>>,
    taken: Cell<usize>,
    /// Whether raw text up to an end tag follows.
    is_raw: Cell<bool>,
    /// Bytes of text so far.
    text: Cell<usize>,
    attributes: Cell<usize>,
    flat_elements: Cell<usize>,
    limited: Cell<bool>,
    left_out: Cell<bool>,
    /// Parent of further elements, once the limits are reached.
    frozen: Cell<Option<NodeId>>,
    /// The link of which the text is read without structure.
    open_link: Cell<Option<NodeId>>,
    /// State of the first `noscript` of the head.
    noscript: Cell<Noscript>,
    head_end: Cell<Option<HeadEnd>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noscript {
    None,
    Open,
    BeganBody,
}

impl TokenSink for PositionSink {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if matches!(token, Token::ParseError(_)) {
            return self.builder.process_token(token, line);
        }
        let (place, offset) = self.take_position();
        let token = match token {
            Token::CharacterTokens(text) => {
                let Some(text) = self.within_text_limit(text) else {
                    return TokenSinkResult::Continue;
                };
                Token::CharacterTokens(text)
            }
            other => other,
        };
        let is_end = matches!(&token, Token::TagToken(tag) if tag.kind == TagKind::EndTag);
        let result = self.process_positioned(token, line, place, offset);
        match result {
            TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext => self.is_raw.set(true),
            _ if is_end => self.is_raw.set(false),
            _ => {}
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.frozen.get().is_none()
            && self
                .builder
                .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl PositionSink {
    /// Whether a `<` may begin a tag: all input has become tokens.
    fn is_between_tokens(&self) -> bool {
        !self.is_raw.get() && self.taken.get() == self.starts.borrow().len()
    }

    fn begin_piece(&self, place: SourcePosition, offset: usize) {
        let mut starts = self.starts.borrow_mut();
        let taken = starts.len();
        if self.taken.get() == taken && taken > 1 {
            starts.drain(..taken - 1);
            self.taken.set(1);
        }
        starts.push((place, offset));
    }

    fn within_text_limit(&self, text: StrTendril) -> Option<StrTendril> {
        if self.is_raw.get() {
            return Some(text);
        }
        let known = self.text.get();
        if known >= MAX_TEXT {
            self.limited.set(true);
            return None;
        }
        self.text.set(known + text.len());
        let kept = cut_at(&text, MAX_TEXT - known);
        if kept == text.len() {
            return Some(text);
        }
        self.limited.set(true);
        Some(text.subtendril(0, to_u32(kept)))
    }

    fn process_positioned(
        &self,
        token: Token,
        line: u64,
        place: SourcePosition,
        offset: usize,
    ) -> TokenSinkResult<Handle> {
        if let Token::TagToken(tag) = &token {
            self.attributes.set(self.attributes.get() + tag.attrs.len());
        }
        if let Some(parent) = self.frozen.get() {
            return self.read_without_structure(parent, token, place);
        }
        if self.head_end.get().is_none() {
            self.watch_head(&token, place);
        }
        let sink = &self.builder.sink;
        *sink.pending.borrow_mut() = match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => Some(Pending {
                name: tag.name.clone(),
                attributes: (&*tag.name == "a").then(|| tag.attrs.clone()),
                position: place,
                script: (&*tag.name == "script").then(|| end_of_tag(&self.source[offset..], place)),
            }),
            _ => None,
        };
        let result = self.builder.process_token(token, line);
        let is_full = sink.len() > MAX_NODES
            || sink.depth.get() > MAX_DEPTH
            || self.attributes.get() > MAX_PAGE_ATTRIBUTES;
        if is_full {
            self.frozen.set(Some(sink.last.get()));
        }
        result
    }

    fn watch_head(&self, token: &Token, place: SourcePosition) {
        let Token::TagToken(tag) = token else {
            return;
        };
        let has_body = self.builder.sink.has_body.get();
        match (tag.kind, &*tag.name) {
            (TagKind::EndTag, "head") | (TagKind::StartTag, "body") => {
                let ender = if self.noscript.get() == Noscript::BeganBody {
                    HeadEndCause::Noscript
                } else {
                    HeadEndCause::Content
                };
                self.head_end.set(Some(HeadEnd {
                    position: place,
                    ended_early_by: has_body.then_some(ender),
                }));
            }
            (TagKind::StartTag, "noscript") if !has_body => self.noscript.set(Noscript::Open),
            (TagKind::EndTag, "noscript") if self.noscript.get() == Noscript::Open => {
                self.noscript.set(if has_body {
                    Noscript::BeganBody
                } else {
                    Noscript::None
                });
            }
            _ => {}
        }
    }

    fn take_position(&self) -> (SourcePosition, usize) {
        let starts = self.starts.borrow();
        let first = starts.get(self.taken.get()).or_else(|| starts.last());
        let place = first.copied();
        self.taken.set(starts.len());
        place.unwrap_or((SourcePosition { line: 1, column: 1 }, 0))
    }

    fn read_without_structure(
        &self,
        parent: NodeId,
        token: Token,
        place: SourcePosition,
    ) -> TokenSinkResult<Handle> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                self.keep_flat(parent, tag, place)
            }
            Token::TagToken(tag) if &*tag.name == "a" => {
                self.open_link.set(None);
                TokenSinkResult::Continue
            }
            Token::CharacterTokens(text) => {
                self.keep_flat_text(text);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn keep_flat(
        &self,
        parent: NodeId,
        tag: Tag,
        place: SourcePosition,
    ) -> TokenSinkResult<Handle> {
        let result = match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        };
        if tag.attrs.is_empty() {
            return result;
        }
        let is_full = self.flat_elements.get() >= MAX_FLAT_ELEMENTS
            || self.attributes.get() > MAX_PAGE_ATTRIBUTES;
        if is_full {
            self.left_out.set(true);
            return result;
        }
        self.flat_elements.set(self.flat_elements.get() + 1);
        let is_link = &*tag.name == "a";
        let name = QualName::new(None, ns!(html), tag.name);
        let sink = &self.builder.sink;
        let id = sink.append_flat(parent, name, tag.attrs, place);
        if is_link {
            self.open_link.set(Some(id));
        }
        result
    }

    fn keep_flat_text(&self, text: StrTendril) {
        if let Some(link) = self.open_link.get() {
            self.builder.sink.append_flat_text(link, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Kind;

    /// Name and position of every element that has one, in document order.
    fn places(source: &str) -> Vec<String> {
        let dom = parse(source).dom;
        let described = dom.order.iter().filter_map(|&id| {
            let place = dom.position(id)?;
            Some(format!("{}@{}:{}", dom.name(id)?, place.line, place.column))
        });
        described.collect()
    }

    #[test]
    fn tag_positions_are_lines_and_character_columns() {
        assert_eq!(
            places("<p>ä<a href=x>\n  <b>y</b></a>"),
            ["p@1:1", "a@1:5", "b@2:3"]
        );
    }

    #[test]
    fn angle_brackets_outside_tags_do_not_shift_positions() {
        assert_eq!(places("<!-- <a> -->\n<a title='<a <b'>"), ["a@2:1"]);
        assert_eq!(
            places("<script>if (a<b) '<a href=x>'</script><a href=y>"),
            ["script@1:1", "a@1:39"]
        );
        assert_eq!(places("1 < 2 <i>&am<b>"), ["i@1:7", "b@1:13"]);
        assert_eq!(
            places("<textarea><a></textarea><a>"),
            ["textarea@1:1", "a@1:25"]
        );
    }

    #[test]
    fn the_text_of_a_script_begins_after_its_tag() {
        let text_at = |source: &str| {
            let dom = parse(source).dom;
            let script = (0..dom.nodes.len()).find(|it| dom.is_html(*it, "script"));
            let place = dom.script_position(script.unwrap()).unwrap();
            (place.line, place.column)
        };
        assert_eq!(text_at("<p>ä<script>1</script>"), (1, 13));
        assert_eq!(text_at("<script\n data-x='<a>\n' id = \">\"\n>1"), (4, 2));
    }

    #[test]
    fn repeated_elements_have_one_position() {
        assert_eq!(
            places("<a href=1><p>x</a>y<a href=2>z")
                .iter()
                .filter(|it| it.starts_with('a'))
                .count(),
            2
        );
        assert_eq!(
            places("<a href=1><div>x<a href=2>y</a></div>")
                .iter()
                .filter(|it| it.starts_with('a'))
                .collect::<Vec<_>>(),
            ["a@1:1", "a@1:17"]
        );
    }

    #[test]
    fn only_tags_with_too_many_attributes_are_cut() {
        let many = |count: usize| {
            let all: Vec<String> = (0..count).map(|it| format!("a{it}=</{it} ")).collect();
            all.concat()
        };
        let attributes_of = |source: &str, wanted: &str| {
            let parsed = parse(source);
            let element = parsed.dom.elements(wanted).next().unwrap();
            let Kind::Element { attributes, .. } = &parsed.dom.nodes[element].kind else {
                panic!("an element is one");
            };
            (attributes.len(), parsed.limited)
        };
        assert_eq!(
            attributes_of(&format!("<p {}>", many(MAX_ATTRIBUTES)), "p"),
            (250, false)
        );
        let source = format!("<p {}\n x='>'>y<a href=z>", many(9_000));
        assert_eq!(attributes_of(&source, "p"), (250, true));
        let place = parse(&source).dom;
        let link = place.elements("a").next().unwrap();
        assert_eq!(
            place.position(link),
            Some(SourcePosition { line: 2, column: 9 })
        );
        // Words outside tags are not cut.
        for text in [
            "<script>i <p {} </script>",
            "<!-- <p {} --><b>",
            "<textarea><p {} ></textarea>",
        ] {
            let parsed = parse(&(text.replace("{}", &many(400)) + "<a href=z>end</a>"));
            assert_eq!(parsed.dom.elements("a").count(), 1, "{text}");
            assert_eq!(parsed.dom.elements("p").count(), 0, "{text}");
        }
        let script = format!("<script>x <p {}</script>", "word ".repeat(400));
        let dom = parse(&script).dom;
        let kept = dom.nodes.iter().find_map(|it| match &it.kind {
            Kind::Text(text) => Some(text.len()),
            _ => None,
        });
        assert_eq!(kept, Some(script.len() - "<script></script>".len()));
    }

    #[test]
    fn endless_text_is_cut_at_a_character_boundary() {
        let parsed = parse(&("<p>x".to_owned() + &"語".repeat(MAX_TEXT) + "<b>y"));
        let text: usize = { parsed.dom.nodes.iter() }
            .map(|it| match &it.kind {
                Kind::Text(text) => text.len(),
                _ => 0,
            })
            .sum();
        assert!(
            parsed.limited && (MAX_TEXT - 3..=MAX_TEXT).contains(&text),
            "{text}"
        );
        assert_eq!(parsed.dom.elements("b").count(), 1);
    }

    #[test]
    fn links_beyond_the_nesting_limit_are_kept() {
        let deep = "<div><b>".repeat(100_000) + "<a href=x>end</a>";
        let parsed = parse(&deep);
        assert!(parsed.limited && parsed.dom.nodes.len() < 2 * MAX_NODES);
        let link = (0..parsed.dom.nodes.len())
            .find(|it| parsed.dom.is_html(*it, "a"))
            .unwrap();
        assert_eq!(
            parsed.dom.position(link),
            Some(SourcePosition {
                line: 1,
                column: 800_001
            })
        );
    }
}
