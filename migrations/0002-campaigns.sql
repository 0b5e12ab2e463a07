-- The order and what is beneath it: campaigns, flights, personas, banners; who changed what; and what delivery must reload.

create table campaign (
  cid bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  name text not null,
  start_at timestamptz not null,
  end_at timestamptz not null check (end_at > start_at),
  enabled boolean not null,
  -- Impressions one user may see a day; 0: no cap.
  freq integer not null,
  daily_spend_micros bigint not null,
  cpm_micros bigint not null,
  category text[] not null,
  pacing text not null check (pacing in ('even', 'asap')),
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create index campaign_of_customer on campaign (cuid, cid) where deleted_at is null;

create table flight (
  fid bigint primary key default nextval('ids'),
  cid bigint not null references campaign,
  -- The born flight: its dates are the campaign's, so it has none of its own.
  is_default boolean not null,
  name text not null,
  start_at timestamptz,
  end_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  check (is_default = (start_at is null)),
  check (is_default = (end_at is null)),
  check (end_at > start_at)
);
create index flight_of_campaign on flight (cid, fid) where deleted_at is null;
create unique index flight_default on flight (cid) where is_default;

create table persona (
  pid bigint primary key default nextval('ids'),
  cid bigint not null references campaign,
  name text not null,
  -- { "geos": [...] } or { "radius": metres, "geocode": [lat, lon] }
  geo jsonb not null,
  cat text[] not null,
  device jsonb not null,
  demo jsonb not null,
  enabled boolean not null default true,
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create index persona_of_campaign on persona (cid, pid) where deleted_at is null;

create table banner (
  bid bigint primary key default nextval('ids'),
  pid bigint not null references persona,
  name text not null,
  creative_url text not null,
  click_url text,
  -- As declared; once approved, as they really are.
  width integer,
  height integer,
  type text,
  bytes integer,
  animated boolean not null default false,
  -- Name of our own copy, `<sha256>.<extension>`.
  creative_name text,
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reasons text[] not null default '{}',
  -- Counts what is put to review, so that the answer to an earlier review cannot land on a later creative.
  review_round integer not null default 1,
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create index banner_of_persona on banner (pid, bid) where deleted_at is null;

create table audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null,
  cuid bigint not null,
  cid bigint,
  noun text not null,
  id bigint not null,
  action text not null,
  -- The key half of the caller's pair, or the name of the part that acted by itself.
  actor text not null,
  before jsonb,
  after jsonb
);
create index audit_of_campaign on audit (cid, audit_id) where cid is not null;

-- What delivery must load again. `tx` rather than a number orders it: numbers do not commit in order.
create table catalog_change (
  change_id bigint generated always as identity primary key,
  tx xid8 not null default pg_current_xact_id(),
  noun text not null,
  id bigint not null,
  at timestamptz not null default now()
);
create index catalog_change_tx on catalog_change (tx);
create index catalog_change_age on catalog_change (at);
