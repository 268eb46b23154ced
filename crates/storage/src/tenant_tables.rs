//! Which tables hold rows of accounts.

/// Tables whose rows belong to an account; each has a column `account_id`. Every statement on them
/// names the account, and the wall of `PostgreSQL` stands before them.
pub const TENANT_TABLES: [&str; 28] = [
    "accounts",
    "users",
    "api_tokens",
    "projects",
    "keywords",
    "jobs",
    "staged_findings",
    "journal_entries",
    "rank_history",
    "latest_serps",
    "findings",
    "result_carries",
    "result_heads",
    "kept_pages",
    "staged_pages",
    "spending",
    "daily_spending",
    "paid_calls",
    "schedules",
    "named_sites",
    "ignored_suggestions",
    "console_spans",
    "console_rows",
    "console_bindings",
    "idempotency_records",
    "audit_events",
    "user_directory",
    "token_directory",
];
