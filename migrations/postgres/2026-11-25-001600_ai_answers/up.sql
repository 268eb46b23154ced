-- How accounts ask AI engines; an engine without a row is asked as usual.
CREATE TABLE ai_models (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    engine TEXT COLLATE "C" NOT NULL,
    active BOOLEAN NOT NULL,
    samples BIGINT NOT NULL,
    prompts BIGINT NOT NULL,
    country TEXT,
    language TEXT,
    web_search BOOLEAN NOT NULL,
    weight DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (account_id, engine)
);
CREATE TABLE ai_engine_uses (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    engine TEXT COLLATE "C" NOT NULL,
    last_used_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, engine)
);
-- Answers as they came, packed; a run asks each question once.
CREATE TABLE ai_answers (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    job_id BIGINT NOT NULL,
    keyword_id BIGINT,
    engine TEXT COLLATE "C" NOT NULL,
    prompt_id TEXT COLLATE "C" NOT NULL,
    sample BIGINT NOT NULL,
    answered_at TIMESTAMPTZ NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE UNIQUE INDEX ai_answers_by_question ON ai_answers (account_id, job_id, engine, prompt_id, sample);
CREATE INDEX ai_answers_by_keyword ON ai_answers (account_id, job_id, keyword_id);
CREATE INDEX ai_answers_by_project ON ai_answers (account_id, project_id, id);
CREATE INDEX ai_answers_by_age ON ai_answers (account_id, answered_at);
-- What was counted of a keyword's answers on an engine in a run; kept longer than answers.
CREATE TABLE ai_tallies (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    engine TEXT COLLATE "C" NOT NULL,
    day DATE NOT NULL,
    job_id BIGINT NOT NULL,
    keyword_id BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (account_id, project_id, engine, day, job_id, keyword_id),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
CREATE INDEX ai_tallies_by_age ON ai_tallies (account_id, day);
-- What else the project and its rivals are called.
CREATE TABLE brands (
    account_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    domain TEXT COLLATE "C" NOT NULL,
    names TEXT NOT NULL,
    is_word BOOLEAN,
    PRIMARY KEY (account_id, project_id, domain),
    FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)
);
-- The engines that a run asks; null for all that the account asks.
ALTER TABLE jobs ADD COLUMN models TEXT;
