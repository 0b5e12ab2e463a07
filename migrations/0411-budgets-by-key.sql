-- The campaigns whose money is locked are looked up one by one, by their key. A plan that was kept from when there were
-- few campaigns could read all of them. Otherwise the function is unchanged.
create or replace function lock_money(p_cids bigint[]) returns void language plpgsql as $$
declare
  v_days integer[];
begin
  insert into budget (day, cid, limit_micros, granted_micros)
  select to_char((now() at time zone 'UTC')::date + n, 'yyyymmdd')::integer, c.cid, c.daily_spend_micros, 0
  from unnest(p_cids) as asked(cid)
  cross join lateral (
    select cid, daily_spend_micros from campaign where campaign.cid = asked.cid offset 0
  ) c
  cross join generate_series(-1, 2) as n
  order by 1, 2 on conflict do nothing;
  v_days := book_days();
  perform from budget where day = any(v_days) and cid = any(p_cids) order by day, cid for update;
  perform from share where day = any(v_days) and cid = any(p_cids) order by day, cid, fid, node_id for update;
end $$;
