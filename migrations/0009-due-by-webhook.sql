-- What is due is looked for webhook by webhook: one whose receiver is down, with a million waiting, is stepped over.
create index webhook_delivery_due_of on webhook_delivery (wid, next_at) where state = 'pending';
drop index webhook_delivery_due;
