//! Rust sources as text: where they are, and their tokens.

use crate::documents::root;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::{fs, path::Path};

/// Paths from the root of the Rust sources in a folder.
pub fn rust_files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    add_rust_files(&root().join(folder), folder, &mut found);
    found
}

fn add_rust_files(folder: &Path, name: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let inner = entry.file_name().into_string().unwrap();
        let path = format!("{name}/{inner}");
        if entry.file_type().unwrap().is_dir() {
            if !["target", "node_modules"].contains(&inner.as_str()) {
                add_rust_files(&entry.path(), &path, found);
            }
        } else if Path::new(&inner).extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// All tokens in order, white space and comments included.
pub fn tokens(text: &str) -> impl Iterator<Item = (TokenKind, &str)> {
    let mut rest = text;
    tokenize(text, FrontmatterAllowed::No).map(move |it| {
        let (token, after) = rest.split_at(it.len as usize);
        rest = after;
        (it.kind, token)
    })
}
