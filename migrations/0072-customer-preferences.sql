-- How a customer is spoken to: the language of its mails and console, and the time zone that its days are in.
-- Null: English, and the deployment's zone.

alter table customer add column language text check (language in ('en', 'de'));
alter table customer add column timezone text;
