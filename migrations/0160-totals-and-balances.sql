-- contracts: shares have one more column in their key.

-- Limits above days: what a campaign may spend in its whole life and in a month, and what a customer has paid in
-- advance. The id is the campaign's or the customer's, or made of campaign and month. A grant is drawn from the day's
-- budget and from every pool above it at once, in one statement, and given back to all of them.
create table pool (
  id bigint primary key,
  limit_micros bigint not null,
  -- To shares that exist, whether it is billed or not; and what was billed to those that are gone.
  granted_micros bigint not null default 0,
  -- What was granted beyond the limit when that was lowered.
  over_micros bigint not null default 0,
  -- Of a customer's balance: its account.
  account_no integer,
  constraint granted_within_pool check (granted_micros between 0 and limit_micros + over_micros)
) with (fillfactor = 70);

-- The pools that a share is drawn from. Billing does not change it, so billing adds nothing to the index.
alter table share add column pools bigint[] not null default '{}';
create index share_pooled on share (cid) where pools <> '{}';

alter table campaign
  add column total_spend_micros bigint,
  -- The most for each month of the customer's calendar.
  add column monthly_spend_micros bigint;
alter table customer
  add column prepaid boolean not null default false,
  add column low_balance_micros bigint;

-- What an account paid for on days whose shares are gone. Negative: billed before the account began, on its first day.
create table account_spend (
  cuid bigint not null,
  account_no integer not null,
  cid bigint not null,
  day integer not null,
  micros bigint not null,
  primary key (cuid, account_no, cid, day)
);

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

-- A limit that changes. What was granted beyond it stays granted, until nodes return it.
create function limit_pool(p_id bigint, p_limit bigint) returns void language sql as $$
  update pool set limit_micros = p_limit, over_micros = greatest(0, granted_micros - p_limit)
  where id = p_id and limit_micros <> p_limit
$$;

-- The days that have books: shares are found by their day and campaign.
create function book_days() returns integer[] language sql stable as $$
  with recursive days as (
    select min(day) as day from budget
    union all
    select (select min(day) from budget where budget.day > days.day) from days where days.day is not null
  )
  select coalesce(array_agg(day), '{}') from days where day is not null
$$;

-- What a campaign, or a flight of it, has spent: rows of figures, to be added up.
create function spent_ever(p_cuid bigint, p_cid bigint) returns table (micros bigint) language sql stable as $$
  select spend_micros from rollup where id = p_cid
  union all select spend_micros from rollup_unpacked where id = p_cid
  union all select spend_micros from fresh where cuid = p_cuid and cid = p_cid
$$;
create function flight_spent_ever(p_cuid bigint, p_cid bigint, p_fid bigint) returns table (micros bigint) language sql stable as $$
  select spend_micros from rollup where id = p_fid
  union all select spend_micros from rollup_unpacked where id = p_fid
  union all select f.spend_micros from fresh f join leaf l on l.leaf = f.leaf
    where f.cuid = p_cuid and f.cid = p_cid and l.fid = p_fid
$$;

-- The life of a campaign. One that has spent before counts all of it, and what its shares hold.
create function set_life() returns trigger language plpgsql as $$
declare
  v_cid bigint := new.cid;
  v_spent bigint;
  v_days integer[];
begin
  if new.total_spend_micros is null then
    perform from pool where id = v_cid for update;
    perform lock_money(array[v_cid]);
    update share set pools = array_remove(pools, v_cid) where cid = v_cid and pools <> '{}' and v_cid = any(pools);
    delete from pool where id = v_cid;
  elsif exists (select from pool where id = v_cid) then
    perform limit_pool(v_cid, new.total_spend_micros);
  elsif tg_op = 'INSERT' then
    insert into pool (id, limit_micros) values (v_cid, new.total_spend_micros);
  else
    insert into pool (id, limit_micros) values (v_cid, new.total_spend_micros);
    perform lock_money(array[v_cid]);
    v_days := book_days();
    -- From here on nothing is billed or granted: this statement sees all that was.
    select coalesce(sum(micros), 0) into v_spent from (
      select micros from spent_ever(new.cuid, v_cid)
      union all select granted_micros - billed_micros from share where day = any(v_days) and cid = v_cid
    ) spent;
    update pool set granted_micros = v_spent, over_micros = greatest(0, v_spent - limit_micros) where id = v_cid;
    update share set pools = pools || v_cid where day = any(v_days) and cid = v_cid;
  end if;
  return null;
