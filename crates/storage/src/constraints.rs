//! Names `SQLite`'s constraints as `PostgreSQL` does.

/// Unique indexes, which `SQLite` names by their columns, with their names in `PostgreSQL`.
const NAMED: [(&str, &str); 4] = [
    (
        "projects.account_id, projects.domain",
        "projects_active_domain",
    ),
    ("jobs.account_id, jobs.dedupe_key", "jobs_unfinished_key"),
    (
        "console_spans.account_id, console_spans.project_id, console_spans.cut, \
         console_spans.first_day, console_spans.last_day",
        "console_spans_once",
    ),
    (
        "keywords.account_id, keywords.project_id, keywords.normalized, keywords.country, \
         keywords.language, keywords.device, keywords.location",
        "keywords_text_in_market",
    ),
];

pub fn postgres_constraint_name(message: &str) -> String {
    let columns = message.rsplit(": ").next().unwrap_or(message);
    let named = NAMED.iter().find(|(known, _)| *known == columns);
    named.map_or_else(
        || format!("{}_pkey", columns.split('.').next().unwrap_or(columns)),
        |(_, name)| (*name).to_owned(),
    )
}
