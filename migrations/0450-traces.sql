-- The place in a trace of the call that caused a delivery, as W3C Trace Context writes it; it goes out with the webhook.
alter table webhook_delivery add column traceparent text;
