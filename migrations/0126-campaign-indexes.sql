-- outside of a transaction
-- One that was interrupted is left invalid: it is made anew.

-- Few, and soon none.
drop index concurrently if exists campaign_unsearched;
create index concurrently campaign_unsearched on campaign (cid) where searched is null;
-- Of all campaigns of a customer, deleted ones too: their figures stay in the customer's.
drop index concurrently if exists campaign_with_deleted;
create index concurrently campaign_with_deleted on campaign (cuid, cid);
