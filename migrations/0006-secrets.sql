-- Secrets of the deployment that are made once and shared by all its processes.
create table secret (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);
