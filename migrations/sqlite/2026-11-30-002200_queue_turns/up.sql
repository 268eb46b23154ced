-- Whoever looks for the next turn, and for the least service of those who have jobs, meets nobody who has none.
DROP INDEX account_queues_virtual_time;
CREATE INDEX account_queues_by_turn ON account_queues (virtual_time, account_id) WHERE waiting + running > 0;
