-- From when a web site may be asked again, by a hash of what it is known by: one distance for all workers; of nobody's account.
CREATE TABLE site_turns (
    site_hash BYTEA NOT NULL PRIMARY KEY,
    next_at TIMESTAMPTZ NOT NULL
);
