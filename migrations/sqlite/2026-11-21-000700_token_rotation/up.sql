ALTER TABLE api_tokens ADD COLUMN revoke_reason TEXT;
ALTER TABLE api_tokens ADD COLUMN rotated_from INTEGER;
