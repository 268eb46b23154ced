-- Who takes care of an issue or a suggestion. No key refers to the project: version 0.1 removes projects without these
-- rows.
CREATE TABLE assignments (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_key TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    assigned_by INTEGER NOT NULL,
    assigned_at INTEGER NOT NULL,
    note TEXT,
    PRIMARY KEY (account_id, project_id, subject_kind, subject_key),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
