-- outside of a transaction
-- A customer's figures are broken down over all its leaves. One that was interrupted is left invalid: it is made anew.

drop index concurrently if exists leaf_of_customer;
create index concurrently leaf_of_customer on leaf (cuid) include (leaf);