end $$;

create trigger campaign_life_begins after insert on campaign for each row
  when (new.total_spend_micros is not null) execute function set_life();
create trigger campaign_life after update of total_spend_micros on campaign for each row
  when (new.total_spend_micros is distinct from old.total_spend_micros) execute function set_life();

-- The months at hand of a campaign whose monthly budget changes. Pools of later months are made when the first share of
-- them is asked for (`move_money`). One that is set in the middle of a month counts all of it.
create function set_months() returns trigger language plpgsql as $$
declare
  v_cid bigint := new.cid;
  v_limit bigint := new.monthly_spend_micros;
  v_ids bigint[] := array(select id from pool where id between -(v_cid * 10000 + 9999) and -v_cid * 10000 order by id for update);
  v_days integer[];
begin
  if v_limit is null then
    perform lock_money(array[v_cid]);
    update share set pools = array(select unnest(pools) except select unnest(v_ids)) where cid = v_cid and pools <> '{}' and pools && v_ids;
    delete from pool where id = any(v_ids);
  elsif old.monthly_spend_micros is not null then
    perform limit_pool(id, v_limit) from unnest(v_ids) as id;
  else
    v_ids := array(
      select distinct month_pool(v_cid, day) from (
        select unnest(book_days()) as day
        union select to_char((now() at time zone 'UTC')::date + n, 'yyyymmdd')::integer from generate_series(-1, 2) as n
      ) days order by 1
    );
    insert into pool (id, limit_micros) select id, v_limit from unnest(v_ids) as id on conflict do nothing;
    perform lock_money(array[v_cid]);
    v_days := book_days();
    -- From here on nothing is billed or granted: this statement sees all that was.
    update pool p set granted_micros = s.micros, over_micros = greatest(0, s.micros - v_limit)
    from (
      select id, coalesce((select micros from month_spend m where m.cid = v_cid and m.month % 10000 = -id % 10000), 0)
        + coalesce((select sum(granted_micros) from share h
            where h.day = any(v_days) and h.cid = v_cid and month_pool(v_cid, h.day) = id), 0)::bigint as micros
      from unnest(v_ids) as id
    ) s where p.id = s.id;
    update share set pools = pools || month_pool(v_cid, day)
    where day = any(v_days) and cid = v_cid and month_pool(v_cid, day) = any(v_ids);
  end if;
  return null;
end $$;

create trigger campaign_months after update of monthly_spend_micros on campaign for each row
  when (new.monthly_spend_micros is distinct from old.monthly_spend_micros) execute function set_months();

-- What was granted of a campaign's month, if it has a budget.
create function granted_of_month(p_cid bigint, p_day integer) returns bigint language sql stable as $$
  select granted_micros from pool where id = month_pool(p_cid, p_day)
$$;

-- It pays afterwards again. What its shares were billed is the account's last spend.
create function close_balance(p_cuid bigint) returns void language plpgsql as $$
declare
  v_cids bigint[] := array(select cid from campaign where cuid = p_cuid order by cid);
  v_account_no integer;
