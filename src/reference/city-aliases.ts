// Other names of well-known cities, so that 'Wien' in a request meets 'Vienna' in a persona. In the data: the
// name in our city table and what else is written, all folded. An alias holds in every country: where it is
// wrong it does no harm, because both sides of a match are folded alike and must lie in one state.
import { readFileSync } from 'node:fs'

/** Alias → name, both folded. */
export const CANONICAL_CITY: ReadonlyMap<string, string> = new Map(
  readFileSync(new URL('./data/city-aliases.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap(line => {
      const [name, aliases] = line.split('\t') as [string, string]
      return aliases.split('|').map(alias => [alias, name] as const)
    }),
)
