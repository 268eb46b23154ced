-- Slow hashes, apart from the people: whoever reads those never reads these.
CREATE TABLE user_passwords (
    account_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    hash TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, user_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
CREATE TABLE sessions (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    browser TEXT,
    network TEXT NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
CREATE INDEX sessions_by_user ON sessions (account_id, user_id);
-- Which session a hash belongs to: a directory, read before the account is known.
CREATE TABLE session_directory (
    hash BLOB NOT NULL PRIMARY KEY,
    account_id INTEGER NOT NULL,
    session_id INTEGER NOT NULL,
    FOREIGN KEY (account_id, session_id) REFERENCES sessions (account_id, id)
) STRICT;
CREATE INDEX session_directory_by_session ON session_directory (account_id, session_id);
-- Guesses of passwords, by a hash of who was tried from where; of nobody's account.
CREATE TABLE sign_in_throttles (
    throttle_key BLOB NOT NULL PRIMARY KEY,
    guesses INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT;
