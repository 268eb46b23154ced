-- The server's data keys, wrapped by a key that is not in the database.
CREATE TABLE server_keys (
    version INTEGER NOT NULL PRIMARY KEY,
    wrapped_by BLOB NOT NULL,
    wrapped BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Secrets of the server that its data keys seal.
CREATE TABLE sealed_secrets (
    purpose TEXT NOT NULL,
    number INTEGER NOT NULL,
    key_version INTEGER NOT NULL,
    envelope BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (purpose, number)
) STRICT;
