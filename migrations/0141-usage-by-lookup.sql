-- The plan of a trigger's statement is kept by its connection, and made from the first rows that come by. As a join it
-- could be one that reads whole tables, for each banner that is added after it. As lookups it has one shape only:
-- `offset 0` keeps the conditions of the rows above out of the way in which they are found.
create or replace function note_personas() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, personas)
  select c.cuid, case when tg_op = 'DELETE' then -1 else 1 end * count(*)
  from touched p
    cross join lateral (select * from campaign where cid = p.cid offset 0) c
  where p.deleted_at is null and c.deleted_at is null group by c.cuid;
  return null;
end $$;
create or replace function note_banners() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, banners)
  select c.cuid, case when tg_op = 'DELETE' then -1 else 1 end * count(*)
  from touched b
    cross join lateral (select * from persona where pid = b.pid offset 0) p
    cross join lateral (select * from campaign where cid = p.cid offset 0) c
  where b.deleted_at is null and p.deleted_at is null and c.deleted_at is null group by c.cuid;
  return null;
end $$;
create or replace function note_hidden_banner() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, banners)
  select c.cuid, case when new.deleted_at is null then 1 else -1 end
  from (select * from persona where pid = new.pid offset 0) p
    cross join lateral (select * from campaign where cid = p.cid offset 0) c
  where p.deleted_at is null and c.deleted_at is null;
  return null;
end $$;

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
