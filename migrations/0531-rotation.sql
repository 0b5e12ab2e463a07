-- outside of a transaction
-- Each statement locks one table, for a moment, and does nothing if it was done before.

-- How the banners of a persona take turns, and the weight of each; and what is known of banners that take turns by their
-- results, beside clicks: conversions, and what they were worth.
alter table persona add column if not exists rotation text not null default 'even';
alter table banner add column if not exists weight smallint not null default 1;
alter table banner_rate
  add column if not exists actions bigint not null default 0,
  add column if not exists value_micros bigint not null default 0;

do $$ begin
  if not exists (select from pg_constraint where conname = 'persona_rotation') then alter table persona
    add constraint persona_rotation check (rotation in ('even', 'weighted', 'best')) not valid; end if; end $$;
do $$ begin
  if not exists (select from pg_constraint where conname = 'banner_weight') then alter table banner
    add constraint banner_weight check (weight between 1 and 100) not valid; end if; end $$;
create index concurrently if not exists persona_best on persona (cid) where rotation = 'best' and deleted_at is null;
