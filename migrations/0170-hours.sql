-- The hours of the week in which a campaign delivers, by the clock of its customer: one number per day, Monday first,
-- whose bit 0 is the hour from midnight on. Null: always.
alter table campaign add column hours integer[] check (cardinality(hours) = 7);
