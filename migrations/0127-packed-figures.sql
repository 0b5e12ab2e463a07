-- Figures that nothing is added to any more, packed by month: one row instead of one per quarter of an hour, or per day
-- and name. Nothing is rounded: every question gets the same answer as before. The other tables keep what is newer, and
-- whatever is folded late, until it is packed, too. An array whose values are all 0 is empty.

create table rollup_packed (
  id bigint not null,
  -- The first day of the month, UTC.
  month date not null,
  -- Quarters of an hour since 1970, ascending.
  quarters integer[] not null,
  imps integer[] not null,
  views integer[] not null,
  clicks integer[] not null,
  actions integer[] not null,
  spend_micros bigint[] not null,
  primary key (id, month)
);

create table rollup_dimension_packed (
  id bigint not null,
  dimension "char" not null,
  -- The first day of the month; days are the deployment's.
  month date not null,
  days date[] not null,
  names bigint[] not null,
  imps integer[] not null,
  views integer[] not null,
  clicks integer[] not null,
  actions integer[] not null,
  spend_micros bigint[] not null,
  primary key (id, dimension, month)
);

-- The same in rows, for people and for readers.
create view rollup_unpacked as
select p.id, p.month, u.quarter, coalesce(u.imps, 0) as imps, coalesce(u.views, 0) as views,
  coalesce(u.clicks, 0) as clicks, coalesce(u.actions, 0) as actions, coalesce(u.spend_micros, 0) as spend_micros
from rollup_packed p cross join lateral unnest(p.quarters, p.imps, p.views, p.clicks, p.actions, p.spend_micros)
  as u(quarter, imps, views, clicks, actions, spend_micros);

create view rollup_dimension_unpacked as
select p.id, p.dimension, p.month, u.day, u.name, coalesce(u.imps, 0) as imps, coalesce(u.views, 0) as views,
  coalesce(u.clicks, 0) as clicks, coalesce(u.actions, 0) as actions, coalesce(u.spend_micros, 0) as spend_micros
from rollup_dimension_packed p cross join lateral unnest(p.days, p.names, p.imps, p.views, p.clicks, p.actions,
  p.spend_micros) as u(day, name, imps, views, clicks, actions, spend_micros);

-- Which campaigns of a customer have figures of a day.
create view counted_day as
select cuid, cid, day from rollup_customer union all select cuid, cid, day from fresh;

-- Since when `rollup_dimension` has the sums of customers, too, under their negated ids, which nothing else has. They are
-- added by triggers, so that they are complete whichever version folds. What was folded before is found leaf by leaf.
create table customer_sums_since (
  only_row boolean primary key default true check (only_row),
  day date not null
);
insert into customer_sums_since (day)
select case when exists (select from rollup_dimension) or exists (select from fresh) then current_date + 2
  else date '-infinity' end;

create function add_to_customers() returns trigger language plpgsql as $$
begin
  insert into rollup_dimension as d (id, dimension, day, name, imps, views, clicks, actions, spend_micros)
  select -l.cuid, n.dimension, n.day, n.name, sum(n.imps), sum(n.views), sum(n.clicks), sum(n.actions),
    sum(n.spend_micros)
  from added n join leaf l on l.leaf = n.id where n.dimension <> 'h'
  group by l.cuid, n.dimension, n.day, n.name order by -l.cuid, n.dimension, n.day, n.name
  on conflict (id, dimension, day, name) do update set imps = d.imps + excluded.imps, views = d.views + excluded.views,
    clicks = d.clicks + excluded.clicks, actions = d.actions + excluded.actions,
    spend_micros = d.spend_micros + excluded.spend_micros;
  return null;
end $$;

create function change_at_customers() returns trigger language plpgsql as $$
begin
  insert into rollup_dimension as d (id, dimension, day, name, imps, views, clicks, actions, spend_micros)
  select -l.cuid, n.dimension, n.day, n.name, sum(n.imps), sum(n.views), sum(n.clicks), sum(n.actions),
    sum(n.spend_micros)
  from (
    select id, dimension, day, name, imps, views, clicks, actions, spend_micros from added
    union all
    select id, dimension, day, name, -imps, -views, -clicks, -actions, -spend_micros from removed
  ) n join leaf l on l.leaf = n.id where n.dimension <> 'h'
  group by l.cuid, n.dimension, n.day, n.name order by -l.cuid, n.dimension, n.day, n.name
  on conflict (id, dimension, day, name) do update set imps = d.imps + excluded.imps, views = d.views + excluded.views,
    clicks = d.clicks + excluded.clicks, actions = d.actions + excluded.actions,
    spend_micros = d.spend_micros + excluded.spend_micros;
  return null;
end $$;

-- What they add themselves fires nothing.
create trigger customers_added after insert on rollup_dimension referencing new table as added
  for each statement when (pg_trigger_depth() = 0) execute function add_to_customers();
create trigger customers_changed after update on rollup_dimension referencing new table as added old table as removed
  for each statement when (pg_trigger_depth() = 0) execute function change_at_customers();
