-- What a campaign is found by: its name and its external id without case and accents (kernel/text.ts), one per line.
-- Null: not known yet; then the program looks at the campaign itself, and fills it in soon.
alter table campaign add column searched text;

-- The previous version changes names and knows nothing of this.
create function forget_searched() returns trigger language plpgsql as $$
begin
  new.searched := null;
  return new;
end $$;
create trigger campaign_renamed before update on campaign for each row
  when ((new.name, new.external_id) is distinct from (old.name, old.external_id)
    and new.searched is not distinct from old.searched)
  execute function forget_searched();

-- How many campaigns, personas and banners each customer has, for quotas. Triggers note every change, whichever version
-- of the program makes it, in rows of their own: nobody waits for another one to note something. They are summed up into
-- one row per customer by those who check a quota.

create table customer_usage (
  cuid bigint primary key,
  campaigns bigint not null,
  personas bigint not null,
  banners bigint not null
);

create table customer_usage_change (
  change_id bigint generated always as identity primary key,
  cuid bigint not null,
  campaigns bigint not null default 0,
  personas bigint not null default 0,
  banners bigint not null default 0
);
create index customer_usage_change_of on customer_usage_change (cuid);

-- What is there counts: nothing that is deleted, and nothing under something deleted.
-- The plan of a trigger's statement is kept by its connection, and made from the first rows that come by. As a join it
-- could be one that reads whole tables, for each banner that is added after it. As lookups it has one shape only:
-- `offset 0` keeps the conditions of the rows above out of the way in which they are found.
create function note_campaigns() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, campaigns)
  select cuid, case when tg_op = 'DELETE' then -1 else 1 end * count(*) from touched
  where deleted_at is null group by cuid;
  return null;
end $$;
create function note_personas() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, personas)
  select c.cuid, case when tg_op = 'DELETE' then -1 else 1 end * count(*)
  from touched p
    cross join lateral (select * from campaign where cid = p.cid offset 0) c
  where p.deleted_at is null and c.deleted_at is null group by c.cuid;
  return null;
end $$;
create function note_banners() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, banners)
  select c.cuid, case when tg_op = 'DELETE' then -1 else 1 end * count(*)
  from touched b
    cross join lateral (select * from persona where pid = b.pid offset 0) p
    cross join lateral (select * from campaign where cid = p.cid offset 0) c
  where b.deleted_at is null and p.deleted_at is null and c.deleted_at is null group by c.cuid;
  return null;
end $$;

-- A deletion or its undoing moves all that is beneath.
create function note_hidden_campaign() returns trigger language plpgsql as $$
declare direction integer := case when new.deleted_at is null then 1 else -1 end;
begin
  insert into customer_usage_change (cuid, campaigns, personas, banners)
  select new.cuid, direction,
    direction * (select count(*) from persona p where p.cid = new.cid and p.deleted_at is null),
    direction * (
      select count(*) from (select pid from persona where cid = new.cid and deleted_at is null offset 0) p
        cross join lateral (select from banner where pid = p.pid and deleted_at is null offset 0) b
    );
  return null;
end $$;
create function note_hidden_persona() returns trigger language plpgsql as $$
declare direction integer := case when new.deleted_at is null then 1 else -1 end;
begin
  insert into customer_usage_change (cuid, personas, banners)
  select c.cuid, direction,
    direction * (select count(*) from banner b where b.pid = new.pid and b.deleted_at is null)
  from campaign c where c.cid = new.cid and c.deleted_at is null;
  return null;
end $$;
create function note_hidden_banner() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, banners)
  select c.cuid, case when new.deleted_at is null then 1 else -1 end
  from (select * from persona where pid = new.pid offset 0) p
    cross join lateral (select * from campaign where cid = p.cid offset 0) c
  where p.deleted_at is null and c.deleted_at is null;
  return null;
end $$;

create trigger campaigns_added after insert on campaign referencing new table as touched
  for each statement execute function note_campaigns();
create trigger campaigns_gone after delete on campaign referencing old table as touched
  for each statement execute function note_campaigns();
create trigger campaign_hidden after update on campaign for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function note_hidden_campaign();
create trigger personas_added after insert on persona referencing new table as touched
  for each statement execute function note_personas();
create trigger personas_gone after delete on persona referencing old table as touched
  for each statement execute function note_personas();
create trigger persona_hidden after update on persona for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function note_hidden_persona();
create trigger banners_added after insert on banner referencing new table as touched
  for each statement execute function note_banners();
create trigger banners_gone after delete on banner referencing old table as touched
  for each statement execute function note_banners();
create trigger banner_hidden after update on banner for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function note_hidden_banner();

-- The triggers hold writers off until this is committed, so nothing is missed and nothing counts twice.
insert into customer_usage (cuid, campaigns, personas, banners)
select c.cuid, count(distinct c.cid), count(distinct p.pid), count(b.bid)
from campaign c
  left join persona p on p.cid = c.cid and p.deleted_at is null
  left join banner b on b.pid = p.pid and b.deleted_at is null
where c.deleted_at is null
group by c.cuid;

-- Kept idempotent answers by who holds them, hour by hour.
create table idempotency_usage (
  holder text not null,
  hour timestamptz not null,
  answers bigint not null,
  bytes bigint not null,
  primary key (holder, hour)
);
create index idempotency_usage_age on idempotency_usage (hour);

-- How far the history has been cleared of objects that changed too often.
create table audit_cleared (only_row boolean primary key default true check (only_row), audit_id bigint not null);
insert into audit_cleared (audit_id) values (0);

-- Work that is too large for one call: copies and orders of very many objects. Done in one transaction by a worker.

create table job (
  job_id bigint primary key default nextval('ids'),
  cuid bigint not null references customer,
  kind text not null,
  -- Who has asked for it, as the history names them.
  actor text not null,
  -- What the work needs; gone when the job has ended.
  request jsonb,
  total integer not null,
  done integer not null default 0,
  attempts integer not null default 0,
  result jsonb,
  error jsonb,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index job_of_customer on job (cuid, job_id);
create index job_ended on job (ended_at) where ended_at is not null;

-- Before a table is analysed for the first time, PostgreSQL believes that one row in two hundred has no `deleted_at`,
-- and plans for tables that are nearly empty: a new deployment's first minutes were slow. PostgreSQL 18 can be told.
do $$
declare named text;
begin
  if current_setting('server_version_num')::integer < 180000 then return; end if;
  foreach named in array array['customer', 'campaign', 'flight', 'persona', 'banner'] loop
    if (select reltuples from pg_class where oid = named::regclass) < 0 then
      perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', named, 'attname', 'deleted_at',
        'inherited', false, 'null_frac', 1.0::real, 'avg_width', 8, 'n_distinct', 0.0::real);
    end if;
  end loop;
end $$;