begin
  select account_no into v_account_no from pool where id = p_cuid for update;
  perform lock_money(v_cids);
  insert into account_spend as known (cuid, account_no, cid, day, micros)
  select p_cuid, v_account_no, cid, day, sum(billed_micros) from share
  where cid = any(v_cids) and pools <> '{}' and p_cuid = any(pools) group by cid, day having sum(billed_micros) > 0
  on conflict (cuid, account_no, cid, day) do update set micros = known.micros + excluded.micros;
  update share set pools = array_remove(pools, p_cuid) where cid = any(v_cids) and pools <> '{}' and p_cuid = any(pools);
  delete from pool where id = p_cuid;
end $$;

-- What was spent of each of these pools, and what open ads have reserved as far as nodes have reported it.
create function pools_used(p_ids bigint[])
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

-- What a flight may spend in its whole life: a pool, as that of a campaign is. Its id is the flight's: ids of
-- customers, campaigns and flights come from one sequence.
alter table flight add column total_spend_micros bigint check (total_spend_micros > 0);

-- Who pays: a flight that has a total, or (0) the campaign alone. A node that goes from one flight to the next in the
-- middle of a day has a share of each: the ads of the first are billed to the first.
alter table share add column fid bigint not null default 0;
alter table share drop constraint share_pkey, add primary key (day, cid, fid, node_id);

-- Locks the budgets and shares of these campaigns, in the order in which everybody does. Budgets of the days at hand
-- are made, so that no first grant of a statement that began before passes by.
-- The days at hand are those of the clock of the transaction, in UTC: from the last place on earth where a day ends
-- to the first where one begins.
create function lock_money(p_cids bigint[]) returns void language plpgsql as $$
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

-- The life of a flight. One that has spent before counts all of it. While it may have ads that the campaign pays for,
-- what the campaign's shares hold counts as well, until it is billed or given back.
create function set_flight_life() returns trigger language plpgsql as $$
declare
  v_fid bigint := new.fid;
  v_spent bigint;
  v_days integer[];
begin
  if new.total_spend_micros is null then
    perform from pool where id = v_fid for update;
    perform lock_money(array[new.cid]);
    update share set pools = array_remove(pools, v_fid) where cid = new.cid and pools <> '{}' and v_fid = any(pools);
    delete from pool where id = v_fid;
  elsif exists (select from pool where id = v_fid) then
    perform limit_pool(v_fid, new.total_spend_micros);
  elsif tg_op = 'INSERT' then
    insert into pool (id, limit_micros) values (v_fid, new.total_spend_micros);
  else
    insert into pool (id, limit_micros) values (v_fid, new.total_spend_micros);
    perform lock_money(array[new.cid]);
    if new.updated_at between new.start_at - interval '1 minute' and new.end_at + interval '2 hours' then
      v_days := book_days();
    end if;
    -- From here on nothing is billed or granted: this statement sees all that was.
    select coalesce(sum(micros), 0) into v_spent from (
      select micros from campaign c cross join lateral flight_spent_ever(c.cuid, c.cid, v_fid) where c.cid = new.cid
      union all select granted_micros - billed_micros from share
        where day = any(v_days) and cid = new.cid and fid in (0, v_fid)
    ) spent;
    update pool set granted_micros = v_spent, over_micros = greatest(0, v_spent - limit_micros) where id = v_fid;
    update share set pools = pools || v_fid where day = any(v_days) and cid = new.cid and fid in (0, v_fid);
  end if;
  return null;
end $$;

create trigger flight_life_begins after insert on flight for each row
  when (new.total_spend_micros is not null) execute function set_flight_life();
create trigger flight_life after update of total_spend_micros on flight for each row
  when (new.total_spend_micros is distinct from old.total_spend_micros) execute function set_flight_life();

-- A customer pays in advance from now on. Everything unbilled goes back; what was billed so far is not the account's.
create function open_balance(p_cuid bigint, p_account_no integer) returns void language plpgsql as $$
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

-- Shares of days that are over for good. What was not billed goes back to the pools, what was is kept for accounts.
-- and for their month, until that is over.
create function close_days(p_before integer) returns void language plpgsql as $$
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

