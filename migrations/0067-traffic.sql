-- Samples of the ad requests of the last hours, one row for each node, so that any process can say how far they come. Not
-- logged: what a crash takes away is there again within seconds of traffic.
create unlogged table traffic (
  node_id integer primary key,
  at timestamptz not null,
  since timestamptz not null,
  requests bigint not null,
  -- Every so-many-th request is kept, a power of two.
  stride integer not null,
  kept text not null,
  -- Ads served, by persona.
  served jsonb not null
);
