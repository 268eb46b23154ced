-- The whole order of a history stands in its index: without it SQLite walks the project's history instead.
DROP INDEX findings_by_keyword;
DROP INDEX findings_by_url;
CREATE INDEX findings_by_keyword ON findings (account_id, project_id, result_type, keyword_id, measured_at, job_id, ordinal) WHERE keyword_id IS NOT NULL;
CREATE INDEX findings_by_url ON findings (account_id, project_id, result_type, url_hash, measured_at, job_id, ordinal) WHERE url_hash IS NOT NULL;
