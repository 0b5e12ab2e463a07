// The plans of all statements that sessions of a database run, those of triggers too, as they were executed: the
// plans that PostgreSQL had kept, with the rows that they touched. And what must not be in them.

import pg from 'pg'
import type { Database } from '../../src/platform/database.ts'
import type { TestDatabase } from '../support/database.ts'

export interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Relation Name'?: string
  'CTE Name'?: string
  'Index Cond'?: string
  Filter?: string
  'Subplan Name'?: string
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

export interface Executed {
  text: string
  plan: PlanNode
}

/** From now on, sessions of this database say what they execute. */
export async function sayPlans({ url }: TestDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_parameter_max_length': '0',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  }
  const { database } = client
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter database ${database} set ${name} = '${value}'`)
  await client.end()
}

/** Before the first statement. What is returned gives what was executed since it was last called. */
export function listen(db: Database): () => Executed[] {
  let executed: Executed[] = []
  db.pool.on('connect', client =>
    client.on('notice', ({ message }) => {
      const plan = message?.match(/^duration: .*? plan:\n(.*)$/s)?.[1]
      if (!plan) return
      const { 'Query Text': text, Plan } = JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode }
      executed.push({ text, plan: Plan })
    }),
  )
  return () => {
    const taken = executed
    executed = []
    return taken
  }
}

function looked(node: PlanNode): number {
  return (
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  )
}

/** All rows that its steps passed on or threw away. */
export function rowsIn(node: PlanNode): number {
  const beneath = (node.Plans ?? []).reduce((sum, child) => sum + rowsIn(child), 0)
  return Math.round(looked(node) * node['Actual Loops']) + beneath
}

/** Ways to read a set of rows from its beginning to its end. */
const WHOLE = [
  'Seq Scan',
  'CTE Scan',
  'Function Scan',
  'Named Tuplestore Scan',
  'Materialize',
  'WorkTable Scan',
]
const BY_INDEX = ['Index Scan', 'Index Only Scan', 'Bitmap Index Scan']
/** How often, and how many rows each time: a handful of nodes may be looked through for each of many campaigns. */
export const MANY_TIMES = 100
export const MANY_ROWS = 20

/**
 * Where two row sets are joined by a loop over both: a step that is no lookup by an index reads many rows, and does so
 * for each of many others, whether as the inner side of a nested loop or as a subquery.
 */
export function loopsOverBoth(node: PlanNode): string[] {
  const beneath = (node.Plans ?? []).flatMap(loopsOverBoth)
  const kind = node['Node Type']
  const readsAll = WHOLE.includes(kind) || (BY_INDEX.includes(kind) && !node['Index Cond'])
  if (!readsAll || node['Actual Loops'] < MANY_TIMES || looked(node) < MANY_ROWS) return beneath
  const what = node['Relation Name'] ?? node['CTE Name'] ?? 'rows'
  return [`${kind} of ${what}: ${Math.round(looked(node))} rows, ${node['Actual Loops']} times`, ...beneath]
}

/** A list that was made by the statement, against which a filter holds every row. */
const LISTED = /ANY \(+(InitPlan \d+)\)/g

/**
 * How many comparisons of a row with one of a list its filters make. A loop over both that is not to be seen among the
 * steps: PostgreSQL goes through the list for each row, unless the list is a constant.
 */
export function comparedIn(plan: PlanNode): number {
  const lists = new Map<string, number>()
  const look = (node: PlanNode): void => {
    const name = node['Subplan Name']?.match(/^InitPlan \d+/)?.[0]
    if (name) lists.set(name, node['Actual Rows'] * node['Actual Loops'])
    node.Plans?.forEach(look)
  }
  look(plan)
  const count = (node: PlanNode): number => {
    const named = [...(node.Filter ?? '').matchAll(LISTED)].map(([, name]) => lists.get(name!) ?? 0)
    const here = named.reduce((sum, rows) => sum + rows, 0) * looked(node) * node['Actual Loops']
    return (node.Plans ?? []).reduce((sum, child) => sum + count(child), here)
  }
  return Math.round(count(plan))
}
