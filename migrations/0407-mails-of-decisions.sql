-- contracts: mails have one more kind.
alter table mail drop constraint mail_kind_check;
alter table mail add constraint mail_kind_check
  check (kind in ('report', 'bannerRejected', 'budgetSpent', 'balance', 'proposals', 'stopped', 'budgetRaised', 'access',
    'savedView', 'decisions'))
  not valid;
