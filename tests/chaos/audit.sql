-- Holds when every job is finished; SQL for both databases. `count` queries report numbers, `wrong` queries must return
-- 0.

-- count: accepted jobs
SELECT count(*) FROM jobs;
-- count: jobs that succeeded
SELECT count(*) FROM jobs WHERE state IN ('succeeded', 'partial');
-- count: rank checks
SELECT count(*) FROM jobs WHERE kind = 'rankCheck';
-- count: site audits
SELECT count(*) FROM jobs WHERE kind = 'siteAudit';
-- count: measurements of web vitals
SELECT count(*) FROM jobs WHERE kind = 'webVitals';
-- count: questions to AI engines
SELECT count(*) FROM jobs WHERE kind = 'aiVisibility';
-- count: jobs that failed because their workers died three times
SELECT count(*) FROM jobs WHERE state = 'failed' AND crash_count >= 3;
-- count: leases that were lost
SELECT coalesce(sum(crash_count), 0) FROM jobs;
-- count: measurements of keywords
SELECT count(*) FROM rank_history;
-- count: answers of AI engines
SELECT count(*) FROM ai_answers;
-- count: published records
SELECT count(*) FROM findings;
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
-- wrong: rank checks that succeeded without a measurement of each keyword
SELECT count(*) FROM jobs WHERE kind = 'rankCheck' AND state IN ('succeeded', 'partial') AND (SELECT count(*) FROM rank_history WHERE rank_history.account_id = jobs.account_id AND rank_history.job_id = jobs.id) <> (SELECT count(*) FROM keywords WHERE keywords.account_id = jobs.account_id AND keywords.project_id = jobs.project_id);
-- wrong: rank checks that succeeded without a record of each keyword
SELECT count(*) FROM jobs WHERE kind = 'rankCheck' AND state IN ('succeeded', 'partial') AND (SELECT count(*) FROM findings WHERE findings.account_id = jobs.account_id AND findings.job_id = jobs.id AND result_type = 'rankings') <> (SELECT count(*) FROM keywords WHERE keywords.account_id = jobs.account_id AND keywords.project_id = jobs.project_id);
-- wrong: jobs that succeeded without a result
SELECT count(*) FROM jobs WHERE state IN ('succeeded', 'partial') AND NOT EXISTS (SELECT 1 FROM result_heads WHERE result_heads.account_id = jobs.account_id AND result_heads.job_id = jobs.id);
-- wrong: answers that a job kept twice
SELECT count(*) FROM (SELECT account_id, job_id, engine, prompt_id, sample FROM ai_answers GROUP BY account_id, job_id, engine, prompt_id, sample HAVING count(*) > 1) AS twice;
-- wrong: numbers of answers that not every run of the AI engines has
SELECT CASE WHEN count(DISTINCT answers) > 1 THEN count(DISTINCT answers) - 1 ELSE 0 END FROM (SELECT count(*) AS answers FROM ai_answers JOIN jobs ON jobs.account_id = ai_answers.account_id AND jobs.id = ai_answers.job_id WHERE state IN ('succeeded', 'partial') GROUP BY ai_answers.account_id, ai_answers.job_id) AS runs;
-- wrong: types of which equal sites have different numbers of records
SELECT count(*) FROM (SELECT kind, result_type FROM (SELECT kind, result_type, count(*) AS records FROM findings JOIN jobs ON jobs.account_id = findings.account_id AND jobs.id = findings.job_id WHERE kind IN ('siteAudit', 'webVitals') AND result_type <> 'suggestions' GROUP BY kind, result_type, findings.account_id, findings.job_id) AS runs GROUP BY kind, result_type HAVING count(DISTINCT records) > 1) AS odd;
-- wrong: pages that an audit kept, and are not those of its site
SELECT count(*) FROM (SELECT account_id, project_id FROM kept_pages GROUP BY account_id, project_id HAVING count(*) <> (SELECT max(pages) FROM (SELECT count(*) AS pages FROM kept_pages GROUP BY account_id, project_id) AS sites)) AS odd;
-- wrong: published records of jobs that did not succeed
SELECT count(*) FROM findings WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = findings.account_id AND jobs.id = findings.job_id AND jobs.state IN ('succeeded', 'partial'));
-- wrong: heads of results of jobs that did not succeed
SELECT count(*) FROM result_heads WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = result_heads.account_id AND jobs.id = result_heads.job_id AND jobs.state IN ('succeeded', 'partial'));
-- wrong: records on their way that nobody will publish
SELECT count(*) FROM staged_findings;
-- wrong: pages on their way that nobody will keep
SELECT count(*) FROM staged_pages;
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
