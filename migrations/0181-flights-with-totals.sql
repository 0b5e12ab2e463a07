-- outside of a transaction
-- Few: the others need not be read to know. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists flight_with_total;
create index concurrently flight_with_total on flight (cid) where total_spend_micros is not null;
