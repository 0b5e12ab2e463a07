-- outside of a transaction
-- What is under way for a webhook. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists webhook_delivery_under_way;
create index concurrently webhook_delivery_under_way on webhook_delivery (wid, sent_until) where sent_until is not null;
