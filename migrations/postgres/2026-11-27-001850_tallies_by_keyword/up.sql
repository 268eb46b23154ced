-- A month of some keywords is read without those of all others.
CREATE INDEX ai_tallies_by_keyword ON ai_tallies (account_id, project_id, keyword_id, day);
