-- Forgets the samples that earlier versions let the planner take of what customers write: since the migration before this
-- one, nothing replaces them. Before PostgreSQL 18 only a superuser can (docs/postgresql.md).
do $$
declare sampled record;
begin
  for sampled in
    select s.schemaname, s.tablename, s.attname, a.attrelid, a.attnum from pg_stats s
      join pg_attribute a on a.attrelid = format('%I.%I', s.schemaname, s.tablename)::regclass and a.attname = s.attname
    where s.schemaname = current_schema() and a.attstattarget = 0
  loop
    if current_setting('server_version_num')::integer >= 180000 then
      perform pg_clear_attribute_stats(sampled.schemaname::text, sampled.tablename::text, sampled.attname::text, false);
    elsif current_setting('is_superuser') = 'on' then
      delete from pg_statistic where starelid = sampled.attrelid and staattnum = sampled.attnum;
    end if;
  end loop;
end $$;
