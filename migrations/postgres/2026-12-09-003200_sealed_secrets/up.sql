-- The server's data keys, wrapped by a key that is not in the database.
CREATE TABLE server_keys (
    version BIGINT NOT NULL PRIMARY KEY,
    wrapped_by BYTEA NOT NULL,
    wrapped BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

-- Secrets of the server that its data keys seal.
CREATE TABLE sealed_secrets (
    purpose TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    key_version BIGINT NOT NULL,
    envelope BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (purpose, number)
);
