ALTER TABLE account_queues DROP COLUMN next_short_run_at;