-- As shares without pools are moved (shares/money-queries.ts), one ask after the other: those of one customer draw
-- from the same balance, and each sees what the one before it took. `p_now` is by the node's clock, which decides the
-- flight. While a flight that has a total delivers, the campaign's own share only shrinks; so does one that holds money
-- of such a flight, until that is billed or given back.
-- The pool of a month is made here, under a lock of its campaign, so that a change of the limit at the same moment is
-- not missed; if the campaign is being changed, its ask is left for the next time.
create function move_money(
  p_node integer, p_epoch integer, p_cids bigint[], p_days integer[], p_targets bigint[], p_leasts bigint[],
  p_reserved bigint[], p_rates bigint[], p_means bigint[], p_ended bigint[], p_line_froms bigint[], p_lines bigint[],
  p_fids bigint[], p_now timestamptz
) returns table (
  o_cid bigint, o_fid bigint, o_day integer, o_granted bigint, o_billed bigint, o_pool bigint, o_line_from bigint,
  o_line bigint, o_life bigint, o_month bigint, o_flight bigint, o_short_of text
) language plpgsql set plan_cache_mode = 'auto' as $$
declare
  v_nodes bigint;
  a record; c record; b record; s record;
  v_locked bigint[]; v_pools bigint[]; v_new bigint[]; v_left bigint[]; v_unmade bigint[];
  v_total bigint; v_held boolean;
  v_life bigint; v_month bigint; v_flight bigint; v_balance bigint; v_rest bigint; v_most bigint; v_more bigint; v_parts bigint;
