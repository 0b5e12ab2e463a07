-- Web origins whose pages may call the API with the pairs of an app's customers.

alter table app add column origins text[] not null default '{}';
