DROP TABLE keywords;
DROP TABLE projects;
