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
