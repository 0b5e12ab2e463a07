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
  from touched p join campaign c on c.cid = p.cid
  where p.deleted_at is null and c.deleted_at is null group by c.cuid;
  return null;
end $$;
create function note_banners() returns trigger language plpgsql as $$
begin
  insert into customer_usage_change (cuid, banners)
  select c.cuid, case when tg_op = 'DELETE' then -1 else 1 end * count(*)
  from touched b join persona p on p.pid = b.pid join campaign c on c.cid = p.cid
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
    direction * (select count(*) from persona p join banner b on b.pid = p.pid
      where p.cid = new.cid and p.deleted_at is null and b.deleted_at is null);
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
  from persona p join campaign c on c.cid = p.cid
  where p.pid = new.pid and p.deleted_at is null and c.deleted_at is null;
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
