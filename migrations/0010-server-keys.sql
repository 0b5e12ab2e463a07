-- The secret key by which a site's servers ask for ads. As of every secret, only the SHA-256 is kept.
alter table source add column server_key_hash bytea unique;
