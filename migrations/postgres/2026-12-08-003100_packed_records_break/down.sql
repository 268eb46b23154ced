-- On SQLite the next step is one that programs of before cannot work with. Here nothing is packed, since large values are
-- compressed anyway.
DELETE FROM schema_breaks WHERE version = '20261208003101';
