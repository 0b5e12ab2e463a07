-- outside of a transaction
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- Apps that may manage sources, which until now only the operator could: an app that is alone on its deployment may.
alter table app add column if not exists may_sources boolean not null default false;
update app set may_sources = true
where revoked_at is null and not exists (
  select 1 from app other where other.revoked_at is null and other.app_id <> app.app_id
);

-- A key that was renewed goes on for a while; a site may have shown that its domain is its own.
alter table source
  add column if not exists version integer not null default 1,
  add column if not exists old_key text,
  add column if not exists old_key_until timestamptz,
  add column if not exists old_server_key_hash bytea,
  add column if not exists old_server_key_until timestamptz,
  add column if not exists checked_at timestamptz;

-- Whether banners wait for a person after the checks of a program: by app, or by customer (null: as its app).
alter table app add column if not exists review text not null default 'automatic' check (review in ('automatic', 'manual'));

-- As its app, unless the customer has a choice of its own.
alter table customer add column if not exists review text check (review in ('automatic', 'manual'));

-- Since when a banner waits for a person: it is still pending, and its image has passed the checks. Null: it does not.
alter table banner add column if not exists awaits_person_since timestamptz;

-- What a review found, as data: for each entry of `reasons` its code, its values and the same words.
alter table banner add column if not exists findings jsonb not null default '[]';
