ALTER TABLE latest_serps DROP COLUMN provenance;
ALTER TABLE latest_serps DROP COLUMN engine;
DROP TABLE rank_history;
