-- What suppliers of keyword data told: of nobody's account, for everyone. The key is a hash of supplier,
-- country, language and keyword.
CREATE TABLE keyword_markets (
    market_key BLOB NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    bought_at INTEGER NOT NULL,
    keyword TEXT NOT NULL,
    country TEXT NOT NULL,
    language TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX keyword_markets_by_end ON keyword_markets (expires_at);
-- Questions to suppliers under way, and the last that brought nothing: who asks the same meanwhile
-- waits. It is not said who asked.
CREATE TABLE keyword_flights (
    market_key BLOB NOT NULL PRIMARY KEY,
    flight_id INTEGER NOT NULL,
    until INTEGER NOT NULL,
    failure TEXT
) STRICT;
-- Searches that were bought in a month, named by its first day.
CREATE TABLE keyword_quotas (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    month TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
) STRICT;
-- Units of the quota and money that are set aside for questions under way.
CREATE TABLE keyword_reservations (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    flight_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    day TEXT NOT NULL,
    most INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (account_id, flight_id)
) STRICT;
-- What people searched, with what they were shown.
CREATE TABLE keyword_searches (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    market_key BLOB NOT NULL,
    bought_at INTEGER NOT NULL,
    searched_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    keyword TEXT NOT NULL,
    country TEXT NOT NULL,
    language TEXT NOT NULL,
    provider TEXT NOT NULL,
    provenance TEXT NOT NULL,
    search_volume INTEGER,
    ideas INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
CREATE UNIQUE INDEX keyword_searches_once ON keyword_searches (account_id, user_id, market_key, bought_at);
CREATE INDEX keyword_searches_by_time ON keyword_searches (account_id, user_id, searched_at);
CREATE INDEX keyword_searches_by_age ON keyword_searches (account_id, searched_at);
-- Accounts from before have the number that new ones begin with.
ALTER TABLE accounts ADD COLUMN keyword_research_limit INTEGER;
