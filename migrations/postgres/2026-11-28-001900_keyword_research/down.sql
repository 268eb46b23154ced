ALTER TABLE accounts DROP COLUMN keyword_research_limit;
DROP TABLE keyword_searches;
DROP TABLE keyword_reservations;
DROP TABLE keyword_quotas;
DROP TABLE keyword_flights;
DROP TABLE keyword_markets;
