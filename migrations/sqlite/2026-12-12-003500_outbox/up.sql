-- Mail to one recipient each.
CREATE TABLE deliveries (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    id INTEGER NOT NULL,
    recipient TEXT NOT NULL,
    person_id INTEGER,
    purpose TEXT NOT NULL,
    variables TEXT NOT NULL,
    link_target INTEGER,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    next_at INTEGER,
    attempt INTEGER NOT NULL,
    handed_over_at INTEGER,
    ended_at INTEGER,
    reply TEXT,
    PRIMARY KEY (account_id, id)
) STRICT;
CREATE INDEX deliveries_due ON deliveries (account_id, next_at);
CREATE INDEX deliveries_by_creation ON deliveries (account_id, created_at, id);
CREATE INDEX deliveries_by_link ON deliveries (account_id, link_target);
CREATE INDEX deliveries_by_hand_over ON deliveries (account_id, handed_over_at);

-- Accounts by their earliest due delivery: a directory, read before the account is known.
CREATE TABLE account_deliveries (
    account_id INTEGER NOT NULL PRIMARY KEY,
    next_at INTEGER
) STRICT;
CREATE INDEX account_deliveries_by_time ON account_deliveries (next_at);

-- Addresses that the account sends no messages to.
CREATE TABLE suppressions (
    account_id INTEGER NOT NULL REFERENCES accounts (account_id),
    recipient TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, recipient, reason)
) STRICT;

-- Links with which a person acts without a session, by home account. Their hashes are in link_directory.
CREATE TABLE person_links (
    account_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    email TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
) STRICT;
CREATE INDEX person_links_by_person ON person_links (account_id, user_id);
