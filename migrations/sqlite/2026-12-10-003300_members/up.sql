-- Members of accounts. A null role reads as owner: version 0.1 knows no other.
ALTER TABLE users ADD COLUMN role TEXT;
ALTER TABLE users ADD COLUMN invited_by INTEGER;
ALTER TABLE users ADD COLUMN left_at INTEGER;
-- The account that the session works in; null is the home account of its person.
ALTER TABLE sessions ADD COLUMN in_account_id INTEGER;

-- Who acted, and the action where `action` holds one that version 0.1 knows.
ALTER TABLE audit_events ADD COLUMN actor_id INTEGER;
ALTER TABLE audit_events ADD COLUMN actor_name TEXT;
ALTER TABLE audit_events ADD COLUMN exact_action TEXT;

-- Accounts that a person joined besides the home account, which is `account_id`.
CREATE TABLE joined_accounts (
    account_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    joined_account_id INTEGER NOT NULL,
    PRIMARY KEY (account_id, user_id, joined_account_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;

-- Persons, by home account, who may use the operator's pages.
CREATE TABLE operators (
    account_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (account_id, user_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;

CREATE TABLE invitations (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    id INTEGER NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    projects TEXT NOT NULL,
    invited_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    issued_at INTEGER NOT NULL,
    issued INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER,
    end_reason TEXT,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invited_by) REFERENCES users (account_id, id)
) STRICT;
CREATE INDEX invitations_by_issue ON invitations (account_id, issued_at, id);

-- What the hash of a link stands for: a directory, read before the account is known.
CREATE TABLE link_directory (
    hash BLOB NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    target_id INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX link_directory_by_target ON link_directory (account_id, target_id);

-- Projects that a member with the role of a client may see. No key refers to the project: version 0.1 removes projects
-- without these rows.
CREATE TABLE project_grants (
    account_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    granted_by INTEGER NOT NULL,
    granted_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, user_id, project_id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
CREATE INDEX project_grants_by_project ON project_grants (account_id, project_id);
