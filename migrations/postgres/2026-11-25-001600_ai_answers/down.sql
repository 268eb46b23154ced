ALTER TABLE jobs DROP COLUMN models;
DROP TABLE brands;
DROP TABLE ai_tallies;
DROP TABLE ai_answers;
DROP TABLE ai_engine_uses;
DROP TABLE ai_models;
