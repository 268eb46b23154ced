DROP TABLE sealed_secrets;
DROP TABLE server_keys;
