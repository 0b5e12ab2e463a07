-- The last price per click of a campaign whose impressions are paid for now: what a later one is compared with. Null: it
-- never had one.
alter table campaign add column cpc_aside_micros bigint;
