DROP TABLE account_schedules;
DROP TABLE schedules;
