-- A limit that is what it was changes nothing: a restore writes campaigns whose pools are there already.
create or replace function limit_pool(p_id bigint, p_limit bigint) returns void language sql as $$
  update pool set limit_micros = p_limit, over_micros = greatest(0, granted_micros - p_limit)
  where id = p_id and limit_micros <> p_limit
$$;
