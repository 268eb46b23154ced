-- How accounts ask AI engines; an engine without a row is asked as usual.
CREATE TABLE ai_models (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    engine TEXT NOT NULL,
    active INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    prompts INTEGER NOT NULL,
    country TEXT,
    language TEXT,
    web_search INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (account_id, engine)
) STRICT;
CREATE TABLE ai_engine_uses (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    engine TEXT NOT NULL,
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, engine)
) STRICT;
-- Answers as they came, packed; a run asks each question once.
CREATE TABLE ai_answers (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    keyword_id INTEGER,
    engine TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    sample INTEGER NOT NULL,
    answered_at INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE UNIQUE INDEX ai_answers_by_question ON ai_answers (account_id, job_id, engine, prompt_id, sample);
CREATE INDEX ai_answers_by_keyword ON ai_answers (account_id, job_id, keyword_id);
CREATE INDEX ai_answers_by_project ON ai_answers (account_id, project_id, id);
CREATE INDEX ai_answers_by_age ON ai_answers (account_id, answered_at);
-- What was counted of a keyword's answers on an engine in a run; kept longer than answers.
CREATE TABLE ai_tallies (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    engine TEXT NOT NULL,
    day TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    keyword_id INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (account_id, project_id, engine, day, job_id, keyword_id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
CREATE INDEX ai_tallies_by_age ON ai_tallies (account_id, day);
-- What else the project and its rivals are called.
CREATE TABLE brands (
    account_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    domain TEXT NOT NULL,
    names TEXT NOT NULL,
    is_word INTEGER,
    PRIMARY KEY (account_id, project_id, domain),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
) STRICT;
-- The engines that a run asks; null for all that the account asks.
ALTER TABLE jobs ADD COLUMN models TEXT;
