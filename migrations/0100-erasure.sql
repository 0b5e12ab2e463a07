-- Customers whose person was erased (docs/privacy.md). `erasure_due_at`: when to look (again) for what is left of one;
-- null: nothing is.
alter table customer
  add column erased_at timestamptz,
  add column erasure_due_at timestamptz,
  -- A version that does not know erasure cannot bring one back.
  add constraint erased_is_deleted check (erased_at is null or deleted_at is not null);

-- The customer that a kept answer is about, whoever asked. Erased: the key stays claimed, its answer is null.
alter table idempotency add column cuid bigint;
