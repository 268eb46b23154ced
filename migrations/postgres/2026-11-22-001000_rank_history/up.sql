-- What was measured of each keyword, day by day. A month is a partition: `storage::postgres::partitions`
-- makes them ahead of time and drops the oldest; what no partition is there for falls into the rest.
CREATE TABLE rank_history (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    keyword_id BIGINT NOT NULL,
    day DATE NOT NULL,
    job_id BIGINT NOT NULL,
    -- Points of another engine, or of the simulated market, are another series.
    engine TEXT NOT NULL,
    provenance TEXT NOT NULL,
    measured_at TIMESTAMPTZ NOT NULL,
    state TEXT NOT NULL,
    position BIGINT,
    absolute_position BIGINT,
    depth_checked BIGINT NOT NULL,
    url TEXT,
    -- All own places on the page; missing where there were none.
    own_places TEXT,
    best_position BIGINT,
    best_at TIMESTAMPTZ,
    worst_position BIGINT,
    PRIMARY KEY (account_id, project_id, keyword_id, day, job_id),
    FOREIGN KEY (account_id, keyword_id) REFERENCES keywords (account_id, id)
) PARTITION BY RANGE (day);
ALTER TABLE latest_serps ADD COLUMN engine TEXT;
ALTER TABLE latest_serps ADD COLUMN provenance TEXT;
