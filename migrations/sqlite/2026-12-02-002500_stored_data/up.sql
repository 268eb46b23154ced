-- How much is stored of each project, counted with each change; a project without a row is counted when it changes next.
CREATE TABLE project_usage (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    project_id INTEGER NOT NULL,
    -- Deactivated keywords included.
    keyword_rows INTEGER NOT NULL,
    -- Each span counts as one more row.
    console_rows INTEGER NOT NULL,
    console_bytes INTEGER NOT NULL,
    plan_bytes INTEGER NOT NULL,
    PRIMARY KEY (account_id, project_id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
-- Missing for spans from before.
ALTER TABLE console_spans ADD COLUMN byte_count INTEGER;
-- An account's own answer to a question, without reading its other searches.
CREATE INDEX keyword_searches_by_market ON keyword_searches (account_id, market_key, expires_at);
-- Removing a keyword looks for measurements of it, which the primary key finds by project alone.
CREATE INDEX rank_history_by_keyword ON rank_history (account_id, keyword_id);
CREATE INDEX latest_serps_by_keyword ON latest_serps (account_id, keyword_id);
