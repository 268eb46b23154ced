CREATE TABLE accounts (
    account_id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    projects_limit INTEGER NOT NULL,
    keywords_limit INTEGER NOT NULL,
    keywords_per_project_limit INTEGER NOT NULL,
    ai_tracked_limit INTEGER NOT NULL,
    monthly_budget INTEGER,
    projects_used INTEGER NOT NULL,
    keywords_used INTEGER NOT NULL,
    ai_tracked_used INTEGER NOT NULL,
    report_defaults TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE users (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    id INTEGER NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT;
-- Who signs in with which address: a directory, read before the account is known.
CREATE TABLE user_directory (
    email TEXT NOT NULL PRIMARY KEY,
    account_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
CREATE TABLE api_tokens (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    last_four TEXT NOT NULL,
    created_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, created_by) REFERENCES users (account_id, id)
) STRICT;
-- Which token a hash belongs to: a directory, read before the account is known.
CREATE TABLE token_directory (
    hash BLOB NOT NULL PRIMARY KEY,
    account_id INTEGER NOT NULL,
    token_id INTEGER NOT NULL,
    FOREIGN KEY (account_id, token_id) REFERENCES api_tokens (account_id, id)
) STRICT;
-- Secrets that all servers on this database share, such as the key that signs cursors.
CREATE TABLE server_secrets (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT;
