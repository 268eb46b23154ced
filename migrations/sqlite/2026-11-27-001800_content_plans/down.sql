DROP TABLE content_plans;
