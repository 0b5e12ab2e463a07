-- outside of a transaction
-- Banners that wait for a person, which are few. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists banner_awaits_person;
create index concurrently banner_awaits_person on banner (bid) where awaits_person_since is not null and deleted_at is null;
