-- What happened in an account, in the order of commits.
CREATE TABLE events (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    measured_at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    project_id INTEGER,
    subject TEXT NOT NULL,
    job_id INTEGER,
    simulated INTEGER NOT NULL,
    dedupe_key TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (account_id, seq)
) STRICT;
CREATE UNIQUE INDEX events_once ON events (account_id, dedupe_key);
CREATE INDEX events_by_project ON events (account_id, project_id, seq);
CREATE INDEX events_by_subject ON events (account_id, project_id, subject, seq);
CREATE INDEX events_by_kind ON events (account_id, kind, seq);
CREATE INDEX events_by_time ON events (account_id, at, seq);

-- The last sequence number of an account's events, and the bytes of their bodies.
CREATE TABLE account_event_heads (
    account_id INTEGER NOT NULL PRIMARY KEY REFERENCES accounts (account_id),
    last_seq INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
