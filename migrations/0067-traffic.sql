-- Samples of the ad requests of the last hours, one row for each node, so that any process can say how far they get. Not
-- logged: after a crash, seconds of traffic bring it back.
create unlogged table traffic (
  node_id integer primary key,
  at timestamptz not null,
  since timestamptz not null,
  requests bigint not null,
  -- Every n-th request is kept; n is a power of two.
  stride integer not null,
  kept text not null,
  -- Ads served, by persona.
  served jsonb not null
);
