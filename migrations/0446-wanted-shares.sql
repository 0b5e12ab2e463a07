-- Nodes that had to refuse a request for lack of money of which others hold some: who holds it idle gives it back, and
-- who lacked it asks again. Of the moment only, so a crash may lose it.
create unlogged table share_want (
  day integer not null,
  cid bigint not null,
  node_id integer not null,
  -- What is enough for one impression; null: the node finds out by asking.
  least_micros bigint,
  wanted_at timestamptz not null,
  primary key (node_id, day, cid)
);
