DROP TABLE paid_calls;
DROP TABLE server_spending;
DROP TABLE daily_spending;
ALTER TABLE accounts DROP COLUMN daily_budget;
