-- How many ads of a campaign were served on a day (yyyymmdd, deployment's zone), and how many of them were seen.
create table served_day (
  cid bigint not null,
  day integer not null,
  served bigint not null default 0,
  seen bigint not null default 0,
  primary key (cid, day)
) with (fillfactor = 70);
create index served_day_by_day on served_day (day);
