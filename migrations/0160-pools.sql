-- Limits above days: what a campaign may spend in its whole life, and what a customer has paid in advance. The id is
-- the campaign's or the customer's. A grant is drawn from the day's budget and from every pool above it at once, in one
-- statement, and given back to all of them.
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

alter table campaign add column total_spend_micros bigint;
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

-- A limit that changes. What was granted beyond it stays granted, until nodes return it.
create function limit_pool(p_id bigint, p_limit bigint) returns void language sql as $$
  update pool set limit_micros = p_limit, over_micros = greatest(0, granted_micros - p_limit) where id = p_id
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
      select spend_micros as micros from rollup where id = v_cid
      union all select spend_micros from rollup_unpacked where id = v_cid
      union all select spend_micros from fresh where cuid = new.cuid and cid = v_cid
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
      where c.cid = coalesce(f.cid, p.id) or c.cuid = p.id
    ) s
$$;
