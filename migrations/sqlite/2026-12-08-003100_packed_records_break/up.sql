-- Programs that do not know `packed` would read packed records as empty ones.
INSERT INTO schema_breaks (version) VALUES ('20261208003101');
