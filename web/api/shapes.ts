// Answers that are read here and have no contract type to import yet.

export type IssueCode =
  | 'no_persona'
  | 'personas_paused'
  | 'no_banner'
  | 'banner_rejected'
  | 'banner_pending'
  | 'budget_spent'

/** One thing that keeps a campaign from delivering. */
export interface Issue {
  code: IssueCode
  cid: number
  campaign: string
  pid: number | null
  persona: string | null
  bid: number | null
  banner: string | null
  reasons: string[]
}
