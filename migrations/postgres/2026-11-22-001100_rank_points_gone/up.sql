DROP TABLE rank_points;
