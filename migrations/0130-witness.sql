-- What processes know to be written. A process raises its mark about once per second; a database that lacks the row, or
-- has a lower mark than the process wrote, went back in time: it was restored, or lost something in a failover.
create table witness (
  process uuid primary key,
  mark bigint not null,
  seen_at timestamptz not null
) with (fillfactor = 50);

-- Which database this is, and on which timeline. Null on a replica, which has none of its own.
create function database_place() returns text language plpgsql stable as $$
begin
  return (select oid from pg_database where datname = current_database())
    || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
  return null;
end $$;

-- Fails the statement and undoes everything it has written, if it relies on what another database has said.
create function must_be_witnessed(by_process uuid, at_mark bigint, at_place text) returns boolean
language plpgsql as $$
begin
  if by_process is not null and (
    not exists (select from witness where process = by_process and mark >= at_mark)
    or coalesce(database_place() <> at_place, false)
  ) then
    raise exception 'the database went back in time, or is another' using errcode = 'MQ002';
  end if;
  return true;
end $$;
