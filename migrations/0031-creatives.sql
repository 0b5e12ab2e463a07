-- The images themselves, named by the hash of their content, so that nothing but the database is shared between
-- processes, and its backup is the whole. What is kept in an object store (CREATIVES_URL) has no bytes here.
create table creative (
  name text primary key,
  bytes bytea,
  created_at timestamptz not null default now()
);
-- Images are compressed already.
alter table creative alter column bytes set storage external;
