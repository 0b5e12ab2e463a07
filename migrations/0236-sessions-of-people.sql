-- outside of a transaction
-- Sessions of a person, for erasure. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists console_session_of_person;
create index concurrently console_session_of_person on console_session (person) where person is not null;
