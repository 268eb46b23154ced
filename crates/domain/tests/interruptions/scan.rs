//! Finds use cases that write by reading their source: those that open a transaction, directly or
//! by calling one that does.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const OPENS: [&str; 8] = [
    ".write()",
    ".transaction(",
    ".transaction_with_time(",
    ".transaction_with_ids(",
    ".transaction_with(",
    ".store_with_lease(",
    ".with_lease(",
    "run_with_retries(",
];
/// Helpers that open a transaction for others.
const OPENERS: [&str; 4] = [
    "transaction_with_time",
    "transaction_with_ids",
    "store_with_lease",
    "with_lease",
];

/// File and function name.
type Place = (usize, String);

#[derive(Default)]
struct Function {
    /// As in a case.
    name: String,
    is_public: bool,
    /// Without white space.
    body: String,
}

/// Public functions of the core by name; those of other types preceded by the type.
pub fn writers() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/use_cases");
    let mut functions = BTreeMap::new();
    for (file, source) in sources(&folder).into_iter().enumerate() {
        read(file, &source, &mut functions);
    }
    let mut writers: BTreeSet<Place> = { functions.iter() }
        .filter(|((_, name), it)| {
            !OPENERS.contains(&name.as_str()) && OPENS.iter().any(|opens| it.body.contains(opens))
        })
        .map(|(place, _)| place.clone())
        .collect();
    loop {
        let more: Vec<Place> = { functions.iter() }
            .filter(|(place, it)| {
                !writers.contains(place) && calls(place, it, &writers, &functions)
            })
            .map(|(place, _)| place.clone())
            .collect();
        if more.is_empty() {
            break;
        }
        writers.extend(more);
    }
    let public = writers.iter().map(|it| &functions[it]);
    let public = public.filter(|it| it.is_public);
    public.map(|it| it.name.clone()).collect()
}

/// Whether it calls a writer, in its own file or a public one of the core.
fn calls(
    place: &Place,
    function: &Function,
    writers: &BTreeSet<Place>,
    functions: &BTreeMap<Place, Function>,
) -> bool {
    writers.iter().any(|writer| {
        let (file, name) = writer;
        let is_reached = *file == place.0 || functions[writer].is_public;
        let is_shadowed = *file != place.0 && functions.contains_key(&(place.0, name.clone()));
        let called = ["self", "core"].map(|of| format!("{of}.{name}("));
        is_reached && !is_shadowed && called.iter().any(|it| function.body.contains(it))
    })
}

fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let (product, _) = text
                .split_once("#[cfg(test)]\nmod tests")
                .unwrap_or((&text, ""));
            found.push(product.to_owned());
        }
    }
    found
}

fn read(file: usize, source: &str, functions: &mut BTreeMap<Place, Function>) {
    let (mut of, mut current) = (None, None::<Place>);
    for line in source.lines() {
        if line.starts_with("impl") {
            let (target, _) = line.split_once('{').unwrap_or((line, ""));
            of = target.split_whitespace().last().map(str::to_owned);
        } else if line == "}" {
            of = None;
        }
        let indented = line.strip_prefix("    ").unwrap_or(line);
        let is_public = indented.starts_with("pub async fn ");
        let declared = indented.split_once("fn ").filter(|(before, _)| {
            let words = [
                "pub",
                "async",
                "pub(super)",
                "pub(crate)",
                "pub(in",
                "crate::use_cases)",
            ];
            before.split_whitespace().all(|it| words.contains(&it))
        });
        if let Some((_, rest)) = declared {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            let place = (file, name.to_owned());
            let name = match of.as_deref() {
                Some("Core") | None => name.to_owned(),
                Some(of) => format!("{of}::{name}"),
            };
            let body = String::new();
            functions.insert(
                place.clone(),
                Function {
                    name,
                    is_public,
                    body,
                },
            );
            current = Some(place);
        }
        if let Some(function) = current.as_ref().and_then(|it| functions.get_mut(it)) {
            function.body.extend(line.split_whitespace());
        }
    }
}

/// Calls that read time or randomness or make ids.
const IMPURE_CALLS: [&str; 6] = [
    "clock.now",
    "storage.now",
    "mint(",
    "mint_ascending(",
    "randomness",
    ".transaction_input()",
];

/// Such calls in functions and closures that take a transaction.
pub fn impure_calls_in_transactions() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/use_cases");
    let sources = sources(&folder);
    sources.iter().flat_map(|it| impure_calls(it)).collect()
}

fn impure_calls(source: &str) -> Vec<String> {
    let handed = [
        "work: Box<dyn Transaction>",
        "work: &mut dyn Transaction",
        "|work",
    ];
    let places = handed.iter().flat_map(|it| source.match_indices(it));
    let mut found = Vec::new();
    for (at, handed) in places {
        let before = source[..at].trim_end_matches("mut ");
        let is_closure = handed.starts_with('|') || before.ends_with('|');
        let behind = &source[at + handed.len()..];
        let begins = behind.find(if is_closure { '|' } else { '{' });
        let body = body(&behind[begins.unwrap() + 1..], is_closure);
        let line = before.lines().last().unwrap_or_default().trim();
        let impure = IMPURE_CALLS.iter().filter(|it| body.contains(**it));
        found.extend(impure.map(|it| format!("{line} … {it}")));
    }
    found
}

/// Up to the closing bracket; for a closure also up to a comma.
fn body(text: &str, is_closure: bool) -> &str {
    let mut depth = 0_usize;
    for (at, it) in text.char_indices() {
        match it {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' if depth == 0 => return &text[..at],
            '}' | ')' | ']' => depth -= 1,
            ',' | ';' if depth == 0 && is_closure => return &text[..at],
            _ => (),
        }
    }
    text
}

#[test]
fn calls_outside_a_transaction_are_not_reported() {
    let inside = "
        let keep = |mut work: Box<dyn Transaction>, given: Given| async move {
            let pair: BTreeMap<u8, u8> = work.read(|it| it.1).await?;
            work.keep(pair, self.clock.now()).await
        };
        let own = |work, now| own(work, now, PlainToken::generate(&*self.randomness));
        async fn own(work: &mut dyn Transaction) -> Result<BTreeMap<u8, u8>, Error> {
            let (a, b): BTreeMap<u8, u8> = work.read().await?;
            work.keep(a, KeywordId::mint(&self.mint)).await
        }";
    assert_eq!(impure_calls(inside).len(), 3);
    let outside = "
        let prepare = || (self.clock.now(), KeywordId::mint(&self.mint));
        let keep = |mut work: Box<dyn Transaction>, (now, id): (_, KeywordId)| async move {
            work.keep(id, now).await
        };
        self.transaction_with(|| self.given(), |work, given| own(work, given)).await?;
        self.in_parts(|work, after| forget(work, after), self.clock.now()).await
    }
    async fn own(work: &mut dyn Transaction, now: DateTime<Utc>) -> Result<(), Error> {
        work.keep(now).await
    }
    fn other(&self) { self.clock.now() }";
    assert_eq!(impure_calls(outside), Vec::<String>::new());
}
