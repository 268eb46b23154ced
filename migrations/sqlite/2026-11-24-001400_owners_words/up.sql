-- Sites that the owner of a project names: rivals, own ones, and what others are.
CREATE TABLE named_sites (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    domain TEXT NOT NULL,
    role TEXT NOT NULL,
    class TEXT,
    named_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, project_id, domain),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
-- Suggestions that the owner of a project does not want to see as open.
CREATE TABLE ignored_suggestions (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    suggestion_id TEXT NOT NULL,
    reason TEXT,
    ignored_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, project_id, suggestion_id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
