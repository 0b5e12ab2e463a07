-- The size of a customer's uploads, for the quota; and since when an image has been unused, for cleaning up.

-- Earlier uploads are known by the banners that show them; the others do not count, and are cleaned up in time.
alter table creative_upload add column bytes bigint not null default 0;
update creative_upload u set bytes = b.bytes
  from banner b where b.creative_name = u.name and b.bytes is not null;

create table creative_unused (
  name text primary key,
  since timestamptz not null
);
