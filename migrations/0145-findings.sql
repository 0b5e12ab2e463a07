-- What a review found, as data: for each entry of `reasons` its code, its values and the same words.
alter table banner add column findings jsonb not null default '[]';
