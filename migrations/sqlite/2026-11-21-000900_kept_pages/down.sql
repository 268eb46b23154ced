DROP TABLE staged_pages;
DROP TABLE kept_pages;
