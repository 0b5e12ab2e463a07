// A value of an attribute, as requests have it.

export interface SeenValue {
  key: string
  /** Empty: the key, with whatever value. */
  value: string
}
