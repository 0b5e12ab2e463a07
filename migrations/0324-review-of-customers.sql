-- As its app, unless the customer has a choice of its own.
alter table customer add column review text check (review in ('automatic', 'manual'));
