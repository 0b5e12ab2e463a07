-- The cap that a count was last checked against. A statement that counts finds it in the row that it is about to write:
-- searching its own rows for it, for each of them, took the square of their number.
alter table cap_day add column freq integer not null default 0;
