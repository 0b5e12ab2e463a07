-- Since when a banner waits for a person: it is still pending, and its image has passed the checks. Null: it does not.
alter table banner add column awaits_person_since timestamptz;
