-- What a campaign is found by: its name and its external id without case and accents (kernel/text.ts), one per line.
-- Null: not known yet; then the program looks at the campaign itself, and fills it in soon.
alter table campaign add column searched text;

-- The previous version changes names and knows nothing of this.
create function forget_searched() returns trigger language plpgsql as $$
begin
  new.searched := null;
  return new;
end $$;
create trigger campaign_renamed before update on campaign for each row
  when ((new.name, new.external_id) is distinct from (old.name, old.external_id)
    and new.searched is not distinct from old.searched)
  execute function forget_searched();
