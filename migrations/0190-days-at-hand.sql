-- The days at hand, by the clock of the transaction in UTC: from the last place on earth where a day ends to the first
-- where one begins. A session's own zone, or a clock that is moved, makes no difference.
create or replace function lock_money(p_cids bigint[]) returns void language plpgsql as $$
declare
  v_days integer[];
begin
  insert into budget (day, cid, limit_micros, granted_micros)
  select to_char((now() at time zone 'UTC')::date + n, 'yyyymmdd')::integer, c.cid, c.daily_spend_micros, 0
  from campaign c cross join generate_series(-1, 2) as n where c.cid = any(p_cids)
  order by 1, 2 on conflict do nothing;
  v_days := book_days();
  perform from budget where day = any(v_days) and cid = any(p_cids) order by day, cid for update;
  perform from share where day = any(v_days) and cid = any(p_cids) order by day, cid, fid, node_id for update;
end $$;
