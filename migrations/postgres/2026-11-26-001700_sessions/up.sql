-- Slow hashes, apart from the people: whoever reads those never reads these.
CREATE TABLE user_passwords (
    account_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    hash TEXT NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, user_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
CREATE TABLE sessions (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    browser TEXT,
    network TEXT NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
CREATE INDEX sessions_by_user ON sessions (account_id, user_id);
-- Which session a hash belongs to: a directory, read before the account is known.
CREATE TABLE session_directory (
    hash BYTEA NOT NULL PRIMARY KEY,
    account_id BIGINT NOT NULL,
    session_id BIGINT NOT NULL,
    FOREIGN KEY (account_id, session_id) REFERENCES sessions (account_id, id)
);
CREATE INDEX session_directory_by_session ON session_directory (account_id, session_id);
-- Guesses of passwords, by a hash of who was tried from where; of nobody's account.
CREATE TABLE sign_in_throttles (
    throttle_key BYTEA NOT NULL PRIMARY KEY,
    guesses BIGINT NOT NULL,
    last_at TIMESTAMPTZ NOT NULL
);
