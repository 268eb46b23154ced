DROP INDEX jobs_waiting;
DROP INDEX account_queues_by_turn;
CREATE INDEX account_queues_by_turn ON account_queues (virtual_time, account_id) WHERE waiting + running > 0;
