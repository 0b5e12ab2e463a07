-- What a review needs to remember, and whose uploads are whose.

-- As the customer declared them: `width` and `height` turn into what the image really has.
alter table banner add column declared_width integer;
alter table banner add column declared_height integer;
-- Rejected for want of a click-through: reviewed again as soon as its customer has a website.
alter table banner add column awaits_website boolean not null default false;
create index banner_pending on banner (bid) where status = 'pending' and deleted_at is null;
create index banner_awaiting on banner (bid) where awaits_website and deleted_at is null;

-- The file is kept once by what is in it; who may use it as a creative is said here.
create table creative_upload (
  cuid bigint not null references customer,
  name text not null,
  created_at timestamptz not null,
  primary key (cuid, name)
);
