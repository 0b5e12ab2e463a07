-- outside of a transaction
-- Indexes on tables that are in use while this runs. An interrupted one is left invalid, and is created again.

drop index concurrently if exists creative_upload_name;
create index concurrently creative_upload_name on creative_upload (name);
drop index concurrently if exists banner_creative_name;
create index concurrently banner_creative_name on banner (creative_name) where creative_name is not null;
drop index concurrently if exists banner_creative_url;
create index concurrently banner_creative_url on banner (creative_url) where creative_url like '/creative/%';
drop index concurrently if exists customer_external;
create index concurrently customer_external on customer (app_id, external_id, cuid)
  where external_id is not null and deleted_at is null;
drop index concurrently if exists action_by_tx;
create index concurrently action_by_tx on action using brin (tx) with (pages_per_range = 32, autosummarize = on);
