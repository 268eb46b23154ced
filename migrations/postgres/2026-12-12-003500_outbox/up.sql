-- Mail to one recipient each.
CREATE TABLE deliveries (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    id BIGINT NOT NULL,
    recipient TEXT NOT NULL,
    person_id BIGINT,
    purpose TEXT NOT NULL,
    variables TEXT NOT NULL,
    link_target BIGINT,
    state TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    next_at TIMESTAMPTZ,
    attempt BIGINT NOT NULL,
    handed_over_at TIMESTAMPTZ,
    ended_at TIMESTAMPTZ,
    reply TEXT,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX deliveries_due ON deliveries (account_id, next_at);
CREATE INDEX deliveries_by_creation ON deliveries (account_id, created_at, id);
CREATE INDEX deliveries_by_link ON deliveries (account_id, link_target);
CREATE INDEX deliveries_by_hand_over ON deliveries (account_id, handed_over_at);

-- Accounts by their earliest due delivery: a directory, read before the account is known.
CREATE TABLE account_deliveries (
    account_id BIGINT NOT NULL PRIMARY KEY,
    next_at TIMESTAMPTZ
);
CREATE INDEX account_deliveries_by_time ON account_deliveries (next_at);

-- Addresses that the account sends no messages to.
CREATE TABLE suppressions (
    account_id BIGINT NOT NULL REFERENCES accounts (account_id),
    recipient TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, recipient, reason)
);

-- Links with which a person acts without a session, by home account. Their hashes are in link_directory.
CREATE TABLE person_links (
    account_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    email TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    used_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
CREATE INDEX person_links_by_person ON person_links (account_id, user_id);
