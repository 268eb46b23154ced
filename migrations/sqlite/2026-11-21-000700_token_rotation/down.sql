ALTER TABLE api_tokens DROP COLUMN rotated_from;
ALTER TABLE api_tokens DROP COLUMN revoke_reason;
