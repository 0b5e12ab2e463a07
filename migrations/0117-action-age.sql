-- outside of a transaction
-- For the retention of actions.

drop index concurrently if exists action_by_age;
create index concurrently action_by_age on action (at);
