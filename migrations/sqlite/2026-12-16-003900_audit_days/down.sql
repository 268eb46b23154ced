ALTER TABLE accounts DROP COLUMN audit_days;
