-- Who added, changed or removed whom of an app's staff.
create table staff_change (
  change_id bigint generated always as identity primary key,
  app_id bigint not null references app,
  sid bigint not null references staff,
  at timestamptz not null,
  action text not null check (action in ('add', 'edit', 'remove')),
  -- As in `audit`: the key of a pair, a person of the staff, or the command line.
  actor text not null,
  before jsonb,
  after jsonb
);
create index staff_change_of_app on staff_change (app_id, change_id);
create index staff_change_age on staff_change (at);
