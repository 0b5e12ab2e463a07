-- Accounts of customers that pay in advance. One that turns `prepaid` off and on again has another account: each begins
-- and ends at zero. What it may still spend is in `pool`, what it has spent in `share` and `account_spend`.
-- contracts

create table account (
  cuid bigint not null,
  account_no integer not null,
  began_at timestamptz not null,
  ended_at timestamptz,
  -- Whether it was reported that the balance is low, or spent. A credit forgets both.
  low_sent boolean not null default true,
  spent_sent boolean not null default true,
  primary key (cuid, account_no)
);
create unique index account_open on account (cuid) where ended_at is null;

-- What was paid in, and corrections. A reference is used once per customer, in whichever account. Without one: what was
-- left when the account ended.
create table account_entry (
  entry_id bigint generated always as identity primary key,
  cuid bigint not null,
  account_no integer not null,
  at timestamptz not null,
  kind text not null check (kind in ('credit', 'correction')),
  amount_micros bigint not null check (amount_micros <> 0),
  reference text,
  note text,
  unique (cuid, reference)
);
create index account_entry_of on account_entry (cuid, at);

-- Entries stay as they are. Only the note of a customer that was erased goes, because it may name a person.
create function keep_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.note is null
    and to_jsonb(new) - 'note' = to_jsonb(old) - 'note'
    and exists (select from customer where cuid = old.cuid and erased_at is not null)
  then
    return new;
  end if;
  raise exception 'entries of accounts are never changed or deleted' using errcode = 'MQ003';
end $$;
create trigger account_entry_stays before update or delete on account_entry
  for each row execute function keep_entry();

-- What is left of the balance of a customer that pays in advance; null for others.
create function balance_of(p_cuid bigint) returns bigint language sql stable as $$
  select u.limit_micros - u.spent_micros from pools_used(array[p_cuid]) u
$$;

-- Emails about the balance can be switched off, as others can.
alter table mail_choice add column balance boolean not null default true;
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('report', 'bannerRejected', 'budgetSpent', 'balance', 'stopped')) not valid;
