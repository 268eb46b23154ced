-- What an account may spend on a day, in millionths of a US dollar.
ALTER TABLE accounts ADD COLUMN daily_budget INTEGER;
CREATE TABLE daily_spending (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    day TEXT NOT NULL,
    reserved INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
) STRICT;
-- All accounts together. Only jobs that cost money write here.
CREATE TABLE server_spending (
    day TEXT NOT NULL PRIMARY KEY,
    reserved INTEGER NOT NULL,
    spent INTEGER NOT NULL
) STRICT;
-- Calls that cost money, each written down before it is made. One without an end counts at its most.
CREATE TABLE paid_calls (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    job_id INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    -- The first eight bytes of the step's SHA-256: steps may be longer than a key.
    step_hash INTEGER NOT NULL,
    step TEXT NOT NULL,
    most INTEGER NOT NULL,
    begun_at INTEGER NOT NULL,
    ended_at INTEGER,
    cost INTEGER,
    answer BLOB,
    PRIMARY KEY (account_id, job_id, epoch, number)
) STRICT;
CREATE INDEX paid_calls_by_step ON paid_calls (account_id, job_id, step_hash);
CREATE INDEX paid_calls_by_age ON paid_calls (account_id, begun_at);
