-- What a super pair may do: its scope (read, all), and the customers of the app that it is limited to (null: all).
alter table credential add column cuids bigint[];

-- The customers that a webhook tells of: those of the super pair that made it (null: all).
alter table webhook add column cuids bigint[];
