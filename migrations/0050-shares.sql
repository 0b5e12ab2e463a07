-- Shares: any number of processes sell from one budget. A process may promise only what was granted to it here, and
-- what is billed is taken from what was granted: more than the budget cannot be billed, whatever a process believes.
-- contracts

-- A process of the previous version has the whole budget in its memory: it must be gone before budgets are shared.
set local lock_timeout = '60s';
select pg_advisory_xact_lock(7731003);

-- A process that delivers. It may promise while it is valid; whoever takes its place raises the epoch.
create table node (
  node_id integer generated always as identity (minvalue 0 start 1) primary key,
  name text not null,
  epoch integer not null default 1,
  valid_until timestamptz not null,
  -- When the last of its ads has expired: from then on its shares go back to the budgets, and it is gone.
  ads_until timestamptz not null,
  gone boolean not null default false,
  check (ads_until >= valid_until)
);

-- A campaign's budget of a day (yyyymmdd, deployment's zone), and how much of it is granted to nodes.
create table budget (
  day integer not null,
  cid bigint not null,
  -- The campaign's budget, or what was already granted when the budget was lowered below that.
  limit_micros bigint not null,
  granted_micros bigint not null,
  primary key (day, cid),
  constraint granted_within_budget check (granted_micros between 0 and limit_micros)
) with (fillfactor = 70);

-- What one node may spend of it, and what was billed. The rest tells the others what this node sees and holds.
create table share (
  day integer not null,
  cid bigint not null,
  node_id integer not null,
  granted_micros bigint not null,
  billed_micros bigint not null default 0,
  reserved_micros bigint not null default 0,
  rate_micros bigint not null default 0,
  mean_micros bigint not null default 0,
  primary key (day, cid, node_id),
  constraint billed_within_share check (billed_micros between 0 and granted_micros)
) with (fillfactor = 70);
-- Billing changes none of its columns and not its condition, so billing adds nothing to any index. It has the whole key,
-- so a share is found by this index as well as by the other.
create index share_of_node on share (node_id, day, cid);

-- What happened to a node's ads at other nodes: billed there, or lost. Read and deleted by the node itself.
create table share_news (
  news_id bigint generated always as identity primary key,
  node_id integer not null,
  -- 21 bytes per ad: how it ended, its id, what it was charged.
  ads bytea not null
);
create index share_news_of_node on share_news (node_id);

-- A task that one node does for all, and until when no other node may.
create table duty (
  name text primary key,
  node_id integer not null,
  until timestamptz not null
);

-- How often users saw campaigns that have a cap.
create table cap_day (
  day integer not null,
  cid bigint not null,
  user_hi integer not null,
  user_lo integer not null,
  imps integer not null,
  primary key (day, cid, user_hi, user_lo)
) with (fillfactor = 80);

-- What was spent before there were shares was spent by node 0, which never promises anything.
insert into node (node_id, name, valid_until, ads_until, gone) overriding system value
values (0, 'before shares', 'epoch', 'epoch', true);
insert into budget (day, cid, limit_micros, granted_micros)
select b.day, b.cid, greatest(b.spent_micros, coalesce(c.daily_spend_micros, 0)), b.spent_micros
from budget_day b left join campaign c using (cid);
insert into share (day, cid, node_id, granted_micros, billed_micros)
select day, cid, 0, spent_micros, spent_micros from budget_day;

drop table budget_day;
-- What a campaign has spent of a day's budget.
create view budget_day as
select day, cid, sum(billed_micros)::bigint as spent_micros from share group by day, cid having sum(billed_micros) > 0;

-- Fails the statement and undoes everything it has written: a share does not cover what is to be charged to it.
create function must_hold(holds boolean) returns boolean language plpgsql as $$
begin
  if not holds then
    raise exception 'a share does not hold this' using errcode = 'MQ001';
  end if;
  return true;
end $$;
