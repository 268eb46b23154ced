CREATE TABLE jobs (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- Ids as JSON; missing for all of the project's keywords.
    keywords TEXT,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    dedupe_key TEXT NOT NULL,
    day TEXT NOT NULL,
    run_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    crash_count INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    lease_epoch INTEGER,
    lease_owner TEXT,
    lease_until INTEGER,
    deadline_at INTEGER,
    cancel_requested INTEGER NOT NULL,
    progress_done INTEGER NOT NULL,
    progress_total INTEGER NOT NULL,
    stages TEXT NOT NULL,
    cost_reserved INTEGER NOT NULL,
    cost_spent INTEGER NOT NULL,
    cost_calls INTEGER NOT NULL,
    errors TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE UNIQUE INDEX jobs_unfinished_key ON jobs (account_id, dedupe_key) WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait');
CREATE INDEX jobs_unfinished ON jobs (account_id, state, run_at, id) WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait');
CREATE INDEX jobs_by_age ON jobs (account_id, created_at, id);
CREATE INDEX jobs_by_project ON jobs (account_id, project_id, created_at, id);
-- Whose turn it is: a directory of accounts, the only table that workers search across accounts.
CREATE TABLE account_queues (
    account_id INTEGER NOT NULL PRIMARY KEY REFERENCES accounts (account_id),
    waiting INTEGER NOT NULL,
    running INTEGER NOT NULL,
    next_run_at INTEGER,
    attention_at INTEGER,
    virtual_time REAL NOT NULL
) STRICT;
CREATE INDEX account_queues_next_run_at ON account_queues (next_run_at);
CREATE INDEX account_queues_virtual_time ON account_queues (virtual_time);
CREATE INDEX account_queues_attention_at ON account_queues (attention_at);
CREATE TABLE staged_findings (
    account_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    result_type TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    keyword_id INTEGER,
    url TEXT,
    url_hash INTEGER,
    sort_value REAL,
    measured_at INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (account_id, job_id, result_type, ordinal),
    FOREIGN KEY (account_id, job_id) REFERENCES jobs (account_id, id)
) STRICT;
CREATE TABLE journal_entries (
    account_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (account_id, job_id, sequence),
    FOREIGN KEY (account_id, job_id) REFERENCES jobs (account_id, id)
) STRICT;
