DROP TABLE account_console_fetches;
DROP TABLE console_bindings;
DROP TABLE console_rows;
DROP TABLE console_spans;
