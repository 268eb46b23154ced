-- What was measured of each keyword, day by day.
CREATE TABLE rank_history (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    keyword_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    -- Points of another engine, or of the simulated market, are another series.
    engine TEXT NOT NULL,
    provenance TEXT NOT NULL,
    measured_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    position INTEGER,
    absolute_position INTEGER,
    depth_checked INTEGER NOT NULL,
    url TEXT,
    -- All own places on the page; missing where there were none.
    own_places TEXT,
    best_position INTEGER,
    best_at INTEGER,
    worst_position INTEGER,
    PRIMARY KEY (account_id, project_id, keyword_id, day, job_id),
    FOREIGN KEY (account_id, keyword_id) REFERENCES keywords (account_id, id)
) STRICT;
ALTER TABLE latest_serps ADD COLUMN engine TEXT;
ALTER TABLE latest_serps ADD COLUMN provenance TEXT;
