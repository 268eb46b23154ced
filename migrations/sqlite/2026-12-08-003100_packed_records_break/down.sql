DELETE FROM schema_breaks WHERE version = '20261208003101';
