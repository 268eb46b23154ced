ALTER TABLE keywords DROP COLUMN metrics;
