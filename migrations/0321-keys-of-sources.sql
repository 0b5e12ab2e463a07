-- A key that was renewed goes on for a while; a site may have shown that its domain is its own.
alter table source
  add column version integer not null default 1,
  add column old_key text,
  add column old_key_until timestamptz,
  add column old_server_key_hash bytea,
  add column old_server_key_until timestamptz,
  add column checked_at timestamptz;
