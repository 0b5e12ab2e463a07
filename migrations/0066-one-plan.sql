-- One plan for all nodes. What nodes learned survives them: how much of the money held by ads was settled (billed or
-- not), and where the even line of the day begins.
alter table share add column ended_micros bigint not null default 0;
alter table budget
  add column line_from_ms bigint not null default 0,
  add column line_micros bigint not null default 0;
