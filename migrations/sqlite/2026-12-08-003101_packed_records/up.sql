-- A large record, packed by LZ4 behind its size; `record` is empty then.
ALTER TABLE staged_findings ADD COLUMN packed BLOB;
ALTER TABLE findings ADD COLUMN packed BLOB;
