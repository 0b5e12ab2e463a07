-- What happened, and what it adds up to. Figures are read from the rollups only; events are the proof behind them.

-- Keys that sign tracking links; the newest signs, all verify until they are too old for any link.
create table signing_key (
  key_id smallint primary key,
  secret bytea not null,
  created_at timestamptz not null
);

-- Impressions and clicks that were counted. An ad's events all carry the moment it was served (it stands in the link),
-- so that they fall into one partition, and the primary key makes each count once for ever.
create table event (
  served_at timestamptz not null,
  ad_id bytea not null,
  kind text not null check (kind in ('impression', 'click')),
  at timestamptz not null,
  cuid bigint not null,
  cid bigint not null,
  fid bigint not null,
  pid bigint not null,
  bid bigint not null,
  source_id bigint not null,
  -- The day (yyyymmdd, deployment's zone) whose budget pays.
  budget_day integer not null,
  spend_micros bigint not null,
  -- 64 bits of a keyed hash, for caps and for actions after a view.
  user_hash bytea,
  place_hash bigint,
  device text,
  os text,
  country text,
  primary key (served_at, ad_id, kind)
) partition by range (served_at);
create index event_of_campaign on event (cid, at);
create index event_of_user_day on event (budget_day, cid) where kind = 'impression';
create index event_of_user on event (user_hash, at) where kind = 'impression' and user_hash is not null;

-- Domains and apps that ads were shown on; links carry the hash.
create table place (
  place_hash bigint primary key,
  kind text not null check (kind in ('domain', 'app')),
  name text not null
);

-- Conversions that were counted: once for an order, else once for a click and name.
create table action (
  action_id bigint generated always as identity primary key,
  cuid bigint not null,
  -- 'o:<order>' or 'c:<ad id>:<name>' or 'v:<ad id>:<name>'
  dedupe text not null,
  at timestamptz not null,
  name text not null,
  value_micros bigint,
  -- The ad it is credited to.
  served_at timestamptz not null,
  ad_id bytea not null,
  credited_to text not null check (credited_to in ('click', 'view')),
  cid bigint not null,
  fid bigint not null,
  pid bigint not null,
  bid bigint not null,
  place_hash bigint,
  device text,
  os text,
  country text,
  unique (cuid, dedupe)
);
create index action_of_campaign on action (cid, at);

-- One row for a customer, campaign, flight, persona or banner (ids are unique among all) and quarter of an hour:
-- every time zone's day, hour, week and month is a sum of quarters. Pages of figures keep room, so that adding to a
-- row stays in its page and touches no index.
create table rollup (
  id bigint not null,
  quarter timestamptz not null,
  imps bigint not null default 0,
  clicks bigint not null default 0,
  actions bigint not null default 0,
  spend_micros bigint not null default 0,
  primary key (id, quarter)
) with (fillfactor = 70);

-- The same by day (deployment's zone) and one dimension: domain, app, os, device, country, banner, persona, action, hour.
create table rollup_dimension (
  id bigint not null,
  dimension text not null,
  day date not null,
  name text not null,
  imps bigint not null default 0,
  clicks bigint not null default 0,
  actions bigint not null default 0,
  spend_micros bigint not null default 0,
  primary key (id, dimension, day, name)
) with (fillfactor = 70);

-- What was not counted, and why.
create table rollup_filtered (
  id bigint not null,
  day date not null,
  reason text not null,
  imps bigint not null default 0,
  clicks bigint not null default 0,
  actions bigint not null default 0,
  primary key (id, day, reason)
);

-- What a campaign has spent of a day's budget (yyyymmdd, deployment's zone): the ledger starts from it.
create table budget_day (
  cid bigint not null,
  day integer not null,
  spent_micros bigint not null,
  primary key (cid, day)
) with (fillfactor = 70);
create index budget_day_by_day on budget_day (day);
