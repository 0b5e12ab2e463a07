-- A customer's time zone decides the days of its budgets. `timezone` is the newest one; `timezone_before` has those
-- before it that days may still depend on, each with the Unix second at which it ends. One that was chosen for reports so
-- far takes effect like any other change: at a midnight of its own after the end of the current day.
alter table customer add column timezone_before jsonb;

update customer set timezone_before = jsonb_build_array(jsonb_build_array(null, extract(epoch from
    (date_trunc('day', (now() + interval '26 hours') at time zone z.name) + interval '1 day') at time zone z.name)::bigint))
from (select name from pg_timezone_names) z
where lower(customer.timezone) = lower(z.name);
