-- A banner can be paused; what apps keep with our objects; places that our tables did not know when they were saved.

alter table banner add column enabled boolean not null default true;

-- The id that the app itself uses for it, and up to twenty texts of its own.
alter table customer add column external_id text, add column metadata jsonb not null default '{}';
alter table campaign add column external_id text, add column metadata jsonb not null default '{}';
alter table persona add column external_id text, add column metadata jsonb not null default '{}';
alter table banner add column external_id text, add column metadata jsonb not null default '{}';

-- [{ "place": as it is stored, "suggestion": a place that we know, or null }]
alter table persona add column unknown_places jsonb not null default '[]';
