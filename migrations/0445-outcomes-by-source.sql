-- What became of the impressions of each source, by quarter of an hour: `counted`, or the reason why not. Kept for a day.
create table source_outcome (
  source_id bigint not null,
  at timestamptz not null,
  outcome text not null,
  calls bigint not null,
  primary key (at, source_id, outcome)
) with (fillfactor = 70);
