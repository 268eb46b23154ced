-- Steps that programs which do not know them cannot work with: those that take something away. Every other step leaves room for
-- the programs of before, which run on while theirs are replaced.
CREATE TABLE schema_breaks (
    version TEXT NOT NULL PRIMARY KEY
) STRICT;
