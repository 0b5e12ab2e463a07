-- outside of a transaction
-- The planner keeps samples of columns (pg_stats), and an erasure cannot reach them: those of a table that became empty
-- stay for ever. So no samples are taken of what customers write. Their columns are found by unique indexes, or not at
-- all.
alter table customer alter column company set statistics 0, alter column email set statistics 0,
  alter column email_key set statistics 0, alter column name set statistics 0, alter column address set statistics 0,
  alter column country set statistics 0, alter column city set statistics 0, alter column zip set statistics 0,
  alter column state set statistics 0, alter column phone set statistics 0, alter column website set statistics 0,
  alter column external_id set statistics 0, alter column metadata set statistics 0;
alter table member alter column email set statistics 0, alter column email_key set statistics 0,
  alter column name set statistics 0;
alter table campaign alter column name set statistics 0, alter column external_id set statistics 0,
  alter column metadata set statistics 0, alter column searched set statistics 0;
alter table flight alter column name set statistics 0;
alter table persona alter column name set statistics 0, alter column external_id set statistics 0,
  alter column metadata set statistics 0, alter column geo set statistics 0,
  alter column unknown_places set statistics 0;
alter table banner alter column name set statistics 0, alter column external_id set statistics 0,
  alter column metadata set statistics 0, alter column creative_url set statistics 0,
  alter column click_url set statistics 0, alter column creative_name set statistics 0,
  alter column reasons set statistics 0, alter column findings set statistics 0;
alter table audit alter column before set statistics 0, alter column after set statistics 0;
alter table proposal alter column params set statistics 0, alter column body set statistics 0,
  alter column bound set statistics 0, alter column before set statistics 0, alter column after set statistics 0,
  alter column result set statistics 0, alter column reason set statistics 0;
alter table job alter column request set statistics 0, alter column result set statistics 0,
  alter column error set statistics 0;
alter table note alter column text set statistics 0;
alter table saved_view alter column name set statistics 0, alter column shown set statistics 0;
alter table mail alter column about set statistics 0, alter column facts set statistics 0;
alter table webhook_delivery alter column body set statistics 0;
alter table idempotency alter column key set statistics 0, alter column answer set statistics 0;
alter table mail_allowance alter column address set statistics 0;
alter table console_session alter column person set statistics 0;
alter table passkey alter column person set statistics 0, alter column name set statistics 0;
alter table credential alter column name set statistics 0;
alter table action alter column dedupe set statistics 0;
alter table action_test alter column name set statistics 0;
alter table account_entry alter column note set statistics 0;
