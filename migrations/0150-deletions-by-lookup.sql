-- Like 0141: a deletion counts what is beneath it by lookups. As a join, its plan could read all banners.
create or replace function note_hidden_campaign() returns trigger language plpgsql as $$
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
