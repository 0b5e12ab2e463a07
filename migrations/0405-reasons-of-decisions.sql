-- Why a proposal was declined, in the words of who did. Null: they said nothing.
alter table proposal add column reason text;
