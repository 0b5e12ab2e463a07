// A place for files that are written once and never changed: a folder, or a bucket that speaks S3. A file is on disk
// when `put` returns, nobody ever reads half of one, and an existing file stays as it is.

export interface ObjectStore {
  /** Where the store is, in words without a secret. */
  readonly url: string
  /** Returns false if the key is taken; the existing file is not touched. */
  put(key: string, bytes: Buffer): Promise<boolean>
  get(key: string): Promise<Buffer | null>
  has(key: string): Promise<boolean>
  /** All keys that begin with `prefix`, in order. `prefix` ends with a slash or is empty. */
  list(prefix: string): Promise<string[]>
  /** Does nothing if the key does not exist. */
  remove(key: string): Promise<void>
}
