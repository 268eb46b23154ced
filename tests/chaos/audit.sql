-- What must hold of the tables once every job is over, in SQL that both databases read. Each query counts
-- one thing: `count` tells how much there is, `wrong` has to be 0.

-- count: accepted jobs
SELECT count(*) FROM jobs;
-- count: jobs that succeeded
SELECT count(*) FROM jobs WHERE state IN ('succeeded', 'partial');
-- count: jobs that failed because their workers died three times
SELECT count(*) FROM jobs WHERE state = 'failed' AND crash_count >= 3;
-- count: leases that were lost
SELECT coalesce(sum(crash_count), 0) FROM jobs;
-- count: measurements of keywords
SELECT count(*) FROM rank_history;
-- count: published records of rankings
SELECT count(*) FROM findings WHERE result_type = 'rankings';
-- count: requests that are kept for repeats
SELECT count(*) FROM idempotency_records;

-- wrong: jobs that are not over
SELECT count(*) FROM jobs WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait');
-- wrong: jobs that failed otherwise, expired or were canceled
SELECT count(*) FROM jobs WHERE state IN ('expired', 'canceled') OR (state = 'failed' AND crash_count < 3);
-- wrong: jobs that are over and still held
SELECT count(*) FROM jobs WHERE lease_owner IS NOT NULL OR lease_until IS NOT NULL;
-- wrong: jobs with more attempts than there may be
SELECT count(*) FROM jobs WHERE attempt > 5;
-- wrong: jobs without the moment of their end
SELECT count(*) FROM jobs WHERE finished_at IS NULL;
-- wrong: projects for which the same analysis was accepted twice
SELECT count(*) FROM (SELECT account_id, project_id, kind FROM jobs GROUP BY account_id, project_id, kind HAVING count(*) > 1) AS twice;
-- wrong: keywords that a job measured twice
SELECT count(*) FROM (SELECT account_id, job_id, keyword_id FROM rank_history GROUP BY account_id, job_id, keyword_id HAVING count(*) > 1) AS twice;
-- wrong: jobs that succeeded without a measurement of each keyword
SELECT count(*) FROM jobs WHERE state IN ('succeeded', 'partial') AND (SELECT count(*) FROM rank_history WHERE rank_history.account_id = jobs.account_id AND rank_history.job_id = jobs.id) <> (SELECT count(*) FROM keywords WHERE keywords.account_id = jobs.account_id AND keywords.project_id = jobs.project_id);
-- wrong: jobs that succeeded without a record of each keyword
SELECT count(*) FROM jobs WHERE state IN ('succeeded', 'partial') AND (SELECT count(*) FROM findings WHERE findings.account_id = jobs.account_id AND findings.job_id = jobs.id AND result_type = 'rankings') <> (SELECT count(*) FROM keywords WHERE keywords.account_id = jobs.account_id AND keywords.project_id = jobs.project_id);
-- wrong: published records of jobs that did not succeed
SELECT count(*) FROM findings WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = findings.account_id AND jobs.id = findings.job_id AND jobs.state IN ('succeeded', 'partial'));
-- wrong: heads of results of jobs that did not succeed
SELECT count(*) FROM result_heads WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = result_heads.account_id AND jobs.id = result_heads.job_id AND jobs.state IN ('succeeded', 'partial'));
-- wrong: records on their way that nobody will publish
SELECT count(*) FROM staged_findings;
-- wrong: notes of crawls that nobody will read
SELECT count(*) FROM journal_entries;
-- wrong: accounts whose line counts jobs that are not there
SELECT count(*) FROM account_queues WHERE waiting <> 0 OR running <> 0 OR next_run_at IS NOT NULL;
-- wrong: accounts with money set aside for nothing
SELECT count(*) FROM spending WHERE reserved <> 0;
-- wrong: days with money set aside for nothing
SELECT count(*) FROM daily_spending WHERE reserved <> 0;
-- wrong: days of the server with money set aside for nothing
SELECT count(*) FROM server_spending WHERE reserved <> 0;
