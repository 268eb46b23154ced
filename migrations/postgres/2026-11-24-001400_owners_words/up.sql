-- Sites that the owner of a project names: rivals, own ones, and what others are.
CREATE TABLE named_sites (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    domain TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    class TEXT,
    named_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, project_id, domain),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
-- Suggestions that the owner of a project does not want to see as open.
CREATE TABLE ignored_suggestions (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    suggestion_id TEXT COLLATE "C" NOT NULL,
    reason TEXT,
    ignored_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, project_id, suggestion_id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
