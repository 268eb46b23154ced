-- What was imported of Search Console: rows that tell the same apart, for the same days.
CREATE TABLE console_spans (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    cut TEXT NOT NULL,
    first_day TEXT NOT NULL,
    last_day TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    origin TEXT NOT NULL,
    label TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE UNIQUE INDEX console_spans_once ON console_spans (account_id, project_id, cut, first_day, last_day);
CREATE INDEX console_spans_by_end ON console_spans (account_id, last_day);
CREATE TABLE console_rows (
    account_id INTEGER NOT NULL,
    span_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    -- The first eight bytes of the SHA-256 of the search, as keywords are compared.
    query_hash INTEGER,
    query TEXT,
    page TEXT,
    country TEXT,
    device TEXT,
    clicks INTEGER NOT NULL,
    impressions INTEGER NOT NULL,
    position REAL,
    -- The position, rounded.
    place INTEGER,
    PRIMARY KEY (account_id, span_id, ordinal),
    FOREIGN KEY (account_id, span_id) REFERENCES console_spans (account_id, id)
) STRICT;
CREATE INDEX console_rows_by_query ON console_rows (account_id, query_hash, span_id);
-- Which property is fetched for a project, and how far that has come.
CREATE TABLE console_bindings (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    property TEXT NOT NULL,
    bound_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    held_until INTEGER,
    through_day TEXT,
    last_at INTEGER,
    last_failure TEXT,
    failures INTEGER NOT NULL,
    PRIMARY KEY (account_id, project_id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE INDEX console_bindings_by_time ON console_bindings (account_id, next_at);
-- When the first of an account's properties is due. Like `account_queues` it says nothing of the account.
CREATE TABLE account_console_fetches (
    account_id INTEGER NOT NULL PRIMARY KEY,
    next_at INTEGER,
    FOREIGN KEY (account_id) REFERENCES accounts (account_id)
) STRICT;
CREATE INDEX account_console_fetches_by_time ON account_console_fetches (next_at);
