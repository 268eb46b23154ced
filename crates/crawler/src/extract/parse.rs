//! Parsing with positions: html5ever does not report where a tag begins, so the source is fed in pieces that begin at
//! `<`, and a tag begins at the first piece that no earlier token consumed.

use super::dom::{Dom, Handle, MOST_ATTRIBUTES, NodeId, Pending, Sink, TagPlace};
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
const MOST_NODES: usize = 80_000;
const MOST_DEPTH: u32 = 512;
/// Elements read without structure.
const MOST_LOOSE: usize = 20_000;
/// Attributes per page; beyond it, elements without structure are dropped too.
const MOST_OF_ALL_ATTRIBUTES: usize = 250_000;
/// Bytes of text, without scripts and style sheets: about 350,000 words.
const MOST_TEXT: usize = 2 << 20;

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
    pub place: TagPlace,
    pub earlier: Option<Ender>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ender {
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
    let sink = PlacingSink {
        builder: TreeBuilder::new(Sink::new(), options),
        source: source.clone(),
        starts: RefCell::default(),
        taken: Cell::new(0),
        is_raw: Cell::new(false),
        text: Cell::new(0),
        attributes: Cell::new(0),
        loose: Cell::new(0),
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
        tokenizer.sink.begin_piece(piece.place, piece.from as usize);
        let tag = &source[piece.from as usize..];
        if let Some(overlong) = is_tag.then(|| overlong(tag)).flatten() {
            // The parser compares each attribute with all others of its tag.
            queue.push_back(source.subtendril(piece.from, overlong.cut));
            pieces.go_on_at(&piece, overlong.end);
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
    place: TagPlace,
}

struct Piece {
    from: u32,
    length: u32,
    place: TagPlace,
}

impl<'a> Pieces<'a> {
    fn of(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            place: TagPlace { line: 1, column: 1 },
        }
    }

    fn go_on_at(&mut self, piece: &Piece, behind: u32) {
        let (from, behind) = (piece.from as usize, behind as usize);
        self.place = piece.place;
        self.pass(&self.source[from..from + behind]);
        self.at = from + behind;
    }

    fn pass(&mut self, text: &str) {
        match text.rsplit_once('\n') {
            Some((before, last)) => {
                self.place.line += 1 + small(before.matches('\n').count());
                self.place.column = 1 + small(last.chars().count());
            }
            None => self.place.column += small(text.chars().count()),
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
            from: small(self.at),
            length: small(length),
            place: self.place,
        };
        self.pass(&rest[..length]);
        self.at += length;
        Some(piece)
    }
}

struct Overlong {
    /// Offset of the first excess attribute.
    cut: u32,
    /// Offset of the tag's `>`, or of the dashes before it if it ends a comment.
    end: u32,
}

/// The tag at the beginning of a text, if it has too many attributes (HTML, 13.2.5.32 to 13.2.5.40).
fn overlong(text: &str) -> Option<Overlong> {
    let bytes = text.as_bytes();
    let name = bytes.get(1).filter(|it| **it != b'/').or(bytes.get(2))?;
    if !name.is_ascii_alphabetic() {
        return None;
    }
    let is_blank = |it: u8| it.is_ascii_whitespace() || it == b'/';
    let find = |from: usize, what: &dyn Fn(u8) -> bool| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter()
            .position(|it| what(*it))
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
        if count > MOST_ATTRIBUTES && cut.is_none() {
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
    Some(Overlong {
        cut: small(cut),
        end: small(end.max(cut)),
    })
}

/// Bodies end at 10 MiB, long before this saturates.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Position after the first `>` outside quoted values.
fn end_of_tag(text: &str, begins: TagPlace) -> TagPlace {
    let TagPlace {
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
    TagPlace { line, column }
}

/// The last character boundary within `most` bytes.
fn cut_at(text: &str, most: usize) -> usize {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

struct PlacingSink {
    builder: TreeBuilder<Handle, Sink>,
    source: StrTendril,
    /// Position and source offset of each piece.
    starts: RefCell<Vec<(TagPlace, usize)>>,
    taken: Cell<usize>,
    /// Whether raw text up to an end tag follows.
    is_raw: Cell<bool>,
    /// Bytes of text so far.
    text: Cell<usize>,
    attributes: Cell<usize>,
    loose: Cell<usize>,
    limited: Cell<bool>,
    left_out: Cell<bool>,
    /// Parent of further elements, once the limits are reached.
    frozen: Cell<Option<NodeId>>,
    /// The link whose text is read without structure.
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

impl TokenSink for PlacingSink {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if matches!(token, Token::ParseError(_)) {
            return self.builder.process_token(token, line);
        }
        let (place, offset) = self.take_place();
        let token = match token {
            Token::CharacterTokens(text) => {
                let Some(text) = self.taken_in(text) else {
                    return TokenSinkResult::Continue;
                };
                Token::CharacterTokens(text)
            }
            other => other,
        };
        let is_end = matches!(&token, Token::TagToken(tag) if tag.kind == TagKind::EndTag);
        let result = self.place_token(token, line, place, offset);
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

impl PlacingSink {
    /// Whether a `<` may begin a tag: all input has become tokens.
    fn is_between_tokens(&self) -> bool {
        !self.is_raw.get() && self.taken.get() == self.starts.borrow().len()
    }

    fn begin_piece(&self, place: TagPlace, offset: usize) {
        let mut starts = self.starts.borrow_mut();
        let taken = starts.len();
        if self.taken.get() == taken && taken > 1 {
            starts.drain(..taken - 1);
            self.taken.set(1);
        }
        starts.push((place, offset));
    }

    fn taken_in(&self, text: StrTendril) -> Option<StrTendril> {
        if self.is_raw.get() {
            return Some(text);
        }
        let known = self.text.get();
        if known >= MOST_TEXT {
            self.limited.set(true);
            return None;
        }
        self.text.set(known + text.len());
        let kept = cut_at(&text, MOST_TEXT - known);
        if kept == text.len() {
            return Some(text);
        }
        self.limited.set(true);
        Some(text.subtendril(0, small(kept)))
    }

    fn place_token(
        &self,
        token: Token,
        line: u64,
        place: TagPlace,
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
                place,
                script: (&*tag.name == "script").then(|| end_of_tag(&self.source[offset..], place)),
            }),
            _ => None,
        };
        let result = self.builder.process_token(token, line);
        let is_full = sink.len() > MOST_NODES
            || sink.depth.get() > MOST_DEPTH
            || self.attributes.get() > MOST_OF_ALL_ATTRIBUTES;
        if is_full {
            self.frozen.set(Some(sink.last.get()));
        }
        result
    }

    fn watch_head(&self, token: &Token, place: TagPlace) {
        let Token::TagToken(tag) = token else {
            return;
        };
        let has_body = self.builder.sink.has_body.get();
        match (tag.kind, &*tag.name) {
            (TagKind::EndTag, "head") | (TagKind::StartTag, "body") => {
                let ender = if self.noscript.get() == Noscript::BeganBody {
                    Ender::Noscript
                } else {
                    Ender::Content
                };
                self.head_end.set(Some(HeadEnd {
                    place,
                    earlier: has_body.then_some(ender),
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

    fn take_place(&self) -> (TagPlace, usize) {
        let starts = self.starts.borrow();
        let first = starts.get(self.taken.get()).or_else(|| starts.last());
        let place = first.copied();
        self.taken.set(starts.len());
        place.unwrap_or((TagPlace { line: 1, column: 1 }, 0))
    }

    fn read_without_structure(
        &self,
        parent: NodeId,
        token: Token,
        place: TagPlace,
    ) -> TokenSinkResult<Handle> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                self.keep_loose(parent, tag, place)
            }
            Token::TagToken(tag) if &*tag.name == "a" => {
                self.open_link.set(None);
                TokenSinkResult::Continue
            }
            Token::CharacterTokens(text) => {
                self.keep_loose_text(text);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn keep_loose(&self, parent: NodeId, tag: Tag, place: TagPlace) -> TokenSinkResult<Handle> {
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
        let is_full =
            self.loose.get() >= MOST_LOOSE || self.attributes.get() > MOST_OF_ALL_ATTRIBUTES;
        if is_full {
            self.left_out.set(true);
            return result;
        }
        self.loose.set(self.loose.get() + 1);
        let is_link = &*tag.name == "a";
        let name = QualName::new(None, ns!(html), tag.name);
        let sink = &self.builder.sink;
        let id = sink.append_loose(parent, name, tag.attrs, place);
        if is_link {
            self.open_link.set(Some(id));
        }
        result
    }

    fn keep_loose_text(&self, text: StrTendril) {
        if let Some(link) = self.open_link.get() {
            self.builder.sink.append_loose_text(link, text);
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
            let place = dom.place(id)?;
            Some(format!("{}@{}:{}", dom.name(id)?, place.line, place.column))
        });
        described.collect()
    }

    #[test]
    fn tags_are_placed_by_line_and_column_in_characters() {
        assert_eq!(
            places("<p>ä<a href=x>\n  <b>y</b></a>"),
            ["p@1:1", "a@1:5", "b@2:3"]
        );
    }

    #[test]
    fn comments_scripts_and_angle_brackets_in_attributes_do_not_move_places() {
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
            let place = dom.script_place(script.unwrap()).unwrap();
            (place.line, place.column)
        };
        assert_eq!(text_at("<p>ä<script>1</script>"), (1, 13));
        assert_eq!(text_at("<script\n data-x='<a>\n' id = \">\"\n>1"), (4, 2));
    }

    #[test]
    fn elements_that_the_parser_repeats_have_one_place() {
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
    fn tags_with_too_many_attributes_are_cut_and_nothing_else_is() {
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
            attributes_of(&format!("<p {}>", many(MOST_ATTRIBUTES)), "p"),
            (250, false)
        );
        let source = format!("<p {}\n x='>'>y<a href=z>", many(9_000));
        assert_eq!(attributes_of(&source, "p"), (250, true));
        let place = parse(&source).dom;
        let link = place.elements("a").next().unwrap();
        assert_eq!(place.place(link), Some(TagPlace { line: 2, column: 9 }));
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
    fn text_without_end_is_cut_between_characters() {
        let parsed = parse(&("<p>x".to_owned() + &"語".repeat(MOST_TEXT) + "<b>y"));
        let text: usize = { parsed.dom.nodes.iter() }
            .map(|it| match &it.kind {
                Kind::Text(text) => text.len(),
                _ => 0,
            })
            .sum();
        assert!(
            parsed.limited && (MOST_TEXT - 3..=MOST_TEXT).contains(&text),
            "{text}"
        );
        assert_eq!(parsed.dom.elements("b").count(), 1);
    }

    #[test]
    fn a_million_nested_or_flat_elements_are_survived_and_their_links_kept() {
        let deep = "<div><b>".repeat(100_000) + "<a href=x>end</a>";
        let parsed = parse(&deep);
        assert!(parsed.limited && parsed.dom.nodes.len() < 2 * MOST_NODES);
        let link = (0..parsed.dom.nodes.len())
            .find(|it| parsed.dom.is_html(*it, "a"))
            .unwrap();
        assert_eq!(
            parsed.dom.place(link),
            Some(TagPlace {
                line: 1,
                column: 800_001
            })
        );
    }
}
