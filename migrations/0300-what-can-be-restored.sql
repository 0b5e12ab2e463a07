-- outside of a transaction
-- One that was interrupted is left invalid: it is made anew.

-- The deleted customers of an app.
drop index concurrently if exists customer_deleted_of;
create index concurrently customer_deleted_of on customer (app_id, cuid) where deleted_at is not null;
-- The deletions of a customer, of campaigns and everything in them.
drop index concurrently if exists audit_deletions;
create index concurrently audit_deletions on audit (cuid, audit_id) where action = 'delete' and cid is not null;
