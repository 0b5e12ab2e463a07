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
