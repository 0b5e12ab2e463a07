-- The most that callers of a customer, or one of its pairs, may make of budgets and prices: amounts in micros. Null: none.
alter table customer add column ceilings jsonb;
alter table credential add column ceilings jsonb;

-- How much was written in an hour, for those with a ceiling for it: by a customer (its cuid) or with a pair (its key).
create table writes_in_hour (
  owner text primary key,
  hour timestamptz not null,
  writes integer not null
);
-- Old counts are swept.
create index writes_in_hour_hour on writes_in_hour (hour);
