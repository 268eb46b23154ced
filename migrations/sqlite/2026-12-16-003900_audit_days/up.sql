-- Days for which an account stores its audit log; without a value the server decides.
ALTER TABLE accounts ADD COLUMN audit_days INTEGER;
