DROP INDEX deliveries_by_person;
DROP INDEX deliveries_lost;
DROP INDEX deliveries_waiting;
DROP INDEX jobs_lost;
