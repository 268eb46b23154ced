//! Recorded responses on databases that an earlier version wrote: a change of the structure must not change them.

use crate::{
    app::TestApp,
    databases::{Template, TestDatabase},
    postgres_server::Lane,
};
use chrono::{DateTime, Utc};
use domain::{email::EmailAddress, ports::clock::Clock};
use regex::{Captures, Regex};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    fs,
    path::Path,
    sync::LazyLock,
};
use storage::{DatabaseKind, DatabaseUrl, OpenOptions};
use tempfile::TempDir;
use tokio::sync::OnceCell;

const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded");
/// The owner of the recorded projects.
pub const OWNER: &str = "demo@sightline.example";
/// An hour after the databases were written.
pub const NOW: &str = "2026-11-29T02:00:00Z";

static SQLITE: OnceCell<Template> = OnceCell::const_new();
static POSTGRES: OnceCell<Template> = OnceCell::const_new();

/// A copy of the recorded database; `None` for `PostgreSQL` in a lane.
pub async fn database(kind: DatabaseKind) -> Option<TestDatabase> {
    let template = match kind {
        DatabaseKind::Sqlite => {
            let read = async || Template::Sqlite(unpacked("sqlite.backup"));
            SQLITE.get_or_init(read).await
        }
        DatabaseKind::Postgres if Lane::from_env() == Lane::Plain => {
            POSTGRES.get_or_init(restored).await
        }
        DatabaseKind::Postgres => return None,
    };
    let database = TestDatabase::from_template(template, OpenOptions::default()).await;
    // As the start of a server does, or `sightline migrate`.
    database
        .storage
        .migrate()
        .await
        .expect("the schema of this version");
    Some(database)
}

fn unpacked(name: &str) -> Vec<u8> {
    let packed = fs::read(format!("{RECORDINGS}/{name}.zst")).expect("a recorded database");
    zstd::decode_all(packed.as_slice()).expect("a recorded database")
}

async fn restored() -> Template {
    let name = "postgres.backup";
    let folder = TempDir::with_prefix("sightline-recorded-").expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, unpacked(name)).expect("a file");
    let manifest = format!("{name}.manifest.json");
    let kept = Path::new(RECORDINGS).join(&manifest);
    fs::copy(kept, folder.path().join(&manifest)).expect("a manifest");
    let target = TestDatabase::without_schema(DatabaseKind::Postgres).await;
    // A restore refuses while this process is connected.
    target.end_connections();
    let url = DatabaseUrl::parse(&target.url).expect("a database URL");
    let restored = storage::restore(url, file, storage::RestoreOptions::default()).await;
    restored.expect("a restored database");
    target.into_template()
}

/// Sets the clock to an hour after the recording, and adds the owner.
pub async fn serve(app: &TestApp) {
    let now: DateTime<Utc> = NOW.parse().expect("a time");
    app.clock.advance(now - app.clock.now());
    let mut read = app.storage.read().await.expect("a connection");
    let email = EmailAddress::parse(OWNER).expect("an address");
    let owner = read.members().find_by_email(&email).await;
    app.add_owner(owner.expect("an answer").expect("the owner"));
}

/// Numbers ids, entity tags and cursors, and masks secrets and values that differ from run to run.
#[derive(Default)]
pub struct Normalizer {
    known: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

static VARYING: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        r"(?P<id>\b[1-9][0-9]{14,16}\b)",
        r"(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)",
        r"(?P<token>\bsightline_agt_\w+)",
        r"(?P<secret>\b[A-Za-z0-9_-]{20,}\b)",
    ];
    Regex::new(&parts.join("|")).expect("an expression")
});

impl Normalizer {
    pub fn normalize(&mut self, text: &str) -> String {
        let replaced = VARYING.replace_all(text, |found: &Captures<'_>| {
            let all = &found[0];
            if found.name("uuid").is_some() {
                "<uuid>".to_owned()
            } else if found.name("token").is_some() {
                "<token>".to_owned()
            } else if found.name("id").is_some() {
                self.placeholder("id", all)
            } else if is_random(all) {
                self.placeholder("opaque", all)
            } else {
                all.to_owned()
            }
        });
        replaced.into_owned()
    }

    fn placeholder(&mut self, kind: &'static str, text: &str) -> String {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let number = format!("<{kind} {count}>");
        self.known.insert(text.to_owned(), number.clone());
        number
    }
}

