-- Who takes care of an issue or a suggestion. No key refers to the project: version 0.1 removes projects without these
-- rows.
CREATE TABLE assignments (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_key TEXT NOT NULL,
    user_id BIGINT NOT NULL,
    assigned_by BIGINT NOT NULL,
    assigned_at TIMESTAMPTZ NOT NULL,
    note TEXT,
    PRIMARY KEY (account_id, project_id, subject_kind, subject_key),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
