-- A large record, packed by Zstandard; `record` is empty then.
ALTER TABLE staged_findings ADD COLUMN packed BLOB;
ALTER TABLE findings ADD COLUMN packed BLOB;
