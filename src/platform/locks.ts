// The advisory locks of the database, all in one place: two uses of one number would wait for each other.

export const LOCKS = {
  migrations: 7_731_001,
  firstStart: 7_731_002,
  partitions: 7_731_004,
  /** Of those who export, one writes at a time. */
  export: 7_731_030,
  numbering: 7_731_031,
  /** Held by a transaction that folds events into figures. */
  folding: 7_731_020,
} as const
