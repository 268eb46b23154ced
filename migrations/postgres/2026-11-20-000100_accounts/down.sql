DROP TABLE server_secrets;
DROP TABLE token_directory;
DROP TABLE api_tokens;
DROP TABLE user_directory;
DROP TABLE users;
DROP TABLE accounts;
