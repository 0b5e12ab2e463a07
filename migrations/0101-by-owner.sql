-- outside of a transaction
-- Finding what belongs to a customer for its erasure, deleted things included.
drop index concurrently if exists customer_erasing;
create index concurrently customer_erasing on customer (erasure_due_at) where erasure_due_at is not null;
drop index concurrently if exists campaign_deleted_of;
create index concurrently campaign_deleted_of on campaign (cuid, cid) where deleted_at is not null;
drop index concurrently if exists flight_deleted_of;
create index concurrently flight_deleted_of on flight (cid, fid) where deleted_at is not null;
drop index concurrently if exists persona_deleted_of;
create index concurrently persona_deleted_of on persona (cid, pid) where deleted_at is not null;
drop index concurrently if exists banner_deleted_of;
create index concurrently banner_deleted_of on banner (pid, bid) where deleted_at is not null;
drop index concurrently if exists audit_of_customer;
create index concurrently audit_of_customer on audit (cuid) where cid is null;
drop index concurrently if exists console_session_of;
create index concurrently console_session_of on console_session (cuid) where cuid is not null;
drop index concurrently if exists console_session_opened;
create index concurrently console_session_opened on console_session (opened_cuid) where opened_cuid is not null;
drop index concurrently if exists sso_ticket_of;
create index concurrently sso_ticket_of on sso_ticket (cuid);
drop index concurrently if exists idempotency_of;
create index concurrently idempotency_of on idempotency (cuid) where cuid is not null;
drop index concurrently if exists webhook_delivery_of;
create index concurrently webhook_delivery_of on webhook_delivery (((body::jsonb #>> '{data,cuid}')::bigint));
-- Finding what has an id of the app's own, for `…/by-external/…`. Not unique: what was created twice stays.
drop index concurrently if exists campaign_external;
create index concurrently campaign_external on campaign (cuid, external_id, cid)
  where external_id is not null and deleted_at is null;
drop index concurrently if exists persona_external;
create index concurrently persona_external on persona (cid, external_id, pid)
  where external_id is not null and deleted_at is null;
drop index concurrently if exists banner_external;
create index concurrently banner_external on banner (pid, external_id, bid)
  where external_id is not null and deleted_at is null;
