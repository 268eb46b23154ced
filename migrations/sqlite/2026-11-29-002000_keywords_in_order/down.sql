DROP INDEX keywords_by_position;
CREATE INDEX keywords_by_position ON keywords (account_id, project_id, latest_position, id);
