-- Invariants of the queue between any two transactions; SQL for both databases. Each query must return 0.

-- wrong: accounts that run more than they may
SELECT count(*) FROM (SELECT account_id FROM jobs WHERE state = 'running' GROUP BY account_id HAVING count(*) > 4) AS greedy;
-- wrong: accounts that wanted the same twice at the same time
SELECT count(*) FROM (SELECT account_id, dedupe_key FROM jobs WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait') GROUP BY account_id, dedupe_key HAVING count(*) > 1) AS twice;
-- wrong: jobs that run without a lease of their epoch
SELECT count(*) FROM jobs WHERE state = 'running' AND (lease_epoch IS NULL OR lease_epoch <> epoch OR lease_owner IS NULL OR lease_until IS NULL OR deadline_at IS NULL OR started_at IS NULL);
-- wrong: jobs that are held and do not run
SELECT count(*) FROM jobs WHERE state <> 'running' AND (lease_epoch IS NOT NULL OR lease_owner IS NOT NULL OR lease_until IS NOT NULL);
-- wrong: jobs that are over without a moment of their end, or have one before
SELECT count(*) FROM jobs WHERE (finished_at IS NULL) <> (state IN ('scheduled', 'ready', 'running', 'retry_wait'));
-- wrong: jobs with more attempts than there may be, or more deaths of workers
SELECT count(*) FROM jobs WHERE attempt > 5 OR crash_count > 3;
-- wrong: accounts whose line counts others than wait
SELECT count(*) FROM account_queues WHERE waiting <> (SELECT count(*) FROM jobs WHERE jobs.account_id = account_queues.account_id AND state IN ('scheduled', 'ready', 'retry_wait'));
-- wrong: accounts whose line counts others than run
SELECT count(*) FROM account_queues WHERE running <> (SELECT count(*) FROM jobs WHERE jobs.account_id = account_queues.account_id AND state = 'running');
-- wrong: jobs that wait without a line to wait in
SELECT count(*) FROM jobs WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait') AND NOT EXISTS (SELECT 1 FROM account_queues WHERE account_queues.account_id = jobs.account_id);
-- wrong: jobs that would be looked for later than they may run
SELECT count(*) FROM jobs JOIN account_queues ON account_queues.account_id = jobs.account_id WHERE state IN ('scheduled', 'ready', 'retry_wait') AND NOT cancel_requested AND (next_run_at IS NULL OR next_run_at > run_at);
-- wrong: short jobs that a slot for them would look for later than they may run
SELECT count(*) FROM jobs JOIN account_queues ON account_queues.account_id = jobs.account_id WHERE state IN ('scheduled', 'ready', 'retry_wait') AND kind = 'rankCheck' AND NOT cancel_requested AND (next_short_run_at IS NULL OR next_short_run_at > run_at);
-- wrong: jobs whose lease, deadline or last moment would be noticed too late
SELECT count(*) FROM jobs JOIN account_queues ON account_queues.account_id = jobs.account_id WHERE (state = 'running' AND (attention_at IS NULL OR attention_at > lease_until OR attention_at > deadline_at)) OR (state IN ('scheduled', 'ready', 'retry_wait') AND (attention_at IS NULL OR attention_at > expires_at));
-- wrong: accounts with other money set aside than their unfinished jobs have
SELECT count(*) FROM accounts WHERE (SELECT coalesce(sum(reserved), 0) FROM spending WHERE spending.account_id = accounts.account_id) <> (SELECT coalesce(sum(cost_reserved), 0) FROM jobs WHERE jobs.account_id = accounts.account_id AND state IN ('scheduled', 'ready', 'running', 'retry_wait'));
-- wrong: accounts whose days have other money set aside than their months
SELECT count(*) FROM accounts WHERE (SELECT coalesce(sum(reserved), 0) FROM spending WHERE spending.account_id = accounts.account_id) <> (SELECT coalesce(sum(reserved), 0) FROM daily_spending WHERE daily_spending.account_id = accounts.account_id);
-- These assume that no budget was lowered below its use. The server's cap (search.most_per_day) is a setting and in no
-- table: only its bookkeeping is checked here.
-- wrong: months for which accounts spent and set aside more than they may
SELECT count(*) FROM spending JOIN accounts ON accounts.account_id = spending.account_id WHERE spent + reserved > monthly_budget;
-- wrong: days for which accounts spent and set aside more than they may
SELECT count(*) FROM daily_spending JOIN accounts ON accounts.account_id = daily_spending.account_id WHERE spent + reserved > daily_budget;
-- wrong: days for which the server counts other money than its accounts
SELECT count(*) FROM server_spending WHERE spent <> (SELECT coalesce(sum(spent), 0) FROM daily_spending WHERE daily_spending.day = server_spending.day) OR reserved <> (SELECT coalesce(sum(reserved), 0) FROM daily_spending WHERE daily_spending.day = server_spending.day);
-- wrong: days of accounts that the server does not count
SELECT count(*) FROM daily_spending WHERE spent + reserved <> 0 AND NOT EXISTS (SELECT 1 FROM server_spending WHERE server_spending.day = daily_spending.day);
-- wrong: money below nothing
SELECT count(*) FROM (SELECT spent, reserved FROM spending UNION ALL SELECT spent, reserved FROM daily_spending UNION ALL SELECT spent, reserved FROM server_spending) AS counters WHERE spent < 0 OR reserved < 0;
-- wrong: jobs that spent more than was set aside for them
SELECT count(*) FROM jobs WHERE cost_spent > cost_reserved;
-- Jobs are purged before their results: results without a job are valid.
-- wrong: heads of results of jobs that did not succeed
SELECT count(*) FROM result_heads JOIN jobs ON jobs.account_id = result_heads.account_id AND jobs.id = result_heads.job_id WHERE state NOT IN ('succeeded', 'partial');
-- wrong: records on their way for jobs that are over
SELECT count(*) FROM staged_findings JOIN jobs ON jobs.account_id = staged_findings.account_id AND jobs.id = staged_findings.job_id WHERE state NOT IN ('scheduled', 'ready', 'running', 'retry_wait');
-- wrong: keywords that a job measured twice
SELECT count(*) FROM (SELECT account_id, job_id, keyword_id FROM rank_history GROUP BY account_id, job_id, keyword_id HAVING count(*) > 1) AS twice;
