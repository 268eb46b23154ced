ALTER TABLE findings DROP COLUMN packed;
ALTER TABLE staged_findings DROP COLUMN packed;
