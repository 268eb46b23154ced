DROP TABLE sign_in_throttles;
DROP TABLE session_directory;
DROP TABLE sessions;
DROP TABLE user_passwords;
