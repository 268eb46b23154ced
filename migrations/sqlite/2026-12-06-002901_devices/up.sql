-- On which device somebody signed in, as the audit log names it; null of sessions that began before this.
ALTER TABLE sessions ADD COLUMN device TEXT;
-- Marks of devices that were issued before this moment are withdrawn; null while the password alone decides.
ALTER TABLE user_passwords ADD COLUMN devices_from INTEGER;
