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
