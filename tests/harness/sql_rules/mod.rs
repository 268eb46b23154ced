//! Checks every statement that the tests of this process send to a database: panics on one that reaches an account's
//! rows without naming the account, or that Citus, `YugabyteDB` or `CockroachDB` would not run.

mod statement;

pub use statement::wrong;

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, Once, PoisonError},
};

/// Watches all connections that are made from now on.
///
/// # Panics
/// If Diesel refuses the instrumentation.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_default_instrumentation(|| Some(Box::<Watcher>::default())).expect("a watcher");
    });
}

/// Statements that passed the rules: most are sent thousands of times.
static GOOD: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// How many statements each database was sent.
static SENT: Mutex<Option<HashMap<String, u64>>> = Mutex::new(None);

/// How many statements a database was sent so far.
#[must_use]
pub fn statements_sent(url: &str) -> u64 {
    let sent = SENT.lock().unwrap_or_else(PoisonError::into_inner);
    let of_it = sent.iter().flatten();
    let of_it = of_it.filter(|(known, _)| name(known) == name(url));
    of_it.map(|(_, count)| count).sum()
}

/// Statements that these databases were sent, in order.
static RECORDED: Mutex<Option<HashMap<String, Vec<String>>>> = Mutex::new(None);

/// Records the statements sent to a database from now on; returns those recorded before.
#[must_use]
pub fn recorded(url: &str) -> Vec<String> {
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = { recorded.get_or_insert_default() }.insert(name(url).to_owned(), vec![]);
    kept.unwrap_or_default()
}

/// The path of a file, or the name of a database on a server, which has several addresses.
fn name(url: &str) -> &str {
    let place = url.split('?').next().unwrap_or(url);
    match place.strip_prefix("postgres://") {
        Some(place) => place.rsplit('/').next().unwrap_or(place),
        None => place.strip_prefix("sqlite://").unwrap_or(place),
    }
}

#[derive(Default)]
struct Watcher {
    database: String,
}

impl Instrumentation for Watcher {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartEstablishConnection { url, .. } = event {
            url.clone_into(&mut self.database);
        } else if let InstrumentationEvent::StartQuery { query, .. } = event {
            let shown = query.to_string();
            let statement = shown.split(" -- binds: ").next().unwrap_or(&shown);
            self.count();
            self.record(statement);
            if is_known(statement) {
                return;
            }
            if let Some(wrong) = wrong(statement) {
                panic!("{wrong}: {statement}");
            }
            remember(statement);
        }
    }
}

impl Watcher {
    fn count(&self) {
        let mut sent = SENT.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = sent.get_or_insert_default();
        *sent.entry(self.database.clone()).or_default() += 1;
    }
}

impl Watcher {
    fn record(&self, statement: &str) {
        let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
        let of_it = recorded.iter_mut().flatten();
        for (_, kept) in of_it.filter(|it| it.0 == name(&self.database)) {
            kept.push(statement.to_owned());
        }
    }
}

fn is_known(statement: &str) -> bool {
    let good = GOOD.lock().unwrap_or_else(PoisonError::into_inner);
    good.as_ref().is_some_and(|it| it.contains(statement))
}

fn remember(statement: &str) {
    let mut good = GOOD.lock().unwrap_or_else(PoisonError::into_inner);
    good.get_or_insert_default().insert(statement.to_owned());
}
