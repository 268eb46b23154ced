-- Who did what to an account and its tokens, without secrets. Nothing here is ever changed.
CREATE TABLE audit_events (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    id BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject BIGINT,
    detail TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_events_by_time ON audit_events (account_id, at, id);
