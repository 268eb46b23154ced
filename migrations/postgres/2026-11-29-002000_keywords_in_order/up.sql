-- Lists are of keywords in use: by position they stand in their order in the index, those without one behind, and a page reads no more than its rows.
DROP INDEX keywords_by_position;
CREATE INDEX keywords_by_position ON keywords (account_id, project_id, status, latest_position, id);
