-- What a pair of a customer may do: its scope, and the campaigns that it is limited to (null: all). Pairs from before may
-- do everything, as they always could. `created_by` is the key of the pair or the session that made it.
alter table credential
  add column name text,
  add column scope text not null default 'all' check (scope in ('read', 'propose', 'spend', 'all')),
  add column cids bigint[],
  add column created_by text;

-- When a pair was last used, to about a minute. Apart from the pair itself, which seldom changes.
create table credential_use (
  key text primary key references credential on delete cascade,
  used_at timestamptz not null
);
