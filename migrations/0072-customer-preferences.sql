-- The preferences of a customer: the language of its mails and console, and the time zone of its days.
-- Null: English, and the deployment's zone.

alter table customer add column language text check (language in ('en', 'de'));
alter table customer add column timezone text;
