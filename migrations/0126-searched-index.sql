-- outside of a transaction
-- Few, and soon none. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists campaign_unsearched;
create index concurrently campaign_unsearched on campaign (cid) where searched is null;
