-- Until when a delivery that is being sent counts as under way: the few that a webhook may have at once are counted over
-- all processes. `next_at` cannot say it, since it also is the time of the next attempt.
alter table webhook_delivery add column sent_until timestamptz;
