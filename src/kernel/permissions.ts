// Who may do what, in one table: what a pair or a person may be called, what an endpoint can need, and whether the one
// is enough for the other. docs/access.md shows it for each endpoint, and a test compares.

/**
 * What an endpoint needs:
 * - `read`: nothing is changed;
 * - `edit`: a change that never costs more;
 * - `spend`: a change that may cost more;
 * - `approve`: it decides about what others propose;
 * - `rights`: it decides who may do what.
 */
export type Needs = 'read' | 'edit' | 'spend' | 'approve' | 'rights'

/** `proposed`: a change that costs more becomes a proposal. `named`: if the endpoint names this right (`staff`). */
const NOTHING = { read: 'yes', edit: 'no', spend: 'no', approve: 'no', rights: 'no' } as const
const EVERYTHING = { read: 'yes', edit: 'yes', spend: 'yes', approve: 'yes', rights: 'yes' } as const
const SOME = { read: 'yes', edit: 'named', spend: 'named', approve: 'named', rights: 'named' } as const

/** For a customer: a pair by its scope, a member by their role. Each may do what those above it may. */
const OF_CUSTOMER = [
  { scope: 'read', role: 'viewer', may: NOTHING },
  { scope: 'propose', role: 'editor', may: { ...NOTHING, edit: 'yes', spend: 'proposed' } },
  { scope: 'spend', role: 'manager', may: { ...EVERYTHING, rights: 'no' } },
  { scope: 'all', role: 'owner', may: EVERYTHING },
] as const

/** For an app: a super pair by its scope, a person of the staff by their role. */
const OF_APP = [
  { right: 'read', scope: 'read', role: null, may: NOTHING },
  { right: 'support', scope: null, role: 'support', may: SOME },
  { right: 'finance', scope: null, role: 'finance', may: SOME },
  { right: 'all', scope: 'all', role: 'admin', may: EVERYTHING },
] as const

export type Scope = (typeof OF_CUSTOMER)[number]['scope']
export type Role = (typeof OF_CUSTOMER)[number]['role']
export type AppRight = (typeof OF_APP)[number]['right']
export type SuperScope = NonNullable<(typeof OF_APP)[number]['scope']>
export type StaffRole = NonNullable<(typeof OF_APP)[number]['role']>

export const SCOPES: readonly Scope[] = OF_CUSTOMER.map(({ scope }) => scope)
export const ROLES = OF_CUSTOMER.map(({ role }) => role) as [Role, ...Role[]]
export const APP_RIGHTS: readonly AppRight[] = OF_APP.map(({ right }) => right)
export const SUPER_SCOPES: readonly SuperScope[] = OF_APP.flatMap(({ scope }) => scope ?? [])
export const STAFF_ROLES = OF_APP.flatMap(({ role }) => role ?? []) as [StaffRole, ...StaffRole[]]

export function scopeOf(role: Role): Scope {
  return OF_CUSTOMER.find(row => row.role === role)!.scope
}

/** Whether a scope is enough for all that another may do. */
export function covers(scope: Scope, other: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(other)
}

export function lesserScope(one: Scope, other: Scope): Scope {
  return covers(one, other) ? other : one
}

/** What a program may be given that acts for a person: never the right to make itself another pair. */
export const AGENT_SCOPES = ['read', 'propose', 'spend'] as const satisfies readonly Scope[]
export type AgentScope = (typeof AGENT_SCOPES)[number]

export function rightOf(role: StaffRole): AppRight {
  return OF_APP.find(row => row.role === role)!.right
}

export function cellOfScope(scope: Scope, needs: Needs) {
  return OF_CUSTOMER.find(row => row.scope === scope)!.may[needs]
}

export function cellOfRight(right: AppRight, needs: Needs) {
  return OF_APP.find(row => row.right === right)!.may[needs]
}

/** The roles of members who may do this alone. */
export function rolesThatMay(needs: Needs): Role[] {
  return OF_CUSTOMER.flatMap(({ role, may }) => (may[needs] === 'yes' ? [role] : []))
}

/** What the operator allows to an app besides, and where its caller says so. */
export const PROVISIONS = {
  passcode: 'mayPasscode',
  nopasscode: 'mayNoPasscode',
  sources: 'maySources',
} as const
export type Provision = keyof typeof PROVISIONS
