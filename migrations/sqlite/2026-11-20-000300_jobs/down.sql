DROP TABLE journal_entries;
DROP TABLE staged_findings;
DROP TABLE account_queues;
DROP TABLE jobs;
