-- Apps that may manage sources, which until now only the operator could: an app that is alone on its deployment may.
alter table app add column may_sources boolean not null default false;
update app set may_sources = true
where revoked_at is null and not exists (
  select 1 from app other where other.revoked_at is null and other.app_id <> app.app_id
);

-- A key that was renewed goes on for a while; a site may have shown that its domain is its own.
alter table source
  add column version integer not null default 1,
  add column old_key text,
  add column old_key_until timestamptz,
  add column old_server_key_hash bytea,
  add column old_server_key_until timestamptz,
  add column checked_at timestamptz;

-- Who added, changed, renewed or revoked which source.
create table source_change (
  change_id bigint generated always as identity primary key,
  source_id bigint not null references source,
  -- Of whoever did it; null: the command line.
  app_id bigint references app,
  at timestamptz not null,
  action text not null check (action in ('add', 'edit', 'renew', 'check', 'revoke')),
  -- As in `audit`.
  actor text not null,
  before jsonb,
  after jsonb
);
create index source_change_age on source_change (at);
