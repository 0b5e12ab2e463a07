-- Figures that are kept by day are kept by the days of their customer. Which zone that was at a moment: `own` is that of
-- the deployment.
create function zone_at(timezone text, timezone_before jsonb, at timestamptz, own text) returns text
language sql immutable as $$
  select coalesce(case when b.entry is null then timezone else b.entry ->> 0 end, own)
  from (select) one left join lateral (
    select entry from jsonb_array_elements(coalesce(timezone_before, '[]')) with ordinality as before(entry, n)
    where (entry ->> 1)::bigint > extract(epoch from at) order by n limit 1
  ) b on true
$$;
