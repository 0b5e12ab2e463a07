-- A sample of the ad requests of each hour, of each process that delivers, kept for 28 days: how far campaigns get with
-- real requests is answered from it. It has only what decisions use: no address, no id, no user, no page.
-- It replaces the table of 0067, which the previous version still writes to while both run.
create table traffic_hour (
  hour timestamptz not null,
  -- Of one process, from its start to its end.
  sample_id uuid not null,
  requests bigint not null,
  -- Every n-th request is kept; n is a power of two.
  stride integer not null,
  kept text not null,
  primary key (hour, sample_id)
);

-- Campaigns that run and get nowhere, as the last check found them, and when it was.
create table stalled (
  cid bigint primary key references campaign (cid) on delete cascade,
  code text not null,
  params jsonb not null,
  since timestamptz not null,
  checked_at timestamptz not null,
  -- Webhooks and mails know of it.
  reported_at timestamptz,
  -- It is over; kept for a day, so that what comes back at once is not reported twice.
  ended_at timestamptz
);
create index stalled_unreported on stalled (cid) where reported_at is null and ended_at is null;

create table stalled_check (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null
);
insert into stalled_check (at) values ('epoch');
