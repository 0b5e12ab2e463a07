-- A customer's time zone decides the days of its budgets. `timezone` is the newest one; `timezone_before` has those
-- before it that days may still depend on, each with the Unix second at which it ends. One that was chosen for reports so
-- far takes effect like any other change: at a midnight of its own after the end of the current day.
alter table customer add column timezone_before jsonb;

update customer set timezone_before = jsonb_build_array(jsonb_build_array(null, extract(epoch from
    (date_trunc('day', (now() + interval '26 hours') at time zone z.name) + interval '1 day') at time zone z.name)::bigint))
from (select name from pg_timezone_names) z
where lower(customer.timezone) = lower(z.name);

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

-- Which date it was for a customer. Dates only rise: one that a new zone shows again belongs to the day that goes on
-- (decision 175). So it is the latest of what the zone of the moment shows and what those before it had reached.
create function day_at(timezone text, timezone_before jsonb, at timestamptz, own text) returns date
language sql immutable as $$
  select greatest((at at time zone zone_at(timezone, timezone_before, at, own))::date, (
    select max(((to_timestamp((entry ->> 1)::bigint) - interval '1 second') at time zone coalesce(entry ->> 0, own))::date)
    from jsonb_array_elements(coalesce(timezone_before, '[]')) as before(entry)
    where (entry ->> 1)::bigint <= extract(epoch from at)
  ))
$$;
