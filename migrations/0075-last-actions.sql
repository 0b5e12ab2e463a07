-- outside of a transaction
-- When actions of each name last arrived.

drop index concurrently if exists action_last;
create index concurrently action_last on action (cuid, name, at);
