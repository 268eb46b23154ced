ALTER TABLE user_passwords DROP COLUMN devices_from;
ALTER TABLE sessions DROP COLUMN device;
