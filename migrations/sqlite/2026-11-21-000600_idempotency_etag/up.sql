ALTER TABLE idempotency_records ADD COLUMN etag TEXT;
