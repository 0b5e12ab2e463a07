-- What limits the actions that anybody can report by a pixel.

-- The names of a customer's actions, by 48 bits of their hashes (see action_name): those that servers reported, and
-- those that pixels brought in.
create table action_names (
  cuid bigint primary key,
  names bigint[] not null,
  by_pixel bigint[] not null,
  -- Days since 1970, and how many pixels brought in on that day.
  day integer not null,
  today integer not null
);

-- The names that pixels reported for an ad, by the same hashes. The ad as in `event`.
create table action_click (
  ad uuid primary key,
  names bigint[] not null
);

-- What customers use: the names of their latest actions.
insert into action_names (cuid, names, by_pixel, day, today)
select cuid, array_agg(action_hash), '{}', 0, 0 from (
  select cuid, name, row_number() over (partition by cuid order by max(at) desc) as place from action group by cuid, name
) used join action_name using (name) where place <= 100 group by cuid;

-- Whether a pixel or a server reported it; null: before the two were counted apart.

alter table action add column by_pixel boolean;
