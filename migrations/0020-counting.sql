-- Counting after the answer. An answer waits only for a lean event, its money and a row in `fresh`; what is in `fresh`
-- is not in the rollups yet, and moves there in one transaction. Figures are the sum of rollups and `fresh`.
-- contracts

-- What an event belongs to: a banner in a flight, with everything above it. Created with the first event, never
-- changed, never deleted. Its id comes from the one sequence, so that it is nobody else's id.
create table leaf (
  leaf bigint primary key default nextval('ids'),
  cuid bigint not null,
  cid bigint not null,
  fid bigint not null,
  pid bigint not null,
  bid bigint not null,
  unique (cid, fid, pid, bid, cuid)
);

alter table event rename to event_before;
drop index event_of_campaign, event_of_user_day, event_of_user;
do $$
declare part text;
begin
  for part in select inhrelid::regclass::text from pg_inherits where inhparent = 'event_before'::regclass loop
    execute format('alter table %I rename to %I', part, 'before_' || part);
  end loop;
end $$;

-- Impressions, clicks and views that were counted; the proof behind the figures. `ad` is the second in which the ad was
-- served (4 bytes) and its random id (12 bytes), as in a click id: an ad's events fall into one partition, new ones
-- at the end of the key, and the key makes each count once. No column is ever null, which saves 8 bytes.
create table event (
  ad uuid not null,
  at timestamptz not null,
  cid bigint not null,
  leaf bigint not null,
  source_id bigint not null,
  -- 0: unknown.
  place_hash bigint not null,
  -- Region and city; 0: unknown. See locality.
  locality bigint not null default 0,
  -- The transaction that wrote it.
  tx bigint not null default pg_current_xact_id()::text::bigint,
  -- 64 bits of a keyed hash, for caps and for actions after a view. Both 0: unknown.
  user_hi integer not null,
  user_lo integer not null,
  spend_micros integer not null,
  -- The day (yyyymmdd, deployment's zone) whose budget pays.
  budget_day integer not null,
  -- 1 for AA to 676 for ZZ; 0: unknown.
  country smallint not null,
  -- 16 times the page's category (its place in the IAB's list), and 3 times the age band, and the gender; 0: unknown.
  audience smallint not null default 0,
  -- i: impression, c: click, v: view.
  kind "char" not null,
  -- m: mobile, t: tablet, d: desktop, ?: unknown.
  device "char" not null,
  -- w: Windows, m: macOS, l: Linux, a: Android, i: iOS, c: Chrome OS, o: other, ?: unknown.
  os "char" not null,
  primary key (ad, kind)
) partition by range (ad);
-- Quarters of an hour since 1970.
create function quarter_number(at timestamptz) returns integer language sql immutable parallel safe as
  $$ select floor(date_part('epoch', at - timestamptz '1970-01-01Z') / 900)::integer $$;
-- The raw events of a campaign, in time order. By quarters: those of one share an entry of the index.
create index event_of_campaign on event (cid, quarter_number(at));
-- Hours since 1970.
create function hour_number(at timestamptz) returns integer language sql immutable parallel safe as
  $$ select floor(date_part('epoch', at - timestamptz '1970-01-01Z') / 3600)::integer $$;
-- Who saw something lately. By hour first, so that new rows do not touch pages all over the index.
create index event_of_user on event (hour_number(at), user_lo) where kind = 'i' and (user_lo <> 0 or user_hi <> 0);

-- The second in which an event's ad was served.
create function served_at(ad uuid) returns timestamptz language sql immutable parallel safe as
  $$ select to_timestamp(('x' || left(ad::text, 8))::bit(32)::bigint) $$;

-- The first key of a day of UTC.
create function first_ad(day date) returns uuid language sql immutable parallel safe as
  $$ select (lpad(to_hex((day - date '1970-01-01') * 86400::bigint), 8, '0') || repeat('0', 24))::uuid $$;

-- Events in readable form; unknown values are null.
create view event_in_words as
select case kind when 'i' then 'impression' when 'c' then 'click' else 'view' end as kind, at, served_at(ad) as served_at,
  substring(uuid_send(ad) from 5) as ad_id, cuid, e.cid, fid, pid, bid, source_id, budget_day, spend_micros,
  nullif(place_hash, 0) as place_hash, nullif(locality, 0) as locality, nullif(audience / 16, 0) as category,
  case device when 'm' then 'mobile' when 't' then 'tablet' when 'd' then 'desktop' end as device,
  case os when 'w' then 'Windows' when 'm' then 'macOS' when 'l' then 'Linux' when 'a' then 'Android' when 'i' then 'iOS'
    when 'c' then 'Chrome OS' when 'o' then 'other' end as os,
  case when country > 0 then chr(65 + (country - 1) / 26) || chr(65 + (country - 1) % 26) end as country, tx
