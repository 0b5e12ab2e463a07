-- outside of a transaction
-- contracts: histories of apps have one more noun.
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- What a persona targets by attributes of the app; and the values among these that no request had when it was saved.
alter table persona
  add column if not exists attributes jsonb not null default '{}',
  add column if not exists unseen_values jsonb not null default '[]';

-- The history of what belongs to an app has its attributes, too.
alter table app_change drop constraint if exists app_change_noun_check,
  add constraint app_change_noun_check check (noun in ('staff', 'source', 'attribute')) not valid;

-- Which personas target an attribute: few do, so only these are in the index.
drop index concurrently if exists persona_of_attribute;
create index concurrently persona_of_attribute on persona using gin (attributes) where attributes <> '{}';
