CREATE TABLE rank_points (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    keyword_id BIGINT NOT NULL,
    day DATE NOT NULL,
    job_id BIGINT NOT NULL,
    measured_at TIMESTAMPTZ NOT NULL,
    state TEXT NOT NULL,
    position BIGINT,
    absolute_position BIGINT,
    depth_checked BIGINT NOT NULL,
    url TEXT,
    best_position BIGINT,
    best_at TIMESTAMPTZ,
    worst_position BIGINT,
    PRIMARY KEY (account_id, project_id, keyword_id, day, job_id),
    FOREIGN KEY (account_id, keyword_id) REFERENCES keywords (account_id, id)
);
-- The last search page of each keyword, with which the next one is compared.
CREATE TABLE latest_serps (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    keyword_id BIGINT NOT NULL,
    job_id BIGINT NOT NULL,
    measured_at TIMESTAMPTZ NOT NULL,
    serp TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, keyword_id),
    FOREIGN KEY (account_id, keyword_id) REFERENCES keywords (account_id, id)
);
CREATE TABLE findings (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    result_type TEXT COLLATE "C" NOT NULL,
    job_id BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    keyword_id BIGINT,
    url TEXT,
    url_hash BIGINT,
    sort_value DOUBLE PRECISION,
    measured_at TIMESTAMPTZ NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, result_type, job_id, ordinal),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE INDEX findings_by_keyword ON findings (account_id, project_id, result_type, keyword_id, measured_at) WHERE keyword_id IS NOT NULL;
CREATE INDEX findings_by_url ON findings (account_id, project_id, result_type, url_hash, measured_at) WHERE url_hash IS NOT NULL;
CREATE INDEX findings_by_time ON findings (account_id, project_id, result_type, measured_at, job_id, ordinal);
CREATE TABLE result_heads (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    result_type TEXT COLLATE "C" NOT NULL,
    job_id BIGINT NOT NULL,
    generated_at TIMESTAMPTZ NOT NULL,
    measured_at TIMESTAMPTZ NOT NULL,
    method_version TEXT NOT NULL,
    provider TEXT NOT NULL,
    provenance TEXT NOT NULL,
    requested BIGINT NOT NULL,
    measured BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    skipped BIGINT NOT NULL,
    item_count BIGINT NOT NULL,
    summary TEXT NOT NULL,
    warnings TEXT NOT NULL,
    -- What the next run needs to know; never shown.
    PRIMARY KEY (account_id, project_id, result_type),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE TABLE result_carries (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    result_type TEXT COLLATE "C" NOT NULL,
    carried TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, result_type),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
