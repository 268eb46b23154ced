DROP INDEX ai_tallies_by_keyword;
