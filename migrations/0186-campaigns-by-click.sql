-- outside of a transaction
-- Campaigns that are paid by click, which are few. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists campaign_by_click;
create index concurrently campaign_by_click on campaign (cid) where cpc_micros is not null;
