DROP TABLE site_turns;
