-- outside of a transaction
-- Who acted is one of six kinds, written as one text: a pair, an app (by a super pair, or by a session that it asked
-- for), a person of a customer or of an app, the operator, or a part of the service. `not valid`: what is there was
-- written by the same rules and is not read again.
create or replace function is_actor(actor text) returns boolean language sql immutable parallel safe
  return actor ~ '^(mq[cs]k_.+|(member|staff):\d+|(app-)?session:.+|operator|command line|service|review|console)$';

do $$ begin
  if not exists (select from pg_constraint where conname = 'audit_actor') then alter table audit
    add constraint audit_actor check (is_actor(actor)) not valid; end if; end $$;
do $$ begin
  if not exists (select from pg_constraint where conname = 'app_change_actor') then alter table app_change
    add constraint app_change_actor check (is_actor(actor)) not valid; end if; end $$;
do $$ begin
  if not exists (select from pg_constraint where conname = 'note_actor') then alter table note
    add constraint note_actor check (is_actor(actor)) not valid; end if; end $$;
do $$ begin
  if not exists (select from pg_constraint where conname = 'job_actor') then alter table job
    add constraint job_actor check (is_actor(actor)) not valid; end if; end $$;
do $$ begin
  if not exists (select from pg_constraint where conname = 'proposal_actor') then alter table proposal
    add constraint proposal_actor check (is_actor(actor) and is_actor(decided_by)) not valid; end if; end $$;
