-- Since when a customer is frozen: nothing of it delivers or can be changed. Null: it is not.
alter table customer add column frozen_at timestamptz;
