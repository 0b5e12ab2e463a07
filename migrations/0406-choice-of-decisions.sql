-- Whether people are told what became of their proposals.
alter table mail_choice add column decisions boolean not null default true;
