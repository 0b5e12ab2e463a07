-- outside of a transaction
drop index concurrently if exists audit_of_object;
create index concurrently audit_of_object on audit (id, audit_id);
