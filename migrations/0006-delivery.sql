-- Secrets of the deployment that are made once and shared by all its processes.
create table secret (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);

-- The order in which changes are read.
create index catalog_change_order on catalog_change (tx, change_id);
drop index catalog_change_tx;
