CREATE TABLE projects (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    id BIGINT NOT NULL,
    domain TEXT COLLATE "C" NOT NULL,
    domain_unicode TEXT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL,
    search_text TEXT NOT NULL,
    status TEXT NOT NULL,
    client_name TEXT,
    category TEXT,
    tags TEXT NOT NULL,
    favorite BOOLEAN NOT NULL,
    priority INTEGER NOT NULL,
    workflow_status TEXT NOT NULL,
    assigned_to_name TEXT,
    report_recipients TEXT NOT NULL,
    report_settings TEXT,
    keyword_count BIGINT NOT NULL,
    ai_tracked_count BIGINT NOT NULL,
    last_analysis_at TIMESTAMPTZ,
    row_version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deactivated_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX projects_active_domain ON projects (account_id, domain) WHERE status = 'active';
CREATE INDEX projects_by_age ON projects (account_id, created_at, id);
CREATE INDEX projects_by_name ON projects (account_id, name_folded, id);
CREATE TABLE keywords (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    text TEXT NOT NULL,
    normalized TEXT COLLATE "C" NOT NULL,
    country TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    device TEXT COLLATE "C" NOT NULL,
    -- Empty for the whole country: a missing value would not be compared by the unique key.
    location TEXT COLLATE "C" NOT NULL,
    ai_tracked BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    target_url TEXT,
    tags TEXT NOT NULL,
    search_volume BIGINT,
    latest_position BIGINT,
    latest_url TEXT,
    latest_measured_at TIMESTAMPTZ,
    latest_state TEXT,
    row_version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deactivated_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE UNIQUE INDEX keywords_text_in_market ON keywords (account_id, project_id, normalized, country, language, device, location);
CREATE INDEX keywords_by_status ON keywords (account_id, project_id, status, id);
CREATE INDEX keywords_by_age ON keywords (account_id, project_id, created_at, id);
CREATE INDEX keywords_by_position ON keywords (account_id, project_id, latest_position, id);
