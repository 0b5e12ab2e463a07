// Other names of well-known cities, so that 'Wien' in a request matches 'Vienna' in a persona. Each line has the name
// in our city table and its other spellings, all folded. An alias applies in every country. A wrong one does no harm,
// because both sides of a match are folded alike and must be in the same state.
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
