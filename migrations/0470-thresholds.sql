-- contracts: mails have more kinds.
-- Alerts by thresholds of a customer's own. Null: not wanted.
alter table mail_choice
  -- The spend of a day of all its campaigns.
  add column spend_over_micros bigint,
  -- How many days the balance lasts at the spend of the last days.
  add column balance_days integer,
  -- What a campaign has spent of its daily budget on a whole day, in percent.
  add column pace_below double precision,
  -- When they are compared next; null: there are none.
  add column look_at timestamptz;
create index mail_choice_look on mail_choice (look_at) where look_at is not null;

alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('report', 'bannerRejected', 'budgetSpent', 'daySpent', 'balance', 'proposals', 'stopped', 'budgetRaised', 'access',
    'savedView', 'decisions', 'threshold'))
  not valid;
