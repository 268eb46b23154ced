DROP TABLE server_notes;