from event e join leaf using (leaf);

-- What was counted and is not in the rollups yet: a row for each event and action (kind a). No index: each part, which
-- belongs to some of the customers, is read completely and emptied before it is large.
create table fresh (
  cuid bigint not null,
  cid bigint not null,
  leaf bigint not null,
  place_hash bigint not null,
  locality bigint not null,
  -- For an action: see action_name. Otherwise 0.
  action_hash bigint not null,
  -- Quarters of an hour since 1970.
  quarter integer not null,
  -- By the deployment's clocks.
  day date not null,
  spend_micros integer not null,
  hour smallint not null,
  country smallint not null,
  audience smallint not null,
  kind "char" not null,
  device "char" not null,
  os "char" not null
) partition by hash (cuid);
-- When each part was last emptied into the rollups.
create table fresh_part (
  part smallint primary key,
  emptied_at timestamptz not null
);
do $$
begin
  for part in 0..31 loop
    execute format('create table fresh_%s partition of fresh for values with (modulus 32, remainder %s)', part, part);
    insert into fresh_part values (part, now());
  end loop;
end $$;

-- Where ads were shown, by 48 bits of a hash: a region (city is empty) or a city of our table (reference/localities.ts).
create table locality (
  locality bigint primary key,
  country text not null,
  region text not null,
  city text not null
);

alter table action add column locality bigint not null default 0, add column audience smallint not null default 0;

-- The names of actions, by 48 bits of their hash, as domains and apps are in `place`.
create table action_name (
  action_hash bigint primary key,
  name text not null
);

alter table rollup add column views bigint not null default 0;

-- By leaf, day (deployment's zone) and one dimension: p place, o operating system, d device, c country, l locality,
-- k category, u age and gender, h hour, a action. The name is a number: a hash of the place, locality or action, the
-- letter's code, the country's or category's number, the hour.
-- Figures from before this table are stored under the ids of campaigns, flights, personas and banners instead; there
-- b is the banner and n the persona, which need no rows for a leaf.
alter table rollup_dimension rename to rollup_dimension_before;
alter index rollup_dimension_pkey rename to rollup_dimension_before_pkey;
create table rollup_dimension (
  id bigint not null,
  dimension "char" not null,
  day date not null,
  name bigint not null,
  spend_micros bigint not null,
  imps integer not null,
  views integer not null,
  clicks integer not null,
  actions integer not null,
  primary key (id, dimension, day, name)
) with (fillfactor = 90);

-- A customer's figures by day (deployment's zone), campaign and persona.
create table rollup_customer (
  cuid bigint not null,
  day date not null,
  cid bigint not null,
  pid bigint not null,
  spend_micros bigint not null,
  imps integer not null,
  views integer not null,
  clicks integer not null,
  actions integer not null,
  primary key (cuid, day, cid, pid)
) with (fillfactor = 90);

-- What was counted before.

insert into leaf (cuid, cid, fid, pid, bid)
select cuid, cid, fid, pid, bid from event_before union select cuid, cid, fid, pid, bid from action;

do $$
declare day date;
begin
  for day in select distinct (served_at at time zone 'UTC')::date from event_before loop
    execute format('create table %I partition of event for values from (%L) to (%L)',
      'event_' || to_char(day, 'YYYYMMDD'), first_ad(day), first_ad(day + 1));
  end loop;
end $$;

insert into event (ad, at, cid, leaf, source_id, place_hash, locality, user_hi, user_lo, spend_micros, budget_day,
  country, audience, kind, device, os)
