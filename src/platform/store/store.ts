// A place for files that are written once and never changed: a folder, or a bucket that speaks S3. A file is on disk
// when `put` returns, no one ever reads half of it, and an existing file stays as it is.

export interface ObjectStore {
  /** Where it is, in words without a secret. */
  readonly url: string
  /** False if the key is taken: the existing file is not touched. */
  put(key: string, bytes: Buffer): Promise<boolean>
  get(key: string): Promise<Buffer | null>
  has(key: string): Promise<boolean>
  /** All keys that begin with `prefix`, which ends with a slash or is empty, in order. */
  list(prefix: string): Promise<string[]>
  /** Does nothing if the key does not exist. */
  remove(key: string): Promise<void>
}
