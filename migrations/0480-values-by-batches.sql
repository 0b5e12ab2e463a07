-- What conversions are worth waits beside `fresh` and is folded with it, in bulk. A trigger added it up in the statement
-- that wrote the conversion, row by row. It has a table of its own, because the version before folds `fresh` without it.

-- What conversions were worth that is not in `rollup_value` and `rollup_value_dimension` yet; columns as in `fresh`.
create table fresh_value (
  cuid bigint not null,
  cid bigint not null,
  leaf bigint not null,
  place_hash bigint not null,
  locality bigint not null,
  action_hash bigint not null,
  value_micros bigint not null,
  quarter integer not null,
  day date not null,
  hour smallint not null,
  country smallint not null,
  audience smallint not null,
  device "char" not null,
  os "char" not null
);
create index fresh_value_of_customer on fresh_value (cuid);

-- The version before still relies on the trigger; this one says that it writes to `fresh_value`. The trigger, its
-- function, `add_values` and the view `valued_action` go with the next version.
create or replace trigger values_added after insert on action referencing new table as added
  for each statement when (current_setting('marquee.values', true) is distinct from 'fresh')
  execute function add_values_of_actions();
