-- What conversions were worth, beside the other figures. A trigger adds it where conversions are written, so that it is
-- complete whichever version writes them. Those with a value are few: nothing waits to be folded.

-- Of a customer, campaign, flight, persona or banner, by quarter of an hour.
create table rollup_value (
  id bigint not null,
  quarter timestamptz not null,
  value_micros bigint not null,
  primary key (id, quarter)
) with (fillfactor = 90);

-- By day (the customer's zone) and the dimensions of `rollup_dimension`, of a leaf, and of a customer under its negated
-- id. A customer also has g, its campaigns, and n, its personas, by their ids.
create table rollup_value_dimension (
  id bigint not null,
  dimension "char" not null,
  day date not null,
  name bigint not null,
  value_micros bigint not null,
  primary key (id, dimension, day, name)
) with (fillfactor = 90);

-- Conversions that are worth something, as figures need them: names are numbers, as in `rollup_dimension`.
create view valued_action as
select a.action_id, a.cuid, a.cid, a.fid, a.pid, a.bid, l.leaf, a.value_micros,
  date_bin('15 minutes', a.at, timestamptz 'epoch') as quarter,
  day_at(u.timezone, u.timezone_before, a.at, coalesce((select value from deployment where name = 'timezone'), 'UTC'))
    as day,
  coalesce(a.place_hash, 0) as place_hash, a.locality, a.audience,
  ascii(case a.device when 'mobile' then 'm' when 'tablet' then 't' when 'desktop' then 'd' else '?' end) as device,
  ascii(case a.os when 'Windows' then 'w' when 'macOS' then 'm' when 'Linux' then 'l' when 'Android' then 'a'
    when 'iOS' then 'i' when 'Chrome OS' then 'c' when 'other' then 'o' else '?' end) as os,
  case when a.country ~ '^[A-Z]{2}$' then (ascii(a.country) - 65) * 26 + ascii(substring(a.country from 2)) - 64
    else 0 end as country,
  ('x' || encode(substring(sha256(convert_to('action ' || a.name, 'UTF8')) from 1 for 6), 'hex'))::bit(48)::bigint
    as action_hash
from action a left join customer u on u.cuid = a.cuid
  left join leaf l on (l.cid, l.fid, l.pid, l.bid, l.cuid) = (a.cid, a.fid, a.pid, a.bid, a.cuid)
where a.value_micros <> 0;

create function add_values(action_ids bigint[]) returns void language sql as $$
  insert into rollup_value as r (id, quarter, value_micros)
  select i.id, quarter, sum(value_micros)
  from valued_action cross join lateral (values (cuid), (cid), (fid), (pid), (bid)) as i(id)
  where action_id = any(action_ids) and i.id > 0
  group by i.id, quarter order by i.id, quarter
  on conflict (id, quarter) do update set value_micros = r.value_micros + excluded.value_micros;

  insert into rollup_value_dimension as r (id, dimension, day, name, value_micros)
  select d.id, d.dimension, day, d.name, sum(value_micros)
  -- `offset 0`: the day of each is found once, not for every row below.
  from (select * from valued_action where action_id = any(action_ids) offset 0) as valued cross join lateral (
    select o.id, n.dimension, n.name from (values (leaf), (-cuid)) as o(id) cross join (values ('p'::"char", place_hash),
      ('o', os), ('d', device), ('c', country), ('l', locality), ('k', audience / 16), ('u', audience % 16),
      ('a', action_hash)) as n(dimension, name)
    union all
    values (-cuid, 'g'::"char", cid), (-cuid, 'n', pid)
  ) d
  where d.id is not null
  group by d.id, d.dimension, day, d.name order by d.id, d.dimension, day, d.name
  on conflict (id, dimension, day, name) do update set value_micros = r.value_micros + excluded.value_micros;
$$;

create function add_values_of_actions() returns trigger language plpgsql as $$
declare
  valued bigint[] := array(select action_id from added where value_micros <> 0);
begin
  if valued <> '{}' then perform add_values(valued); end if;
  return null;
end $$;
create trigger values_added after insert on action referencing new table as added
  for each statement execute function add_values_of_actions();

-- What was counted before.
select add_values(array(select action_id from action where value_micros <> 0));
