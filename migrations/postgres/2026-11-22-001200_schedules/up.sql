-- What is measured again and again without anyone asking.
CREATE TABLE schedules (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    days TEXT NOT NULL,
    time_of_day TEXT NOT NULL,
    zone TEXT NOT NULL,
    next_at TIMESTAMPTZ NOT NULL,
    last_at TIMESTAMPTZ,
    last_refusal TEXT,
    PRIMARY KEY (account_id, project_id, kind),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE INDEX schedules_by_time ON schedules (account_id, next_at);
-- When the first of an account's schedules is due. Like `account_queues` it says nothing of the account.
CREATE TABLE account_schedules (
    account_id BIGINT NOT NULL PRIMARY KEY,
    next_at TIMESTAMPTZ,
    FOREIGN KEY (account_id) REFERENCES accounts (account_id)
);
CREATE INDEX account_schedules_by_time ON account_schedules (next_at);
