DROP INDEX account_queues_by_turn;
CREATE INDEX account_queues_virtual_time ON account_queues (virtual_time);
