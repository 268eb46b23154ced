DROP INDEX findings_by_keyword;
DROP INDEX findings_by_url;
CREATE INDEX findings_by_keyword ON findings (account_id, project_id, result_type, keyword_id, measured_at) WHERE keyword_id IS NOT NULL;
CREATE INDEX findings_by_url ON findings (account_id, project_id, result_type, url_hash, measured_at) WHERE url_hash IS NOT NULL;
