-- When the first of an account's short jobs may run, or earlier: a slot that is kept for them finds them without a
-- look at any account's jobs. Not filled here: whoever changes or sweeps an account's row fills it.
ALTER TABLE account_queues ADD COLUMN next_short_run_at INTEGER;
