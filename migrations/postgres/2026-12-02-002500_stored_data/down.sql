DROP INDEX latest_serps_by_keyword;
DROP INDEX rank_history_by_keyword;
DROP INDEX keyword_searches_by_market;
ALTER TABLE console_spans DROP COLUMN byte_count;
DROP TABLE project_usage;
