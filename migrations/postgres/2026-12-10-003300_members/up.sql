-- Members of accounts. A null role reads as owner: version 0.1 knows no other.
ALTER TABLE users ADD COLUMN role TEXT;
ALTER TABLE users ADD COLUMN invited_by BIGINT;
ALTER TABLE users ADD COLUMN left_at TIMESTAMPTZ;
-- The account that the session works in; null is the home account of its person.
ALTER TABLE sessions ADD COLUMN in_account_id BIGINT;

-- Who acted, and the action where `action` holds one that version 0.1 knows.
ALTER TABLE audit_events ADD COLUMN actor_id BIGINT;
ALTER TABLE audit_events ADD COLUMN actor_name TEXT;
ALTER TABLE audit_events ADD COLUMN exact_action TEXT;

-- Accounts that a person joined besides the home account, which is `account_id`.
CREATE TABLE joined_accounts (
    account_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    joined_account_id BIGINT NOT NULL,
    PRIMARY KEY (account_id, user_id, joined_account_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);

-- Persons, by home account, who may use the operator's pages.
CREATE TABLE operators (
    account_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    since TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, user_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);

CREATE TABLE invitations (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    id BIGINT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    projects TEXT NOT NULL,
    invited_by BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    issued_at TIMESTAMPTZ NOT NULL,
    issued BIGINT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    end_reason TEXT,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invited_by) REFERENCES users (account_id, id)
);
CREATE INDEX invitations_by_issue ON invitations (account_id, issued_at, id);

-- What the hash of a link stands for: a directory, read before the account is known.
CREATE TABLE link_directory (
    hash BYTEA NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    account_id BIGINT NOT NULL,
    target_id BIGINT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX link_directory_by_target ON link_directory (account_id, target_id);

-- Projects that a member with the role of a client may see. No key refers to the project: version 0.1 removes projects
-- without these rows.
CREATE TABLE project_grants (
    account_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    granted_by BIGINT NOT NULL,
    granted_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, user_id, project_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
CREATE INDEX project_grants_by_project ON project_grants (account_id, project_id);
