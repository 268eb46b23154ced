-- From when a web site may be asked again, by a hash of what it is known by: one distance for all workers; of nobody's account.
CREATE TABLE site_turns (
    site_hash BLOB NOT NULL PRIMARY KEY,
    next_at INTEGER NOT NULL
) STRICT;
