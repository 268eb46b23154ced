CREATE TABLE projects (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    id INTEGER NOT NULL,
    domain TEXT NOT NULL,
    domain_unicode TEXT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    search_text TEXT NOT NULL,
    status TEXT NOT NULL,
    client_name TEXT,
    category TEXT,
    tags TEXT NOT NULL,
    favorite INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    workflow_status TEXT NOT NULL,
    assigned_to_name TEXT,
    report_recipients TEXT NOT NULL,
    report_settings TEXT,
    keyword_count INTEGER NOT NULL,
    ai_tracked_count INTEGER NOT NULL,
    last_analysis_at INTEGER,
    row_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deactivated_at INTEGER,
    PRIMARY KEY (account_id, id)
) STRICT;
CREATE UNIQUE INDEX projects_active_domain ON projects (account_id, domain) WHERE status = 'active';
CREATE INDEX projects_by_age ON projects (account_id, created_at, id);
CREATE INDEX projects_by_name ON projects (account_id, name_folded, id);
CREATE TABLE keywords (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    normalized TEXT NOT NULL,
    country TEXT NOT NULL,
    language TEXT NOT NULL,
    device TEXT NOT NULL,
    -- Empty for the whole country: a missing value would not be compared by the unique key.
    location TEXT NOT NULL,
    ai_tracked INTEGER NOT NULL,
    status TEXT NOT NULL,
    target_url TEXT,
    tags TEXT NOT NULL,
    search_volume INTEGER,
    latest_position INTEGER,
    latest_url TEXT,
    latest_measured_at INTEGER,
    latest_state TEXT,
    row_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deactivated_at INTEGER,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE UNIQUE INDEX keywords_text_in_market ON keywords (account_id, project_id, normalized, country, language, device, location);
CREATE INDEX keywords_by_status ON keywords (account_id, project_id, status, id);
CREATE INDEX keywords_by_age ON keywords (account_id, project_id, created_at, id);
CREATE INDEX keywords_by_position ON keywords (account_id, project_id, latest_position, id);