begin
  perform from node where node_id = p_node and epoch = p_epoch and not gone for share;
  if not found then return; end if;
  select count(*) into v_nodes from node where valid_until > clock_timestamp() and not gone;
  v_unmade := array(
    select t.cid from (
      select distinct cid, month_pool(cid, day) as id from unnest(p_cids, p_days) as of(cid, day) order by cid
    ) t cross join lateral (
      select from campaign where campaign.cid = t.cid and monthly_spend_micros is not null
        and not exists (select from pool where pool.id = t.id) for share skip locked
    ) d
  );
  if cardinality(v_unmade) > 0 then
    insert into pool (id, limit_micros, granted_micros, over_micros)
    select id, most, spent, greatest(0, spent - most) from (
      select distinct month_pool(t.cid, t.day) as id, d.monthly_spend_micros as most, coalesce(m.micros, 0) as spent
      from unnest(p_cids, p_days) as t(cid, day)
        cross join lateral (select monthly_spend_micros from campaign where campaign.cid = t.cid offset 0) d
        left join lateral (
          select micros from month_spend where month_spend.cid = t.cid and month = t.day / 100 offset 0
        ) m on true
      where t.cid = any(v_unmade) and d.monthly_spend_micros is not null
    ) made order by id on conflict do nothing;
  end if;
  v_locked := array(select locked.id from (
    select unnest(array[case when d.total_spend_micros is not null then t.cid end,
      case when d.monthly_spend_micros is not null then month_pool(t.cid, t.day) end, u.cuid]) as id
    from unnest(p_cids, p_days) as t(cid, day)
      cross join lateral (
        select cuid, total_spend_micros, monthly_spend_micros from campaign where campaign.cid = t.cid offset 0
      ) d
      left join lateral (select cuid from customer where customer.cuid = d.cuid and prepaid offset 0) u on true
    union
    select f.fid from (select distinct unnest(p_cids) as cid) t cross join lateral (
      select fid from flight where flight.cid = t.cid and total_spend_micros is not null offset 0
    ) f
    order by id
  ) t cross join lateral (select id from pool where pool.id = t.id for update) locked);
  insert into budget (day, cid, limit_micros, granted_micros)
  select t.day, t.cid, d.daily_spend_micros, 0
  from (select distinct day, cid from unnest(p_cids, p_days) as of(cid, day)) t
    cross join lateral (select daily_spend_micros from campaign where campaign.cid = t.cid offset 0) d
  order by 1, 2 on conflict do nothing;
  perform from (select distinct day, cid from unnest(p_cids, p_days) as of(cid, day) order by day, cid) t
    cross join lateral (select from budget g where g.day = t.day and g.cid = t.cid for update) locked;
  insert into share (day, cid, fid, node_id, granted_micros)
  select t.day, t.cid, t.fid, p_node, 0 from unnest(p_cids, p_days, p_fids) as t(cid, day, fid)
    cross join lateral (select from campaign where campaign.cid = t.cid offset 0) d
  order by 1, 2, 3 on conflict do nothing;
  perform from (
    select day, cid, fid from unnest(p_cids, p_days, p_fids) as of(cid, day, fid) order by day, cid, fid
  ) t cross join lateral (
    select from share h where h.day = t.day and h.cid = t.cid and h.fid = t.fid and h.node_id = p_node for update
  ) locked;
  -- What is given back comes first: a flight that begins lives on what the one before it leaves.
  for a in
    select * from unnest(p_cids, p_days, p_targets, p_leasts, p_reserved, p_rates, p_means, p_ended, p_line_froms, p_lines,
        p_fids)
      as t(cid, day, target, least, reserved, rate, mean, ended, line_from, line, fid) order by t.day, t.cid, t.least, t.fid
  loop
    select d.cid, d.cuid, d.daily_spend_micros as daily, d.total_spend_micros as total,
      case when d.monthly_spend_micros is not null then month_pool(d.cid, a.day) end as month, u.prepaid into c
    from campaign d join customer u on u.cuid = d.cuid where d.cid = a.cid;
    continue when not found;
    select granted_micros as granted, line_from_ms as line_from, line_micros as line into b
    from budget where day = a.day and cid = a.cid;
    select granted_micros as granted, billed_micros as billed, pools into s
    from share where day = a.day and cid = a.cid and fid = a.fid and node_id = p_node;
    v_total := case when a.fid <> 0
      then (select total_spend_micros from flight where fid = a.fid and cid = a.cid) end;
    v_pools := array_remove(array[case when c.total is not null then c.cid end, c.month,
      case when v_total is not null then a.fid end, case when c.prepaid then c.cuid end], null);
    -- Flights whose ads this share may still be billed for, though it is not theirs.
    v_left := array(select unnest(s.pools) except select unnest(v_pools));
    -- It has got a pool since the pools were locked, and whoever holds that may wait for what is locked here: next time.
    continue when not v_pools || v_left <@ v_locked;
    -- Made by a statement that did not know of the pool yet.
    v_new := array(select unnest(v_pools) except select unnest(s.pools));
    if cardinality(v_new) > 0 then
      update pool set granted_micros = granted_micros + s.granted,
        over_micros = greatest(over_micros, granted_micros + s.granted - limit_micros)
      where id = any(v_new);
    end if;
    select max(rest) filter (where id = c.cid), max(rest) filter (where id = c.month), max(rest) filter (where id = a.fid),
      max(rest) filter (where id = c.cuid) into v_life, v_month, v_flight, v_balance
    from (select id, limit_micros - granted_micros as rest from pool where id = any(v_pools)) known;
    v_rest := least(c.daily - b.granted, v_life, v_month, v_flight, v_balance);
    v_held := cardinality(v_left) > 0 and s.granted > s.billed or a.fid = 0 and exists (
      select from flight where cid = a.cid and total_spend_micros is not null and deleted_at is null
        and start_at <= p_now and p_now < end_at
    );
    if v_held then v_rest := least(v_rest, 0); end if;
    -- All of it is billed: what is granted from now on has nothing to do with them.
    if s.granted = s.billed then v_left := '{}'; end if;
    -- Nodes share what is left; so do the campaigns of one balance, however many nodes there are.
    v_parts := case when c.prepaid then greatest(v_nodes, 2) else v_nodes end;
    v_most := least(a.target - s.granted, v_rest,
      greatest(case when v_parts > 1 then v_rest / (2 * v_parts) else v_rest end, a.least));
    v_more := case when a.target <= s.granted then greatest(a.target, s.billed) - s.granted
      when v_most >= a.least and v_most > 0 then v_most else 0 end;
    update budget set granted_micros = b.granted + v_more,
      limit_micros = case when v_more > 0 then c.daily else greatest(c.daily, b.granted + v_more) end,
      line_from_ms = greatest(b.line_from, a.line_from),
      line_micros = case when a.line_from > b.line_from then a.line else b.line end
    where day = a.day and cid = a.cid and (v_more <> 0 or a.line_from > b.line_from);
    if v_more <> 0 then
      update pool set granted_micros = granted_micros + v_more where id = any(v_pools || v_left);
    end if;
    if s.granted + v_more > s.billed then v_pools := v_pools || v_left; end if;
    update share set granted_micros = s.granted + v_more, pools = v_pools, reserved_micros = a.reserved,
      rate_micros = a.rate, mean_micros = coalesce(nullif(a.mean, 0), mean_micros), ended_micros = ended_micros + a.ended
    where day = a.day and cid = a.cid and fid = a.fid and node_id = p_node;
    o_cid := a.cid; o_fid := a.fid; o_day := a.day; o_granted := s.granted + v_more; o_billed := s.billed;
    o_pool := v_rest - v_more; o_line_from := b.line_from; o_line := b.line;
    -- What the life, and the month, have for this day and those after it.
    o_life := v_life + b.granted; o_month := v_month + b.granted;
    o_flight := v_flight + (select sum(granted_micros) - v_more from share where day = a.day and cid = a.cid and fid = a.fid);
    o_short_of := case when v_held then 'total' when v_rest = v_balance then 'balance' when v_rest = v_life then 'total'
      when v_rest = v_flight then 'total' when v_rest = v_month then 'month' else 'day' end;
    return next;
  end loop;
