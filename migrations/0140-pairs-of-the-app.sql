-- A pair that the app obtained for itself, to work as a customer. It is counted apart from the customer's own.
alter table credential add column by_app boolean not null default false;
