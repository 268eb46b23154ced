-- A large record, packed by Zstandard, in databases that came from SQLite; `record` is empty then.
ALTER TABLE staged_findings ADD COLUMN packed BYTEA;
ALTER TABLE findings ADD COLUMN packed BYTEA;
