-- Few rows each, read over all accounts: what an operator looks at.
CREATE INDEX jobs_lost ON jobs (account_id, finished_at) WHERE state IN ('failed', 'expired');
CREATE INDEX deliveries_waiting ON deliveries (account_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_lost ON deliveries (account_id, ended_at) WHERE state IN ('failed', 'unknown', 'expired');

-- Messages about a person's login: one an hour for each purpose.
CREATE INDEX deliveries_by_person ON deliveries (account_id, person_id, purpose, created_at) WHERE person_id IS NOT NULL;