/// Whether it is opaque: an entity tag, a cursor, a cookie.
fn is_random(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// JSON with one line per member, in the original order and notation.
#[must_use]
pub fn in_lines(json: &str) -> String {
    let (mut lines, mut depth, mut is_text, mut is_escaped) =
        (String::new(), 0_usize, false, false);
    let mut previous = ' ';
    for it in json.chars() {
        let is_closing = !is_text && matches!(it, '}' | ']');
        if is_closing {
            depth = depth.saturating_sub(1);
            if !matches!(previous, '{' | '[') {
                push_line_break(&mut lines, depth);
            }
        } else if !is_text && matches!(previous, '{' | '[' | ',') {
            push_line_break(&mut lines, depth);
        }
        lines.push(it);
        if is_text {
            (is_text, is_escaped) = (is_escaped || it != '"', !is_escaped && it == '\\');
            previous = ' ';
            continue;
        }
        match it {
            '"' => is_text = true,
            '{' | '[' => depth += 1,
            ':' => lines.push(' '),
            _ => {}
        }
        previous = it;
    }
    lines
}

fn push_line_break(lines: &mut String, depth: usize) {
    lines.push('\n');
    for _ in 0..depth {
        lines.push_str("  ");
    }
}

/// Whether the statement begins or ends a transaction or connection: their timing depends on concurrency.
#[must_use]
pub fn is_boundary(statement: &str) -> bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "SET "]
        .iter()
        .any(|it| statement.starts_with(it))
}

static VALUE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\$[0-9]+").expect("an expression"));
static ROWS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?P<row>\((?:\?, )*\?\))(?:, \((?:\?, )*\?\))+").expect("an expression")
});

/// Lines that refer to statements by digest, and the statements once at the end.
#[derive(Default)]
pub struct Statements {
    lines: String,
    texts: BTreeMap<String, String>,
}

impl Statements {
    /// A short digest of the statement.
    pub fn mark(&mut self, statement: &str) -> String {
        let text = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        // The number of rows and values is ignored.
        let text = VALUE.replace_all(&text, "?");
        let text = ROWS.replace_all(&text, "$row").into_owned();
        let digest = Sha256::digest(text.as_bytes());
        let mark = digest[..3].iter().fold(String::new(), |mut mark, it| {
            write!(mark, "{it:02x}").expect("text");
            mark
        });
        self.texts.insert(mark.clone(), text);
        mark
    }

    pub fn line(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    #[must_use]
    pub fn text(&self) -> String {
        let mut listing = self.lines.clone();
        for (mark, text) in &self.texts {
            write!(listing, "\n{mark} {text}").expect("text");
        }
        listing.push('\n');
        listing
    }
}

/// Compares a text with the recording of that name.
#[macro_export]
macro_rules! assert_recorded {
    ($name:expr, $now:expr) => {
        $crate::recorded::compared($name, $now, env!("CARGO_TARGET_TMPDIR"))
    };
}

/// Compares with the recording; writes a different text to the folder and panics with the first differences.
pub fn compared(name: &str, now: &str, fresh: &str) {
    compared_to(&Path::new(RECORDINGS).join(name), now, fresh);
}

/// The same with another file.
pub fn compared_to(kept: &Path, now: &str, fresh: &str) {
    let before = fs::read_to_string(kept).unwrap_or_default();
    if before == now {
        return;
    }
    let fresh = Path::new(fresh).join(kept.file_name().expect("a file"));
    fs::write(&fresh, now).expect("a file");
    let pairs = before.lines().zip(now.lines()).enumerate();
    let differing = pairs.filter(|(_, (before, now))| before != now);
    let mut differences = String::new();
    for (at, (before, now)) in differing.take(10) {
        writeln!(differences, "{}:\n- {before}\n+ {now}", at + 1).expect("text");
    }
    let (fresh, kept) = (fresh.display(), kept.display());
    panic!("not what was recorded; when that is meant: cp {fresh} {kept}\n{differences}");
}

/// Compares the table of a document that starts with these columns with rows made from the program.
#[macro_export]
macro_rules! assert_documented {
    ($document:expr, $columns:expr, $rows:expr) => {
        $crate::recorded::documented($document, &$columns, &$rows, env!("CARGO_TARGET_TMPDIR"))
    };
}

/// The same; writes the document with the right table to the folder.
pub fn documented(document: &str, columns: &[&str], rows: &[Vec<String>], fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(document);
    let text = fs::read_to_string(&path).expect(document);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let header = line(columns.iter().map(ToString::to_string).collect());
    let (before, rest) = text.split_once(&header).expect("the header of the table");
    let after = rest.find("\n\n").map_or("", |end| &rest[end + 1..]);
    let rows: String = rows.iter().map(|it| line(it.clone())).collect();
    let rule = line(vec!["---".to_owned(); columns.len()]);
    compared_to(
        &path,
        &format!("{before}{header}{rule}{rows}{after}"),
        fresh,
    );
}

/// The rows of the table with this first header cell.
pub fn table(text: &str, header: &str) -> Vec<Vec<String>> {
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {header} |")))
        .skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().trim_matches('`').to_owned())
                .collect()
        })
        .collect()
}
