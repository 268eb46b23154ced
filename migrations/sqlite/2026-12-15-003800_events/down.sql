DROP TABLE events;
DROP TABLE account_event_heads;
