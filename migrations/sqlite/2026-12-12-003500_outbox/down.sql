DROP TABLE person_links;
DROP TABLE suppressions;
DROP TABLE account_deliveries;
DROP TABLE deliveries;
