-- What happened in an account, in the order of commits.
CREATE TABLE events (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    seq BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    measured_at TIMESTAMPTZ NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    project_id BIGINT,
    subject TEXT COLLATE "C" NOT NULL,
    job_id BIGINT,
    simulated BOOLEAN NOT NULL,
    dedupe_key TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (account_id, seq)
);
CREATE UNIQUE INDEX events_once ON events (account_id, dedupe_key);
CREATE INDEX events_by_project ON events (account_id, project_id, seq);
CREATE INDEX events_by_subject ON events (account_id, project_id, subject, seq);
CREATE INDEX events_by_kind ON events (account_id, kind, seq);
CREATE INDEX events_by_time ON events (account_id, at, seq);

-- The last sequence number of an account's events, and the bytes of their bodies.
CREATE TABLE account_event_heads (
    account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (account_id),
    last_seq BIGINT NOT NULL,
    bytes BIGINT NOT NULL
);
