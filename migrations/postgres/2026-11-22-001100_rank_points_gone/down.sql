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
