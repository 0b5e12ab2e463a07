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
