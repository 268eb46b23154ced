DROP TABLE result_carries;
DROP TABLE result_heads;
DROP TABLE findings;
DROP TABLE latest_serps;
DROP TABLE rank_points;
