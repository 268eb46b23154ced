-- The whole order of a list by position stands in its index, those without one last: without it all keywords of a project are sorted for each page.
DROP INDEX keywords_by_position;
CREATE INDEX keywords_by_position ON keywords (account_id, project_id, status, (latest_position IS NULL), latest_position, id);
