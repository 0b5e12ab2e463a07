-- What a customer's uploads weigh, for the quota; and since when nothing has used an image, for clearing up.

-- What was uploaded before is known by the banners that show it; the rest of it counts nothing, and is cleared up in time.
alter table creative_upload add column bytes bigint not null default 0;
update creative_upload u set bytes = b.bytes
  from banner b where b.creative_name = u.name and b.bytes is not null;

create table creative_unused (
  name text primary key,
  since timestamptz not null
);
