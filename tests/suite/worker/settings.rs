//! Settings that cannot be used: the start ends with exit code 2 and says what to mend.

use super::process::command;

/// A variable, its value, and the words with which it is refused.
const MISTAKES: [(&str, &str, &[&str]); 11] = [
    ("LISTN", "x", &["SIGHTLINE_LISTN", "`listen`"]),
    ("LISTEN", "nowhere", &["SIGHTLINE_LISTEN"]),
    (
        "DATABASE_URL",
        "mysql://u:hunter2@h/d",
        &["DATABASE_URL", "postgres://", "sqlite://"],
    ),
    ("LOG__LEVEL", "a=b=c", &["LOG__LEVEL", "a=b=c", "warn"]),
    ("LOG__FORMAT", "xml", &["LOG__FORMAT", "xml", "json"]),
    (
        "PUBLIC_BASE_URL",
        "ftp://x",
        &["PUBLIC_BASE_URL", "ftp://x", "https"],
    ),
    (
        "QUEUE__LEASE_SECONDS",
        "1",
        &["queue.lease_seconds", "20", "is 1"],
    ),
    ("SEARCH__DEPTH", "5", &["search.depth", "10 to 700", "is 5"]),
    (
        "SEARCH__SERPER__BASE_URL",
        "zzz",
        &["SERPER__BASE_URL", "zzz", "https"],
    ),
    (
        "CRAWLER__ALLOW_NETWORKS",
        "[\"10\"]",
        &["ALLOW_NETWORKS", "`10`", "127.0.0.0/8"],
    ),
    (
        "CRAWLER__RESOLVE",
        "[\"x\"]",
        &["RESOLVE", "`x`", "docs.example.com:80="],
    ),
];

#[test]
fn a_setting_that_cannot_be_used_is_named_with_what_it_takes_and_ends_the_start_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for (name, value, words) in MISTAKES {
        let settings = [(format!("SIGHTLINE_{name}"), value.to_owned())];
        let ran = command(folder.path(), &settings, &["serve"])
            .output()
            .unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{name}: {told}");
        for word in words {
            assert!(told.contains(word), "{name}: `{word}` is missing: {told}");
        }
        assert!(!told.contains("hunter2"), "{told}");
    }
}

#[test]
fn the_demo_listens_where_the_setting_says() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let settings = [("SIGHTLINE_LISTEN".to_owned(), address.clone())];
    let ran = command(folder.path(), &settings, &["demo", "--once"])
        .output()
        .unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{told}");
    let words = format!("cannot listen on {address}");
    assert!(told.contains(&words), "{told}");
}
