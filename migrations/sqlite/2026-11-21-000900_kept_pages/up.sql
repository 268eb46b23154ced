-- Pages as they were last read: what the next crawl compares with.
CREATE TABLE kept_pages (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    -- The first eight bytes of the URL's SHA-256: URLs may be longer than a key.
    url_hash INTEGER NOT NULL,
    url TEXT NOT NULL,
    visited_at INTEGER NOT NULL,
    etag TEXT,
    last_modified TEXT,
    body BLOB NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (account_id, project_id, url_hash),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE INDEX kept_pages_by_visit ON kept_pages (account_id, project_id, visited_at);
-- What a running job is going to keep. The content stands in its journal.
CREATE TABLE staged_pages (
    account_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    url_hash INTEGER NOT NULL,
    url TEXT NOT NULL,
    visited_at INTEGER NOT NULL,
    etag TEXT,
    last_modified TEXT,
    -- The entry of the journal; missing where the content that is kept stays.
    sequence INTEGER,
    memory TEXT NOT NULL,
    PRIMARY KEY (account_id, job_id, url_hash),
    FOREIGN KEY (account_id, job_id) REFERENCES jobs (account_id, id)
) STRICT;
