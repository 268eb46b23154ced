CREATE TABLE spending (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    month TEXT NOT NULL,
    reserved INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
) STRICT;
CREATE TABLE idempotency_records (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    idempotency_key TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    token_id INTEGER NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    first_used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
) STRICT;
CREATE INDEX idempotency_records_by_age ON idempotency_records (account_id, first_used_at);
