// Random operations on the ledger, checked against a plain model. The seed is printed; SEED replays it.

import { describe, test } from 'vitest'
import { createLedgerModel } from '../../../test/support/ledger-model.ts'
import { IS_LONG, randomOf, seededRandom } from '../../../test/support/random.ts'

type StepName = keyof ReturnType<typeof createLedgerModel>['steps']
const CHANCES: [StepName, number][] = [
  ['reserve', 34],
  ['begin', 26],
  ['transact', 14],
  ['learn', 6],
  ['release', 7],
  ['wait', 9],
  ['edit', 3],
  ['crash', 1],
]
const DICE = CHANCES.flatMap(([name, times]) => Array<StepName>(times).fill(name))

describe('the ledger against a plain model', () => {
  test('whatever happens in whatever order, books, database and model agree and no budget or cap is exceeded', () => {
    const { seed } = seededRandom('ledger model')
    for (let run = 0; run < Number(process.env.RUNS ?? (IS_LONG ? 1500 : 60)); run++) {
      const random = randomOf(seed + run)
      const { steps, verify } = createLedgerModel(random)
      const story: string[] = []
      try {
        for (let step = 0; step < 300; step++) {
          const name = random.pick(DICE)
          story.push(name)
          steps[name]()
          verify()
        }
      } catch (error) {
        throw new Error(`SEED=${seed} run ${run}, step ${story.length}: … ${story.slice(-8).join(', ')}`, {
          cause: error,
        })
      }
    }
  })
})
