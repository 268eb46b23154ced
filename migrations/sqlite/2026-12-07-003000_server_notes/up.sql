-- What the processes of this server tell each other: the last backup, suppliers that refuse the operator's account.
CREATE TABLE server_notes (
    topic TEXT NOT NULL PRIMARY KEY,
    note TEXT NOT NULL,
    noted_at INTEGER NOT NULL
) STRICT;
