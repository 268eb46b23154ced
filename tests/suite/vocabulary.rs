//! Names, comments, messages and documents use the terms of the field: the rules of `tests/vocabulary.tsv`.

use crate::documents::{documents, read};
use crate::rust_sources::{rust_files, tokens};
use ra_ap_rustc_lexer::{LiteralKind, TokenKind};
use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

const RULES: &str = "tests/vocabulary.tsv";
const MAX_EXCEPTIONS: usize = 40;
/// Text that the patterns do not see.
const HIDDEN: &str = "\0";
const PAGES: &str = "crates/web/src/pages/";
/// Crates with texts of findings, which are not messages.
const FINDINGS: [&str; 4] = ["analysis", "search", "site", "texts"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Identifier,
    Comment,
    Message,
    Page,
    Document,
}

struct Rule {
    pattern: Regex,
    scopes: BTreeSet<Scope>,
    /// Where it holds; empty: everywhere.
    folder: String,
    /// What to write instead, or why it is allowed.
    note: String,
}

struct Vocabulary {
    bans: Vec<Rule>,
    /// The patterns of all bans: most names match none.
    any_ban: RegexSet,
    exceptions: Vec<Rule>,
}

impl Vocabulary {
    fn parse(text: &str) -> Self {
        let (mut bans, mut exceptions) = (Vec::new(), Vec::new());
        let lines = text
            .lines()
            .filter(|it| !it.is_empty() && !it.starts_with('#'));
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            let [kind, pattern, places, note] = cells[..] else {
                panic!("four columns: {line}");
            };
            assert!(!note.is_empty(), "no replacement or reason: {line}");
            // A phrase may continue on the next line.
            let pattern = RegexBuilder::new(&pattern.replace(' ', r"\s+"))
                .case_insensitive(true)
                .build()
                .unwrap_or_else(|error| panic!("{line}: {error}"));
            let (folders, scopes): (Vec<&str>, Vec<&str>) =
                places.split(' ').partition(|it| it.contains('/'));
            let scopes = scopes.into_iter().map(scope_named).collect();
            let folder = folders.concat();
            let note = note.to_owned();
            let rule = Rule {
                pattern,
                scopes,
                folder,
                note,
            };
            match kind {
                "ban" => bans.push(rule),
                "allow" => exceptions.push(rule),
                _ => panic!("ban or allow: {line}"),
            }
        }
        let patterns = bans.iter().map(|it: &Rule| it.pattern.as_str());
        let any_ban = RegexSetBuilder::new(patterns)
            .case_insensitive(true)
            .build();
        Self {
            any_ban: any_ban.unwrap(),
            bans,
            exceptions,
        }
    }

    /// `line: match (write: replacement)` for each banned word in the text.
    fn violations(
        &self,
        scope: Scope,
        path: &str,
        text: &str,
        used: &mut BTreeSet<String>,
    ) -> Vec<String> {
        if !self.any_ban.is_match(text) {
            return Vec::new();
        }
        let mut text = text.to_owned();
        for exception in self
            .exceptions
            .iter()
            .filter(|it| it.scopes.contains(&scope) && path.starts_with(&it.folder))
        {
            if exception.pattern.is_match(&text) {
                used.insert(exception.pattern.to_string());
                let hidden = |found: &Captures| hide(&found[0]);
                text = exception.pattern.replace_all(&text, hidden).into_owned();
            }
        }
        let bans = self.bans.iter().filter(|it| it.scopes.contains(&scope));
        bans.flat_map(|ban| ban.pattern.find_iter(&text).map(move |it| (ban, it)))
            .map(|(ban, found)| {
                let line = text[..found.start()].matches('\n').count() + 1;
                format!("{line}: {:?} (write: {})", found.as_str(), ban.note)
            })
            .collect()
    }
}

fn scope_named(name: &str) -> Scope {
    match name {
        "identifier" => Scope::Identifier,
        "comment" => Scope::Comment,
        "message" => Scope::Message,
        "page" => Scope::Page,
        "document" => Scope::Document,
        _ => panic!("unknown scope: {name}"),
    }
}

/// Text that no pattern matches, of as many lines.
fn hide(text: &str) -> String {
    HIDDEN.to_owned() + &"\n".repeat(text.matches('\n').count())
}

fn hide_code(text: &str) -> String {
    static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`[^`\n]*`").unwrap());
    { CODE.replace_all(text, |found: &Captures| hide(&found[0])) }.into_owned()
}

/// The prose of a Markdown file: neither fenced blocks nor inline code.
fn prose_by_line(text: &str) -> String {
    let parts = text.split("```").enumerate();
    parts
        .map(|(number, part)| {
            if number % 2 == 0 {
                hide_code(part)
            } else {
                hide(part)
            }
        })
        .collect()
}

/// The names of a source with their lines, and its comments and strings, each in its line.
#[derive(Default)]
struct Source<'a> {
    names: BTreeMap<&'a str, usize>,
    comments: String,
    strings: String,
}

