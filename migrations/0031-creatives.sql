-- The images themselves, named by the hash of their content, so that processes share nothing but the database, and its
-- backup is complete. Images kept in an object store (CREATIVES_URL) have no bytes here.
create table creative (
  name text primary key,
  bytes bytea,
  created_at timestamptz not null default now()
);
-- Images are already compressed.
alter table creative alter column bytes set storage external;
