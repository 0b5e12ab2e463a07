-- An admin takes the passkeys of a colleague who has lost them: that is a change of the staff, too.
-- contracts: changes of the staff have one more action.
alter table staff_change drop constraint staff_change_action_check;
alter table staff_change add constraint staff_change_action_check
  check (action in ('add', 'edit', 'remove', 'reset_passkeys')) not valid;
