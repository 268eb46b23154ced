-- What an account may spend on a day, in millionths of a US dollar.
ALTER TABLE accounts ADD COLUMN daily_budget BIGINT;
CREATE TABLE daily_spending (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    day DATE NOT NULL,
    reserved BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    PRIMARY KEY (account_id, day)
);
-- All accounts together. Only jobs that cost money write here.
CREATE TABLE server_spending (
    day DATE NOT NULL PRIMARY KEY,
    reserved BIGINT NOT NULL,
    spent BIGINT NOT NULL
);
-- Calls that cost money, each written down before it is made. One without an end counts at its most.
CREATE TABLE paid_calls (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    job_id BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    number BIGINT NOT NULL,
    -- The first eight bytes of the step's SHA-256: steps may be longer than a key.
    step_hash BIGINT NOT NULL,
    step TEXT NOT NULL,
    most BIGINT NOT NULL,
    begun_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    cost BIGINT,
    answer BYTEA,
    PRIMARY KEY (account_id, job_id, epoch, number)
);
CREATE INDEX paid_calls_by_step ON paid_calls (account_id, job_id, step_hash);
CREATE INDEX paid_calls_by_age ON paid_calls (account_id, begun_at);
