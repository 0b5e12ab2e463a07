-- The day of a conversion is found once, not 18 times, where this was not yet so (0265). Otherwise the function is
-- unchanged.
create or replace function add_values(action_ids bigint[]) returns void language sql as $$
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