end $$;

-- Accounts of customers that pay in advance. One that turns `prepaid` off and on again has another account: each begins
-- and ends at zero. What it may still spend is in `pool`, what it has spent in `share` and `account_spend`.
create table account (
  cuid bigint not null,
  account_no integer not null,
  began_at timestamptz not null,
  ended_at timestamptz,
  -- Whether it was reported that the balance is low, or spent. A credit forgets both.
  low_sent boolean not null default true,
  spent_sent boolean not null default true,
  primary key (cuid, account_no)
);
create unique index account_open on account (cuid) where ended_at is null;

-- What was paid in, and corrections. A reference is used once per customer, in whichever account. Without one: what was
-- left when the account ended.
create table account_entry (
  entry_id bigint generated always as identity primary key,
  cuid bigint not null,
  account_no integer not null,
  at timestamptz not null,
  kind text not null check (kind in ('credit', 'correction')),
  amount_micros bigint not null check (amount_micros <> 0),
  reference text,
  note text,
  unique (cuid, reference)
);
create index account_entry_of on account_entry (cuid, at);

-- Entries stay as they are. Only the note of a customer that was erased goes, because it may name a person.
create function keep_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.note is null
    and to_jsonb(new) - 'note' = to_jsonb(old) - 'note'
    and exists (select from customer where cuid = old.cuid and erased_at is not null)
  then
    return new;
  end if;
  raise exception 'entries of accounts are never changed or deleted' using errcode = 'MQ003';
end $$;
create trigger account_entry_stays before update or delete on account_entry
  for each row execute function keep_entry();

-- What is left of the balance of a customer that pays in advance; null for others.
create function balance_of(p_cuid bigint) returns bigint language sql stable as $$
  select u.limit_micros - u.spent_micros from pools_used(array[p_cuid]) u
$$;
