-- What is to be written for which keywords. A plan is read and changed as a whole: its items are one text.
CREATE TABLE content_plans (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    clustered_by TEXT NOT NULL,
    item_count BIGINT NOT NULL,
    items TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE INDEX content_plans_by_age ON content_plans (account_id, project_id, created_at, id);
