//! Watches every statement that the tests of this process send to a database, and stops the one
//! that touches an account's table without naming the account.

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use std::sync::Once;

/// Tables whose rows belong to an account.
pub const TENANT_TABLES: [&str; 18] = [
    "accounts",
    "users",
    "api_tokens",
    "projects",
    "keywords",
    "jobs",
    "staged_findings",
    "journal_entries",
    "rank_points",
    "latest_serps",
    "findings",
    "result_carries",
    "result_heads",
    "spending",
    "idempotency_records",
    "audit_events",
    "user_directory",
    "token_directory",
];

/// What may be asked without an account: the directories by their own keys, and the operator's
/// list of all accounts.
const EXCEPTIONS: [&str; 3] = [
    "WHERE (\"user_directory\".\"email\" = ",
    "WHERE (\"token_directory\".\"hash\" = ",
    "ON (\"users\".\"account_id\" = \"accounts\".\"account_id\")) ORDER BY \"accounts\".\"created_at\"",
];

/// Watches all connections that are made from now on.
///
/// # Panics
/// When Diesel does not let itself be watched.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_default_instrumentation(|| Some(Box::new(Watcher))).expect("a watcher"));
}

struct Watcher;

impl Instrumentation for Watcher {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let shown = query.to_string();
            let statement = shown.split(" -- binds: ").next().unwrap_or(&shown);
            if let Some(table) = unguarded(statement) {
                panic!("`{table}` is touched without naming the account: {statement}");
            }
        }
    }
}

/// The account's table that a statement touches without naming the account.
#[must_use]
pub fn unguarded(statement: &str) -> Option<&'static str> {
    let verb = statement.split_whitespace().next()?.to_uppercase();
    if !matches!(verb.as_str(), "SELECT" | "UPDATE" | "DELETE" | "INSERT")
        || EXCEPTIONS.iter().any(|it| statement.contains(it))
    {
        return None;
    }
    let plain = statement.replace(['"', '`'], "");
    let is_insert = verb == "INSERT" && !plain.contains("SELECT");
    let touched = |table: &&&str| {
        [
            format!("FROM {table}"),
            format!("UPDATE {table}"),
            format!("INTO {table}"),
        ]
        .iter()
        .any(|phrase| ends_a_word(&plain, phrase))
    };
    let guarded = |table: &str| {
        if is_insert {
            plain.contains("(account_id, ") || plain.contains(", account_id, ")
        } else {
            plain.contains(&format!("{table}.account_id = "))
                || plain.contains("INSERT INTO") && plain.contains(".account_id = ")
        }
    };
    TENANT_TABLES
        .iter()
        .filter(touched)
        .find(|table| !guarded(table))
        .copied()
}

fn ends_a_word(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let rest = &text[at + phrase.len()..];
        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::unguarded;

    #[test]
    fn a_statement_without_the_account_is_found() {
        for (statement, table) in [
            (
                "SELECT \"projects\".\"id\" FROM \"projects\" WHERE (\"projects\".\"id\" = $1)",
                Some("projects"),
            ),
            (
                "UPDATE `jobs` SET `state` = ? WHERE `jobs`.`id` = ?",
                Some("jobs"),
            ),
            (
                "DELETE  FROM \"findings\" WHERE \"findings\".\"job_id\" = $1",
                Some("findings"),
            ),
            (
                "INSERT INTO \"spending\" (\"month\") VALUES ($1)",
                Some("spending"),
            ),
            (
                "SELECT 1 FROM \"projects\" WHERE (\"projects\".\"account_id\" = $1)",
                None,
            ),
            (
                "INSERT INTO \"spending\" (\"account_id\", \"month\") VALUES ($1, $2)",
                None,
            ),
            ("SELECT \"next_run_at\" FROM \"account_queues\"", None),
        ] {
            assert_eq!(unguarded(statement), table, "{statement}");
        }
    }
}
