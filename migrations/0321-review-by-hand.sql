-- Whether banners wait for a person after the checks of a program: by app, or by customer (null: as its app).
alter table app add column review text not null default 'automatic' check (review in ('automatic', 'manual'));
alter table customer add column review text check (review in ('automatic', 'manual'));
-- Since when a banner waits for a person: it is still pending, and its image has passed the checks. Null: it does not.
alter table banner add column awaits_person_since timestamptz;
