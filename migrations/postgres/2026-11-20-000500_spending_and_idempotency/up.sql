CREATE TABLE spending (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    month DATE NOT NULL,
    reserved BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    PRIMARY KEY (account_id, month)
);
CREATE TABLE idempotency_records (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    idempotency_key TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA NOT NULL,
    token_id BIGINT NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    body TEXT NOT NULL,
    first_used_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_records_by_age ON idempotency_records (account_id, first_used_at);
