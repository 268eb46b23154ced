-- The end of a job changes how many run, and nothing that a turn is chosen by: an index that leaves those numbers
-- alone need not be written then. Whoever has jobs has a moment at which somebody should look after them.
DROP INDEX account_queues_by_turn;
CREATE INDEX account_queues_by_turn ON account_queues (virtual_time, account_id) WHERE attention_at IS NOT NULL;
-- The next job of an account stands first, however many wait behind it.
CREATE INDEX jobs_waiting ON jobs (account_id, priority DESC, run_at, id) WHERE state IN ('scheduled', 'ready', 'retry_wait');
