DROP TABLE schema_breaks;
