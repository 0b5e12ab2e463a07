-- The secret key with which a site's servers request ads. As with every secret, only its SHA-256 is stored.
alter table source add column server_key_hash bytea unique;