impl<'a> Source<'a> {
    fn parse(text: &'a str) -> Self {
        let mut source = Self::default();
        let mut line = 1;
        for (kind, token) in tokens(text) {
            let hidden = if kind == TokenKind::Whitespace {
                token.to_owned()
            } else {
                hide(token)
            };
            let (mut comment, mut string) = (hidden.clone(), hidden);
            match kind {
                TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                    comment = hide_code(token.trim_start_matches(['/', '!', '*']));
                }
                TokenKind::Ident | TokenKind::RawIdent => {
                    source.names.entry(token).or_insert(line);
                }
                kind if is_string(kind) => string = hide_code(token),
                _ => {}
            }
            source.comments += &comment;
            source.strings += &string;
            line += token.matches('\n').count();
        }
        source
    }
}

const fn is_string(kind: TokenKind) -> bool {
    let TokenKind::Literal { kind, .. } = kind else {
        return false;
    };
    matches!(
        kind,
        LiteralKind::Str { .. } | LiteralKind::RawStr { .. } | LiteralKind::CStr { .. }
    )
}

/// `keptPage`, `KeptPage` and `KEPT_PAGE` are `kept page`.
fn words(name: &str) -> String {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[A-Z]+[0-9]*\b|[A-Z]?[a-z0-9]+|[A-Z]+").unwrap());
    let parts = name.split('_').flat_map(|it| WORD.find_iter(it));
    let parts: Vec<String> = parts.map(|it| it.as_str().to_lowercase()).collect();
    parts.join(" ")
}

/// Where strings of this file are shown.
fn string_scope(path: &str) -> Option<Scope> {
    let is_test =
        path.contains("/tests/") || path.ends_with("tests.rs") || path.contains("test_support");
    if is_test || !path.starts_with("crates/") {
        return None;
    }
    if path.starts_with(PAGES) {
        return Some(Scope::Page);
    }
    let has_findings = { FINDINGS.iter() }.any(|it| path.starts_with(&format!("crates/{it}/")));
    (!has_findings).then_some(Scope::Message)
}

fn check_source(
    rules: &Vocabulary,
    path: &str,
    text: &str,
    used: &mut BTreeSet<String>,
) -> Vec<String> {
    let source = Source::parse(text);
    let mut found = rules.violations(Scope::Comment, path, &source.comments, used);
    if let Some(scope) = string_scope(path) {
        found.extend(rules.violations(scope, path, &source.strings, used));
    }
    for (name, line) in source.names {
        let violations = rules.violations(Scope::Identifier, path, &words(name), used);
        found.extend(violations.iter().map(|it| format!("{line}: {name}: {it}")));
    }
    found.iter().map(|it| format!("{path}:{it}")).collect()
}

#[test]
fn code_and_documents_use_the_vocabulary() {
    let rules = Vocabulary::parse(&read(RULES));
    assert!(rules.exceptions.len() <= MAX_EXCEPTIONS);
    let (mut used, mut found) = (BTreeSet::new(), Vec::new());
    let files = ["crates", "tests"].into_iter().flat_map(rust_files);
    for path in files.filter(|it| it != file!()) {
        found.extend(check_source(&rules, &path, &read(&path), &mut used));
    }
    for path in documents() {
        let text = prose_by_line(&read(&path));
        let violations = rules.violations(Scope::Document, &path, &text, &mut used);
        found.extend(violations.iter().map(|it| format!("{path}:{it}")));
    }
    assert!(
        found.is_empty(),
        "{} words:\n{}",
        found.len(),
        found.join("\n")
    );
    let unused = rules
        .exceptions
        .iter()
        .filter(|it| !used.contains(it.pattern.as_str()));
    let unused: Vec<&str> = unused.map(|it| it.pattern.as_str()).collect();
    assert!(unused.is_empty(), "exceptions without a use: {unused:?}");
}

const EXAMPLE: &str = "ban\t\\b(told|kept apart)\\b\tidentifier comment message\treports\nallow\ttold apart\tidentifier\ta term";

fn checked(path: &str, text: &str) -> Vec<String> {
    check_source(
        &Vocabulary::parse(EXAMPLE),
        path,
        text,
        &mut BTreeSet::new(),
    )
}

#[test]
fn banned_words_are_found_in_names_comments_and_messages() {
    let path = "crates/web/src/a.rs";
    let found = checked(
        path,
        "let isTold = 1;\n// It is kept\n// apart.\nf(\"{told}\");",
    );
    assert_eq!(
        found,
        [
            "crates/web/src/a.rs:2: \"kept\\n apart\" (write: reports)",
            "crates/web/src/a.rs:4: \"told\" (write: reports)",
            "crates/web/src/a.rs:1: isTold: 1: \"told\" (write: reports)",
        ]
    );
}

#[test]
fn exceptions_quoted_code_and_other_scopes_are_not_read() {
    let text = "let told_apart = \"told\"; // `told`\nlet untold = 'a';";
    assert_eq!(checked("tests/suite/a.rs", text), [""; 0]);
}

#[test]
fn an_exception_holds_in_its_folder_only() {
    let rules = "ban\t^told$\tidentifier\treports\nallow\ttold\tidentifier tests/a\ta column";
    let rules = Vocabulary::parse(rules);
    let found = |path: &str| check_source(&rules, path, "told()", &mut BTreeSet::new()).len();
    assert_eq!((found("tests/a/b.rs"), found("tests/b.rs")), (0, 1));
}
