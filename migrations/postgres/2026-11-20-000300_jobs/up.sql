CREATE TABLE jobs (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- Ids as JSON; missing for all of the project's keywords.
    keywords TEXT,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    dedupe_key TEXT COLLATE "C" NOT NULL,
    day DATE NOT NULL,
    run_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    attempt BIGINT NOT NULL,
    crash_count BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    lease_epoch BIGINT,
    lease_owner TEXT,
    lease_until TIMESTAMPTZ,
    deadline_at TIMESTAMPTZ,
    cancel_requested BOOLEAN NOT NULL,
    progress_done BIGINT NOT NULL,
    progress_total BIGINT NOT NULL,
    stages TEXT NOT NULL,
    cost_reserved BIGINT NOT NULL,
    cost_spent BIGINT NOT NULL,
    cost_calls BIGINT NOT NULL,
    errors TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    started_at TIMESTAMPTZ,
    finished_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE UNIQUE INDEX jobs_unfinished_key ON jobs (account_id, dedupe_key) WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait');
CREATE INDEX jobs_unfinished ON jobs (account_id, state, run_at, id) WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait');
CREATE INDEX jobs_by_age ON jobs (account_id, created_at, id);
CREATE INDEX jobs_by_project ON jobs (account_id, project_id, created_at, id);
-- Whose turn it is: a directory of accounts, the only table that workers search across accounts.
CREATE TABLE account_queues (
    account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (account_id),
    waiting BIGINT NOT NULL,
    running BIGINT NOT NULL,
    next_run_at TIMESTAMPTZ,
    attention_at TIMESTAMPTZ,
    virtual_time DOUBLE PRECISION NOT NULL
);
CREATE INDEX account_queues_next_run_at ON account_queues (next_run_at);
CREATE INDEX account_queues_virtual_time ON account_queues (virtual_time);
CREATE INDEX account_queues_attention_at ON account_queues (attention_at);
CREATE TABLE staged_findings (
    account_id BIGINT NOT NULL,
    job_id BIGINT NOT NULL,
    result_type TEXT COLLATE "C" NOT NULL,
    ordinal BIGINT NOT NULL,
    keyword_id BIGINT,
    url TEXT,
    url_hash BIGINT,
    sort_value DOUBLE PRECISION,
    measured_at TIMESTAMPTZ NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (account_id, job_id, result_type, ordinal),
    FOREIGN KEY (account_id, job_id) REFERENCES jobs (account_id, id)
);
CREATE TABLE journal_entries (
    account_id BIGINT NOT NULL,
    job_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (account_id, job_id, sequence),
    FOREIGN KEY (account_id, job_id) REFERENCES jobs (account_id, id)
);
