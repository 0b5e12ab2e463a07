-- outside of a transaction
-- Indexes on tables in use. One that was interrupted is left invalid: it is made anew.

-- Until when a delivery that is being sent counts as under way: the few that a webhook may have at once are counted over
-- all processes. `next_at` cannot say it, since it also is the time of the next attempt.
alter table webhook_delivery add column if not exists sent_until timestamptz;

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

drop index concurrently if exists audit_of_object;
create index concurrently audit_of_object on audit (id, audit_id);

-- For the retention of actions.

drop index concurrently if exists action_by_age;
create index concurrently action_by_age on action (at);

-- Few, and soon none.
drop index concurrently if exists campaign_unsearched;
create index concurrently campaign_unsearched on campaign (cid) where searched is null;
-- Of all campaigns of a customer, deleted ones too: their figures stay in the customer's.
drop index concurrently if exists campaign_with_deleted;
create index concurrently campaign_with_deleted on campaign (cuid, cid);

-- What is under way for a webhook.

drop index concurrently if exists webhook_delivery_under_way;
create index concurrently webhook_delivery_under_way on webhook_delivery (wid, sent_until) where sent_until is not null;

-- Few: the others need not be read to know.

drop index concurrently if exists flight_with_total;
create index concurrently flight_with_total on flight (cid) where total_spend_micros is not null;

-- Campaigns that are paid by click, which are few.

drop index concurrently if exists campaign_by_click;
create index concurrently campaign_by_click on campaign (cid) where cpc_micros is not null;

-- Sessions of a person, for erasure.

drop index concurrently if exists console_session_of_person;
create index concurrently console_session_of_person on console_session (person) where person is not null;

-- The deleted customers of an app.
drop index concurrently if exists customer_deleted_of;
create index concurrently customer_deleted_of on customer (app_id, cuid) where deleted_at is not null;
-- The deletions of a customer, of campaigns and everything in them.
drop index concurrently if exists audit_deletions;
create index concurrently audit_deletions on audit (cuid, audit_id) where action = 'delete' and cid is not null;

-- Banners that wait for a person, which are few.

drop index concurrently if exists banner_awaits_person;
create index concurrently banner_awaits_person on banner (bid) where awaits_person_since is not null and deleted_at is null;
