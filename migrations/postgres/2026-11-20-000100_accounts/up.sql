CREATE TABLE accounts (
    account_id BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    projects_limit BIGINT NOT NULL,
    keywords_limit BIGINT NOT NULL,
    keywords_per_project_limit BIGINT NOT NULL,
    ai_tracked_limit BIGINT NOT NULL,
    monthly_budget BIGINT,
    projects_used BIGINT NOT NULL,
    keywords_used BIGINT NOT NULL,
    ai_tracked_used BIGINT NOT NULL,
    report_defaults TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE users (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    id BIGINT NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id)
);
-- Who signs in with which address: a directory, read before the account is known.
CREATE TABLE user_directory (
    email TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
CREATE TABLE api_tokens (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    last_four TEXT NOT NULL,
    created_by BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    last_used_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, created_by) REFERENCES users (account_id, id)
);
-- Which token a hash belongs to: a directory, read before the account is known.
CREATE TABLE token_directory (
    hash BYTEA NOT NULL PRIMARY KEY,
    account_id BIGINT NOT NULL,
    token_id BIGINT NOT NULL,
    FOREIGN KEY (account_id, token_id) REFERENCES api_tokens (account_id, id)
);
-- Secrets that all servers on this database share, such as the key that signs cursors.
CREATE TABLE server_secrets (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
