-- Where bid requests of a source have the attributes of apps: for each key, the places in the request.
alter table source add column attributes jsonb not null default '{}';
