-- A monthly budget of a campaign is a limit above the day, as its total is: a pool for each of its months. A month is a
-- month of its days, so it is the customer's as they are, and a day never changes its month.

-- The id of the pool of a month: negative, so that it is never that of a customer, campaign or flight.
create function month_pool(p_cid bigint, p_day integer) returns bigint language sql immutable as $$
  select -(p_cid * 10000 + p_day / 100 % 10000)
$$;

-- What a campaign paid for on days of a month whose shares are gone. A monthly budget that is set in the middle of a
-- month begins with this, and what its shares hold.
create table month_spend (
  cid bigint not null,
  month integer not null,
  micros bigint not null,
  primary key (cid, month)
) with (fillfactor = 70);

insert into month_spend (cid, month, micros)
select cid, to_char(day, 'YYYYMM')::integer, sum(spend_micros) from (
  select cid, day, spend_micros from rollup_customer union all select cid, day, spend_micros from fresh
) f
where day >= date_trunc('month', (now() at time zone 'UTC') - interval '1 day')::date
  and not exists (select from share s where s.day = to_char(f.day, 'YYYYMMDD')::integer and s.cid = f.cid)
group by 1, 2 having sum(spend_micros) > 0;

-- Shares of days that are over for good: see 0160. What they were billed is kept for their month too, until that is over.
create or replace function close_days(p_before integer) returns void language plpgsql as $$
begin
  perform from pool where id in (select unnest(pools) from share where day < p_before and pools <> '{}')
  order by id for update;
  perform from share where day < p_before and pools <> '{}' order by day, cid, fid, node_id for update;
  update pool p set granted_micros = p.granted_micros - r.rest
  from (
    select id, sum(granted_micros - billed_micros) as rest from share cross join unnest(pools) as id
    where day < p_before and pools <> '{}' group by id
  ) r where r.id = p.id;
  insert into account_spend as known (cuid, account_no, cid, day, micros)
  select p.id, p.account_no, s.cid, s.day, sum(s.billed_micros)
  from share s join pool p on p.id = any(s.pools) and p.account_no is not null
  where s.day < p_before and s.pools <> '{}' group by 1, 2, 3, 4 having sum(s.billed_micros) > 0
  on conflict (cuid, account_no, cid, day) do update set micros = known.micros + excluded.micros;
  with gone as (
    delete from share where day < p_before returning cid, day / 100 as month, billed_micros
  )
  insert into month_spend as known (cid, month, micros)
  select cid, month, sum(billed_micros) from gone where month >= p_before / 100
  group by 1, 2 having sum(billed_micros) > 0
  on conflict (cid, month) do update set micros = known.micros + excluded.micros;
  delete from budget where day < p_before;
  delete from month_spend where month < p_before / 100;
  delete from pool where id < 0 and -id % 10000 < p_before / 100 % 10000;
end $$;

-- What was spent of each of these pools: see 0160. The pool of a month is that of its campaign.
create or replace function pools_used(p_ids bigint[])
returns table (id bigint, limit_micros bigint, spent_micros bigint, reserved_micros bigint) language sql stable as $$
  select p.id, p.limit_micros, p.granted_micros - coalesce(s.unbilled, 0), coalesce(s.reserved, 0)
  from unnest(p_ids) as asked(id)
    cross join lateral (select * from pool where pool.id = asked.id offset 0) p
    left join flight f on f.fid = asked.id
    cross join lateral (
      select sum(h.granted_micros - h.billed_micros)::bigint as unbilled, sum(h.reserved_micros)::bigint as reserved
      from campaign c cross join lateral (
        select * from share where share.cid = c.cid and share.pools <> '{}' and p.id = any(share.pools) offset 0
      ) h
      where c.cid = coalesce(f.cid, case when p.id < 0 then -p.id / 10000 else p.id end) or c.cuid = p.id
    ) s
$$;

-- Pools are locked before budgets and shares: see 0160.
create or replace function open_balance(p_cuid bigint, p_account_no integer) returns void language plpgsql as $$
declare
  v_cids bigint[] := array(select cid from campaign where cuid = p_cuid order by cid);
  v_days integer[];
begin
  insert into pool (id, limit_micros, account_no) values (p_cuid, 0, p_account_no);
  perform from pool where id = any(v_cids)
    or id in (select fid from flight where cid = any(v_cids) and total_spend_micros is not null)
    or id in (select month_pool(cid, day) from unnest(v_cids) as cid cross join unnest(book_days()) as day)
  order by id for update;
  perform lock_money(v_cids);
  v_days := book_days();
  update pool p set granted_micros = p.granted_micros - r.rest
  from (
    select id, sum(granted_micros - billed_micros) as rest from share cross join unnest(pools) as id
    where day = any(v_days) and cid = any(v_cids) group by id
  ) r where r.id = p.id;
  update budget b set granted_micros = b.granted_micros - r.rest
  from (
    select day, cid, sum(granted_micros - billed_micros) as rest from share where day = any(v_days) and cid = any(v_cids) group by day, cid
  ) r where r.day = b.day and r.cid = b.cid;
  insert into account_spend (cuid, account_no, cid, day, micros)
  select p_cuid, p_account_no, cid, day, -sum(billed_micros) from share
  where day = any(v_days) and cid = any(v_cids) group by cid, day having sum(billed_micros) > 0;
  update share set granted_micros = billed_micros, reserved_micros = 0, pools = pools || p_cuid
  where day = any(v_days) and cid = any(v_cids);
end $$;
