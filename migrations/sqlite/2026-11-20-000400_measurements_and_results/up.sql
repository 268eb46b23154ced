CREATE TABLE rank_points (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    keyword_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    measured_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    position INTEGER,
    absolute_position INTEGER,
    depth_checked INTEGER NOT NULL,
    url TEXT,
    best_position INTEGER,
    best_at INTEGER,
    worst_position INTEGER,
    PRIMARY KEY (account_id, project_id, keyword_id, day, job_id),
    FOREIGN KEY (account_id, keyword_id) REFERENCES keywords (account_id, id)
) STRICT;
-- The last search page of each keyword, with which the next one is compared.
CREATE TABLE latest_serps (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    keyword_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    measured_at INTEGER NOT NULL,
    serp TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, keyword_id),
    FOREIGN KEY (account_id, keyword_id) REFERENCES keywords (account_id, id)
) STRICT;
CREATE TABLE findings (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    result_type TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    keyword_id INTEGER,
    url TEXT,
    url_hash INTEGER,
    sort_value REAL,
    measured_at INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, result_type, job_id, ordinal),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE INDEX findings_by_keyword ON findings (account_id, project_id, result_type, keyword_id, measured_at) WHERE keyword_id IS NOT NULL;
CREATE INDEX findings_by_url ON findings (account_id, project_id, result_type, url_hash, measured_at) WHERE url_hash IS NOT NULL;
CREATE INDEX findings_by_time ON findings (account_id, project_id, result_type, measured_at, job_id, ordinal);
CREATE TABLE result_heads (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    result_type TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    generated_at INTEGER NOT NULL,
    measured_at INTEGER NOT NULL,
    method_version TEXT NOT NULL,
    provider TEXT NOT NULL,
    provenance TEXT NOT NULL,
    requested INTEGER NOT NULL,
    measured INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    item_count INTEGER NOT NULL,
    summary TEXT NOT NULL,
    warnings TEXT NOT NULL,
    -- What the next run needs to know; never shown.
    PRIMARY KEY (account_id, project_id, result_type),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE TABLE result_carries (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    result_type TEXT NOT NULL,
    carried TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, result_type),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