select (lpad(to_hex(extract(epoch from served_at)::bigint), 8, '0') || encode(ad_id, 'hex'))::uuid, at, cid, leaf,
  source_id, coalesce(place_hash, 0), 0,
  coalesce(('x' || encode(substring(user_hash from 1 for 4), 'hex'))::bit(32)::integer, 0),
  coalesce(('x' || encode(substring(user_hash from 5 for 4), 'hex'))::bit(32)::integer, 0),
  spend_micros, budget_day, coalesce((ascii(country) - 65) * 26 + ascii(substring(country from 2)) - 64, 0), 0,
  case kind when 'click' then 'c' else 'i' end,
  case device when 'mobile' then 'm' when 'tablet' then 't' when 'desktop' then 'd' else '?' end,
  case os when 'Windows' then 'w' when 'macOS' then 'm' when 'Linux' then 'l' when 'Android' then 'a'
    when 'iOS' then 'i' when 'Chrome OS' then 'c' when 'other' then 'o' else '?' end
from event_before join leaf using (cuid, cid, fid, pid, bid)
order by served_at, ad_id;

create function pg_temp.hash48(text text) returns bigint language sql immutable as
  $$ select ('x' || encode(substring(sha256(convert_to(text, 'UTF8')) from 1 for 6), 'hex'))::bit(48)::bigint $$;

insert into place (place_hash, kind, name)
select distinct pg_temp.hash48(dimension || ' ' || name), dimension, name from rollup_dimension_before
where dimension in ('domain', 'app') on conflict do nothing;
insert into action_name (action_hash, name)
select distinct pg_temp.hash48('action ' || name), name from rollup_dimension_before
where dimension = 'action' on conflict do nothing;

insert into rollup_dimension (id, dimension, day, name, spend_micros, imps, views, clicks, actions)
select id, code, day, number, sum(spend_micros), sum(imps), 0, sum(clicks), sum(actions)
from rollup_dimension_before cross join lateral (values (
  case dimension when 'domain' then 'p' when 'app' then 'p' when 'os' then 'o' when 'device' then 'd'
    when 'country' then 'c' when 'hour' then 'h' when 'action' then 'a' when 'banner' then 'b' else 'n' end::"char",
  case
    when dimension in ('domain', 'app', 'action') then pg_temp.hash48(dimension || ' ' || name)
    when dimension in ('hour', 'banner', 'persona') then name::bigint
    when dimension = 'country' then
      case when name = 'unknown' then 0 else (ascii(name) - 65) * 26 + ascii(substring(name from 2)) - 64 end
    when dimension = 'device' then ascii(case name when 'mobile' then 'm' when 'tablet' then 't'
      when 'desktop' then 'd' else '?' end)
    else ascii(case name when 'Windows' then 'w' when 'macOS' then 'm' when 'Linux' then 'l' when 'Android' then 'a'
      when 'iOS' then 'i' when 'Chrome OS' then 'c' when 'other' then 'o' else '?' end)
  end
)) as coded(code, number)
group by id, code, day, number;

-- What had no domain and no app is the total less those that had one: it is now stored under the unknown place.
insert into rollup_dimension (id, dimension, day, name, spend_micros, imps, views, clicks, actions)
select id, 'p', day, 0, a.spend_micros - coalesce(p.spend_micros, 0), a.imps - coalesce(p.imps, 0), 0,
  a.clicks - coalesce(p.clicks, 0), a.actions - coalesce(p.actions, 0)
from (
  select id, day, sum(spend_micros) as spend_micros, sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions
  from rollup_dimension where dimension = 'd' group by id, day
) a left join (
  select id, day, sum(spend_micros) as spend_micros, sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions
  from rollup_dimension where dimension = 'p' group by id, day
) p using (id, day)
where (a.spend_micros, a.imps, a.clicks, a.actions)
  is distinct from (coalesce(p.spend_micros, 0), coalesce(p.imps, 0), coalesce(p.clicks, 0), coalesce(p.actions, 0));

-- Region and city, category, age and gender were not known.
insert into rollup_dimension (id, dimension, day, name, spend_micros, imps, views, clicks, actions)
select id, new, day, 0, sum(spend_micros), sum(imps), 0, sum(clicks), sum(actions)
from rollup_dimension cross join unnest(array['l', 'k', 'u']::"char"[]) as new
where dimension = 'd' group by id, new, day;

insert into rollup_customer (cuid, day, cid, pid, spend_micros, imps, views, clicks, actions)
select c.cuid, d.day, d.id, d.name, d.spend_micros, d.imps, d.views, d.clicks, d.actions
from rollup_dimension d join campaign c on c.cid = d.id where d.dimension = 'n';

drop table event_before, rollup_dimension_before;
