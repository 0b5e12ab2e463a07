-- Events for their owner, hour by hour (docs/export.md).

-- The transaction that wrote a row. Transactions end out of order, but none below the oldest running one can add
-- anything any more: what lies below that number is closed, whatever the clocks say. Earlier rows have the number of
-- this migration. If the database was restored into another cluster, which numbers its transactions from the beginning,
-- the default is raised (src/export/numbering.ts).
alter table event add column if not exists tx bigint not null default pg_current_xact_id()::text::bigint;
alter table action add column if not exists tx bigint not null default pg_current_xact_id()::text::bigint;
-- Rows are on disk in the order in which they were written, so a summary of each range of pages finds them.
create index event_by_tx on event using brin (tx) with (pages_per_range = 32, autosummarize = on);

-- Hours that were closed: [from_tx, to_tx). Each begins where the last one ended: no row is in two of them or in none.
create table export_hour (
  hour timestamptz primary key,
  from_tx bigint not null unique,
  to_tx bigint not null,
  closed_at timestamptz not null,
  check (from_tx < to_tx)
);

-- How far a destination has got: the `to_tx` of its last hour.
create table export_mark (
  destination text primary key,
  to_tx bigint not null
);

-- The cluster whose transactions number the rows, and what is added to them.
create table event_numbering (
  only_row boolean primary key default true check (only_row),
  cluster text not null,
  tx_offset bigint not null
);
