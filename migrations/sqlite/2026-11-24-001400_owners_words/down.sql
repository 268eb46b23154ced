DROP TABLE ignored_suggestions;
DROP TABLE named_sites;
