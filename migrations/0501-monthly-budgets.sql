-- Monthly budgets of campaigns: the most for each month of the customer's calendar. Null: no limit.
alter table campaign add column monthly_spend_micros bigint;

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

-- As `move_pooled` (0160), which the version before this one still calls, with the months. A pool of a month is made here,
-- under a lock of its campaign, so that a change of the limit at the same moment is not missed; if the campaign is being
-- changed, its ask is left for the next time.
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
