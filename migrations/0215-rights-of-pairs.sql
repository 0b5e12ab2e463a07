-- outside of a transaction
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- A pair that the app obtained for itself, to work as a customer. It is counted apart from the customer's own.
alter table credential add column if not exists by_app boolean not null default false;

-- What a pair of a customer may do: its scope, and the campaigns that it is limited to (null: all). Pairs from before may
-- do everything, as they always could. `created_by` is the key of the pair or the session that made it.
alter table credential
  add column if not exists name text,
  add column if not exists scope text not null default 'all' check (scope in ('read', 'propose', 'spend', 'all')),
  add column if not exists cids bigint[],
  add column if not exists created_by text;

-- When a pair was last used, to about a minute. Apart from the pair itself, which seldom changes.
create table if not exists credential_use (
  key text primary key references credential on delete cascade,
  used_at timestamptz not null
);

-- What a super pair may do: its scope (read, all), and the customers of the app that it is limited to (null: all).
alter table credential add column if not exists cuids bigint[];

-- The customers that a webhook tells of: those of the super pair that made it (null: all).
alter table webhook add column if not exists cuids bigint[];

-- Since when a customer is frozen: nothing of it delivers or can be changed. Null: it is not.
alter table customer add column if not exists frozen_at timestamptz;

-- The most that callers of a customer, or one of its pairs, may make of budgets and prices: amounts in micros. Null: none.
alter table customer add column if not exists ceilings jsonb;
alter table credential add column if not exists ceilings jsonb;

-- How much was written in an hour, for those with a ceiling for it: by a customer (its cuid) or with a pair (its key).
create table if not exists writes_in_hour (
  owner text primary key,
  hour timestamptz not null,
  writes integer not null
);
-- Old counts are swept.
create index if not exists writes_in_hour_hour on writes_in_hour (hour);
